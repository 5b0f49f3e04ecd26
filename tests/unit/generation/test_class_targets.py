"""Tests of `raddle.generation.targets`."""

import sys

import pytest

from raddle.errors import UsageError
from raddle.generation.surface import Sharing
from raddle.generation.targets import find_targets, search_target

FILES = {
    "target_locks.py": "import threading\n"
    "class Counter:\n    def __init__(self): self.lock = threading.Lock()\n"
    "class Plain:\n    pass\n"
    "class _Hidden:\n    lock = threading.Lock()\n"
    "class Broken(Exception):\n    '''Raised in threads.'''\n",
    "target_jobs.py": "class Job:\n    def work(self): pass\n    class Inner: pass\n",
    "target_main.py": "import threading, target_jobs\n"
    "def main():\n    job = target_jobs.Job()\n    threading.Thread(target=job.work).start()\n",
    "target_bad.py": "raise OSError\n",
    "test_target.py": "raise OSError('test files must not be imported')\n",
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield tmp_path
    for name in FILES:
        sys.modules.pop(name.removesuffix(".py"), None)


def names(target):
    return [found.cls.__name__ for found in find_targets(target)]


@pytest.mark.parametrize("target", ["target_locks:Plain", "target_locks.py:Plain", "target_locks.py::Plain"])
def test_a_named_class_need_not_look_shared(project, target):
    assert names(target) == ["Plain"]


def test_a_nested_class_has_a_dotted_name(project):
    assert names("target_jobs:Job.Inner") == ["Inner"]


@pytest.mark.parametrize("target", ["target_locks", "target_locks.py"])
def test_a_module_stands_for_its_public_classes_that_look_shared(project, target):
    (found,) = find_targets(target)
    assert (found.cls.__name__, found.sharing) == ("Counter", {Sharing.HAS_LOCK})


def test_a_folder_stands_for_all_of_its_files(project):
    # Another file passes the method `work` to a thread. Files that cannot be imported and test files are skipped.
    found = {target.cls.__name__: target.sharing for target in find_targets(str(project))}
    assert found == {"Counter": {Sharing.HAS_LOCK}, "Job": {Sharing.USED_FROM_THREADS}}


@pytest.mark.parametrize(
    ("target", "slug", "text"),
    [
        ("target_locks:Count", "no-such-class", "did you mean Counter?"),
        ("target_locks:threading", "no-such-class", "not a class: it is of type module"),
        ("target_jobs", "no-shared-class", "target_jobs:Class"),
        ("target_absent:Class", "import-failed", "target_absent"),
        ("target_absent.py:Class", "no-such-file", "target_absent.py"),
        ("target_bad", "import-failed", "OSError"),
    ],
)
def test_other_targets_are_usage_errors(project, target, slug, text):
    with pytest.raises(UsageError) as caught:
        find_targets(target)
    assert caught.value.slug == slug
    assert text in str(caught.value)


def test_files_of_a_folder_that_cannot_be_imported_are_listed_with_one_line_each(project):
    (project / "target_syntax.py").write_text("def f(:\n")
    (project / "target_needs.py").write_text("import target_missing_module\n")
    (project / "target_exits.py").write_text("import os\nos._exit(3)\n")
    found = search_target(str(project))
    assert {target.cls.__name__ for target in found.classes} == {"Counter", "Job"}
    assert {one.file.rpartition("/")[2]: one.reason for one in found.skipped} == {
        "target_bad.py": "it cannot be imported: OSError",
        "target_exits.py": "it cannot be imported: it ends the process with os._exit(3)",
        "target_needs.py": "it cannot be imported: No module named 'target_missing_module'",
        "target_syntax.py": "line 1 is not valid Python: invalid syntax",
    }


def test_the_error_for_a_folder_without_classes_lists_the_broken_files(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (tmp_path / "target_alone.py").write_text("raise OSError('no disk')\n")
    with pytest.raises(UsageError) as caught:
        find_targets(str(tmp_path))
    assert "target_alone.py: it cannot be imported: OSError: no disk" in str(caught.value)


@pytest.mark.parametrize("target", ["target_package:Counter", "target_package:Own", "./target_package:Counter"])
def test_a_class_that_a_package_in_the_current_folder_defines_or_imports(project, target):
    package = project / "target_package"
    package.mkdir()
    (package / "__init__.py").write_text("from target_locks import Counter\nclass Own:\n    pass\n")
    try:
        assert names(target) == [target.partition(":")[2]]
    finally:
        sys.modules.pop("target_package", None)


def test_a_folder_that_is_no_package_contains_no_class(project):
    (project / "target_folder").mkdir()
    with pytest.raises(UsageError) as caught:
        find_targets("target_folder:Counter")
    assert str(caught.value) == "target_folder is a folder; name a file in it"
