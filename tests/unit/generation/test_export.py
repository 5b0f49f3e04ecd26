"""Exported files are run: they fail on the class with the bug and pass on the fixed one."""

from __future__ import annotations

import ast
import builtins
import importlib.util
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import shelf_under_test
from sample_cases import attribute, call, case, keywords, new, violation

import processes
import warm
from raddle.generation.export import (
    TIME_UP,
    Exported,
    Exporter,
    NotExported,
    code_lines,
    is_first_party,
    is_test_of_another_class,
)
from raddle.generation.expressions import Callback, Container, Imported, Literal, TemporaryPath, Variable
from raddle.generation.rendering import MARK
from raddle.generation.surface import MethodKind
from raddle.generation.testcase import SHARED, Call
from raddle.linearizability.judgment import Oracle

ROOT = Path(__file__).resolve().parents[3]
BUGGY = Path(shelf_under_test.__file__).read_text(encoding="utf-8")
MODULE = "shelfproject"
SHELF, ACCOUNT, TALLY, LOWERCASE, JOURNAL = (
    Imported(MODULE, name) for name in ("Shelf", "BankAccount", "Tally", "raddle", "Journal")
)

# The fixed classes: every method holds a lock, and `transfer` takes the locks in a fixed order.
FIXES = {
    "        self.size = size": "        self.lock = threading.RLock()\n        self.size = size",
    "        if key in self.items:\n            return self.items.pop(key)\n        return None": (
        "        with self.lock:\n            return self.items.pop(key, None)"
    ),
    "        if key not in self.items:\n            self.items[key] = value\n            return True\n": (
        "        with self.lock:\n            if self.items.setdefault(key, [value]) == [value]:\n"
        "                return True\n"
    ),
    "            self.listeners.remove(listener)": (
        "            self.listeners = [one for one in self.listeners if one != listener]"
    ),
    "        with self.lock, other.lock:": (
        "        first, second = sorted((self, other), key=id)\n        with first.lock, second.lock:"
    ),
    "        self.total = 0": "        self.lock = threading.Lock()\n        self.total = 0",
    "        self.total = self.total + 1": "        with self.lock:\n            self.total = self.total + 1",
}
FIXED = BUGGY
for before, after in FIXES.items():
    assert before in BUGGY
    FIXED = FIXED.replace(before, after)


def shelf(name, *arguments, **options):
    return call(name, *arguments, cls=SHELF, **options)


def taking():
    return case([new(SHELF), shelf("put", "a", 0)], [shelf("take", "a")], [shelf("take", "a")])


DONE = Callback("done")
LONG = "a" * 50
NESTED = Container("dict", (Literal("b"), Container("tuple", (Literal(1),))))
CASES = {
    "exception": (SHELF, taking(), violation(Oracle.EXCEPTIONS)),
    "results": (
        SHELF,
        case([new(SHELF)], [shelf("put_if_absent", "a", 0)], [shelf("put_if_absent", "a", 1)]),
        violation(Oracle.RESULTS),
    ),
    "deadlock": (
        ACCOUNT,
        case(
            [new(ACCOUNT), new(ACCOUNT, 1, result="v1")],
            [call("transfer", Variable("v1"), 1, cls=ACCOUNT)],
            [call("transfer", Variable(SHARED), 1, on="v1", cls=ACCOUNT)],
        ),
        violation(Oracle.HANGS, (0, 0), (1, 0)),
    ),
    "lost update": (
        TALLY,
        case(
            [new(TALLY)],
            [call("count", cls=TALLY)],
            [call("count", cls=TALLY)],
            observe=[attribute("total", cls=TALLY)],
        ),
        violation(Oracle.STATE),
    ),
    "callback": (
        SHELF,
        case([new(SHELF), shelf("listen", DONE)], [shelf("ignore", DONE)], [shelf("ignore", DONE)]),
        violation(Oracle.EXCEPTIONS, exception="ValueError"),
    ),
    "statement": (
        SHELF,
        case(
            [new(SHELF), shelf("__setitem__", "a", 0, kind=MethodKind.OPERATOR)],
            [shelf("take", "a"), shelf("__setitem__", "b", 1, kind=MethodKind.OPERATOR)],
            [shelf("take", "a")],
        ),
        violation(Oracle.EXCEPTIONS),
    ),
    "constructor arguments": (
        SHELF,
        case(
            [
                Call(new(SHELF).method, (Literal(3),), keywords({"name": "it's"}), result=SHARED),
                shelf("put", "a", NESTED),
            ],
            [shelf("take", "a")],
            [shelf("take", "a")],
        ),
        violation(Oracle.EXCEPTIONS),
    ),
    "result of an earlier call": (
        SHELF,
        case(
            [new(SHELF), shelf("put", "a", "a")],
            [shelf("__getitem__", "a", kind=MethodKind.OPERATOR, result="v1"), shelf("take", Variable("v1"))],
            [shelf("take", "a")],
        ),
        violation(Oracle.EXCEPTIONS, (0, 1)),
    ),
    "temporary path": (
        SHELF,
        case(
            [new(SHELF), shelf("put", TemporaryPath("log"), 0)],
            [shelf("take", TemporaryPath("log"))],
            [shelf("take", TemporaryPath("log"))],
        ),
        violation(Oracle.EXCEPTIONS),
    ),
    "a class called raddle": (
        LOWERCASE,
        case(
            [new(LOWERCASE), call("put", "a", 0, cls=LOWERCASE)],
            [call("take", "a", cls=LOWERCASE)],
            [call("take", "a", cls=LOWERCASE)],
        ),
        violation(Oracle.EXCEPTIONS),
    ),
    "file in the working directory": (
        JOURNAL,
        case(
            [new(JOURNAL), call("put", "a", 0, cls=JOURNAL)],
            [call("take", "a", cls=JOURNAL)],
            [call("take", "a", cls=JOURNAL)],
        ),
        violation(Oracle.EXCEPTIONS),
    ),
    "long values": (
        SHELF,
        case([new(SHELF), shelf("put", LONG, LONG)], [shelf("take", LONG)], [shelf("take", LONG)]),
        violation(Oracle.EXCEPTIONS),
    ),
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with the buggy classes in a module, and a folder for tests."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / f"{MODULE}.py").write_text(BUGGY)
    (tmp_path / "tests").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop(MODULE, None)


def exporter(project, cls=SHELF):
    return Exporter(project / "tests", cls=cls, command=f"raddle generate {cls.module}.{cls.name}")


def export(project, name):
    cls, test, seen = CASES[name]
    exporting = exporter(project, cls)
    exported = exporting.export(test, seen)
    assert isinstance(exported, Exported), exported
    assert exporting.write(exported) is None
    return exported


def run_pytest(project, *options):
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", *options, "tests"]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}  # the module changes within a second
    return warm.python(*command, cwd=project, env=environment)


def lint(project, *arguments):
    if importlib.util.find_spec("ruff") is None:
        return ""
    done = processes.run(
        [sys.executable, "-m", "ruff", *arguments, "tests"], cwd=project, capture_output=True, text=True
    )
    return done.stdout + done.stderr if done.returncode else ""


@pytest.mark.parametrize("name", CASES)
def test_an_exported_file_is_clean_fails_on_the_bug_and_passes_once_it_is_fixed(project, name):
    exported = export(project, name)
    failing = run_pytest(project)
    assert failing.returncode == 1, failing.stdout
    assert "1 failed" in failing.stdout
    assert "FindingError" in failing.stdout
    (project / f"{MODULE}.py").write_text(FIXED)
    passing = run_pytest(project)
    assert passing.returncode == 0, passing.stdout
    assert "1 passed" in passing.stdout
    assert code_lines(exported.text) < 25
    assert lint(project, "check", "--isolated", "--select", "E4,E7,E9,F,I,UP,B,SIM") == ""
    assert lint(project, "format", "--isolated", "--diff") == ""
    tree = ast.parse(exported.text)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not any(hasattr(builtins, name) for name in names)
    assert not any(attribute.startswith("_") for attribute in attributes)


@pytest.mark.parametrize("name", ["deadlock", "lost update"])
def test_exporting_again_gives_the_same_file(project, name):
    first = export(project, name)
    before = first.path.read_bytes()
    assert export(project, name).text == first.text
    assert first.path.read_bytes() == before
    assert [path.name for path in (project / "tests").glob("test_*")] == [first.path.name]


def test_the_file_reads_like_one_that_a_person_wrote(project):
    line = BUGGY[: BUGGY.index("return self.items.pop(key)")].count("\n") + 1
    text = export(project, "exception").text
    head, _, schedule = text.rpartition("        schedule=")
    assert (
        head
        == f'''\
# Generated by raddle from shelfproject.Shelf.
# To generate it again: raddle generate shelfproject.Shelf
import pytest

from shelfproject import Shelf

raddle = pytest.importorskip("raddle", reason="raddle is not installed")


def test_take_while_take_raises_key_error():
    """Two threads call take() at the same time.

    Then take() raises KeyError at line {line} of shelfproject.py, which no order of whole
    calls does.
    """

    def setup():
        shelf = Shelf()
        shelf.put("a", 0)
        return shelf

    raddle.linearizable(
        setup,
        [lambda shelf: shelf.take("a")],
        [lambda shelf: shelf.take("a")],
        oracle="exceptions",
'''
    )
    assert schedule.startswith('"T0; T')
    assert schedule.endswith('.",\n    )\n')


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("results", "test_put_if_absent_while_put_if_absent_is_not_atomic"),
        ("deadlock", "test_transfer_and_transfer_deadlock"),
        ("lost update", "test_count_and_count_lose_an_update"),
        ("callback", "test_ignore_while_ignore_raises_value_error"),
    ],
)
def test_the_test_is_named_after_what_goes_wrong(project, name, function):
    assert export(project, name).test == function


def test_the_schedule_survives_edits_of_other_lines(project):
    export(project, "exception")
    (project / f"{MODULE}.py").write_text("# A new comment moves all lines.\n" * 5 + BUGGY)
    assert "FindingError" in run_pytest(project).stdout


def test_the_test_is_skipped_without_raddle(project):
    export(project, "exception")
    (project / "raddle").mkdir()
    (project / "raddle" / "__init__.py").write_text("raise ModuleNotFoundError('no raddle here')")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:raddle", "-rs", "tests"]
    environment = {**os.environ, "PYTHONPATH": str(project)}
    done = processes.run(command, cwd=project, env=environment, capture_output=True, text=True)
    assert "1 skipped" in done.stdout
    assert "raddle is not installed" in done.stdout


def test_classes_outside_the_project_are_named_as_source(project, monkeypatch):
    away = project.with_name(f"{project.name}-away")
    (away / "tests").mkdir(parents=True)
    (away / "pyproject.toml").write_text("")
    exported = exporter(away).export(taking(), violation(Oracle.EXCEPTIONS))
    assert f'source=["{MODULE}"],' in exported.text


# -- refusals -------------------------------------------------------------------------------------------


class Unwritable:
    """A value without source."""


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        (case([new(SHELF), shelf("put", "a", Unwritable())], [shelf("take", "a")], [shelf("take", "a")]), "Unwritable"),
        (case([new(SHELF), shelf("_reset")], [shelf("take", "a")], [shelf("take", "a")]), "_reset is private"),
        (case([new(Imported(MODULE, "_Shelf"))], [shelf("take", "a")], [shelf("take", "a")]), "private"),
        # take() of an empty shelf returns None in any schedule.
        (case([new(SHELF)], [shelf("take", "a")], [shelf("take", "a")]), "passes when it is searched"),
        # put() has two required arguments.
        (case([new(SHELF), shelf("put")], [shelf("take", "a")], [shelf("take", "a")]), "setup raises TypeError"),
        (
            case(
                [new(SHELF), *(shelf("put", "b", number) for number in range(20)), shelf("put", "a", 0)],
                [shelf("take", "a")],
                [shelf("take", "a")],
            ),
            "lines of code",
        ),
    ],
)
def test_what_cannot_be_exported_has_a_reason(project, test, reason):
    refused = exporter(project).export(test, violation(Oracle.EXCEPTIONS))
    assert isinstance(refused, NotExported)
    assert reason in refused.reason
    assert list((project / "tests").iterdir()) == []


def test_a_file_that_raddle_did_not_generate_is_never_overwritten(project):
    exporting = exporter(project)
    exported = exporting.export(*CASES["exception"][1:])
    exported.path.write_text("# my own test\n")
    refused = exporting.write(exported)
    assert "raddle did not generate it" in refused.reason
    assert exported.path.read_text() == "# my own test\n"
    exported.path.write_text(f"{MARK} from an older version.\n")
    assert exporting.write(exported) is None
    assert exported.path.read_text() == exported.text


def test_import_sorters_find_the_project_in_its_root_and_in_src(project):
    (project / "src" / "deep").mkdir(parents=True)
    assert is_first_party(f"{MODULE}", project)
    assert is_first_party("deep.inside", project)
    assert not is_first_party("pytest", project)


def test_lines_of_code_are_counted_without_comments_and_docstrings():
    assert code_lines('# one\n\ndef f():\n    """About.\n\n    More.\n    """\n    # why\n    return 1\n') == 2


def test_files_are_written_only_into_the_folder(project):
    exporting = exporter(project)
    exported = exporting.export(*CASES["exception"][1:])
    outside = replace(exported, path=project / "tests" / ".." / "test_outside.py")
    assert "is not in" in exporting.write(outside).reason
    assert not (project / "test_outside.py").exists()


def test_two_bugs_with_the_same_name_get_two_files(project):
    exporting = exporter(project)
    first, second = (exporting.export(*CASES["exception"][1:]) for _ in range(2))
    assert second.path.name == first.path.name.replace(".py", "_2.py")


def test_a_test_of_another_class_with_the_same_name_is_kept(project):
    other = project / "tests" / "test_shelf_take_while_take_raises_key_error.py"
    other.write_text(f"{MARK} from elsewhere.Shelf (elsewhere 1.0).\n")
    assert is_test_of_another_class(other, SHELF)
    assert not is_test_of_another_class(other, Imported("elsewhere", "Shelf"))
    exporting = Exporter(
        project / "tests", cls=SHELF, command="", is_free=lambda path: not is_test_of_another_class(path, SHELF)
    )
    exported = exporting.export(*CASES["exception"][1:])
    assert exported.path.name == "test_shelfproject_shelf_take_while_take_raises_key_error.py"
    assert exporting.write(exported) is None
    assert exporting.export(*CASES["exception"][1:]).path.name == exported.path.name.replace(".py", "_2.py")
    assert not is_test_of_another_class(exported.path, SHELF)


def test_without_time_no_test_is_exported(project):
    assert exporter(project).export(*CASES["exception"][1:], seconds=0.0) == NotExported(TIME_UP)


def test_a_test_uses_the_reset_and_the_invariant_of_the_user(project):
    # Each call appends the length of the list. Two calls that read the same length append the same number.
    cls = Imported(MODULE, "Listed")
    exporting = Exporter(
        project / "tests",
        cls=cls,
        command="",
        reset=Imported(MODULE, "forget_tallies"),
        invariant=Imported(MODULE, "is_counted"),
    )
    counting = case([new(cls)], [call("count", cls=cls)], [call("count", cls=cls)])
    exported = exporting.export(counting, violation(Oracle.INVARIANTS))
    assert isinstance(exported, Exported), exported
    assert "        reset=forget_tallies,\n        invariant=is_counted,\n        oracle=[],\n" in exported.text
    assert "the invariant does not hold afterwards" in " ".join(exported.text.split())
    without = Exporter(project / "tests", cls=cls, command="", invariant=Imported(MODULE, "is_counted"))
    assert f"its calls change {MODULE}.TALLIES" in without.export(counting, violation(Oracle.INVARIANTS)).reason
