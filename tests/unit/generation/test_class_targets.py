"""Tests of `raddle.generation.targets`."""

import sys

import pytest

from raddle.errors import UsageError
from raddle.generation.surface import Sharing
from raddle.generation.targets import find_targets

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
