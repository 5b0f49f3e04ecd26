"""`raddle run`: its options, its data file and its error messages."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from native_recording import record
from program_runs import run_command, watched

import raddle
from raddle.cli.run import run
from raddle.errors import UsageError
from raddle.native.settings import Settings
from raddle.store import read

COUNTER = """
import sys, threading
class Counter:
    def __init__(self): self.value, self.lock = 0, threading.Lock()
    def add(self):
        for _ in range(50):
            with self.lock: self.value += 1
def main():
    counter = Counter()
    threads = [threading.Thread(target=counter.add) for _ in range(3)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    print(counter.value)
if __name__ == "__main__": main()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "program.py").write_text(COUNTER)
    return tmp_path


def command(folder: Path, *args: str) -> Any:
    return run_command(folder, *args)


def test_the_default_summary_is_human_readable(folder: Path) -> None:
    ended = command(folder, "--criteria", "sync", "program.py")
    assert (ended.code, ended.out) == (0, "150\n")
    assert "raddle: 4 threads, " in ended.err
    assert "sync" in ended.err
    assert read(folder / ".raddle").runs[0].origin == "run program.py"


def test_json_is_the_last_line_of_stdout(folder: Path) -> None:
    ended = command(folder, "--criteria", "sync", "--json", "program.py")
    *program, last = ended.out.splitlines()
    assert program == ["150", ""]
    summary = json.loads(last)
    assert summary["program"] == "program.py"
    assert summary["threads"] == 4
    assert summary["steps"] > 750  # five per iteration: three that use the lock, a read and a write
    assert summary["notes"] == summary["not_instrumented"] == []
    assert summary["criteria"]["sync"]["covered"] >= 1
    assert ended.err == ""


def test_repeated_runs_add_to_one_data_file(folder: Path) -> None:
    for _ in range(3):
        assert watched(folder, "program.py", options=["--criteria", "sync", "--data-file", "data"]).code == 0
    contents = read(folder / "data")
    assert len(contents.runs) == 3
    assert max(covered.executions for covered in contents.tally.covered["sync"].values()) == 3


def test_native_and_controlled_executions_use_the_same_names(folder: Path) -> None:
    """Variables, locks and threads have the same names in both modes."""
    recorded = record(folder, COUNTER)
    (folder / "counter_under_control.py").write_text(COUNTER)
    sys.path.insert(0, str(folder))
    try:
        main = importlib.import_module("counter_under_control").main
        (sample,) = raddle.measure(main, criteria="sync", executions=1, source=["counter_under_control"])
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("counter_under_control", None)
    native = {(v.owner.partition(":")[2], v.name) for v in recorded.entities.variables if v.owner.endswith("Counter")}
    assert {(v.owner.partition(":")[2], v.name) for v in sample.entities.variables if "Counter" in v.owner} <= native
    assert [r.type for r in sample.entities.resources] == [r.type for r in recorded.entities.resources] == ["Lock"]
    types = [sample.entities.thread(actor).type for actor in range(4)]
    assert types == [recorded.entities.thread(actor).type for actor in range(4)] == ["main", *["Counter.add"] * 3]


def test_source_limits_what_is_instrumented(folder: Path) -> None:
    (folder / "other.py").write_text("class A: pass\ndef touch():\n    a = A()\n    for n in range(100): a.n = n\n")
    (folder / "both.py").write_text("import other, program\nother.touch()\nprogram.main()\n")
    both = watched(folder, "both.py").summary["steps"]
    only_other = watched(folder, "both.py", options=["--criteria", "none", "--source", "other"]).summary["steps"]
    only_file = watched(folder, "both.py", options=["--criteria", "none", "--source", "other.py"]).summary["steps"]
    # The threads and locks of uninstrumented code are still recorded: 3 x 50 acquires and 3 x 50 releases.
    assert 100 < only_other == only_file < both
    none = watched(folder, "both.py", options=["--criteria", "none", "--source", "json"]).summary["steps"]
    assert 300 < none < only_other


@pytest.mark.parametrize(
    ("args", "slug", "message"),
    [
        ([], "no-program", "name a program"),
        (["nothing.py"], "no-such-file", "there is no file nothing.py"),
        (["--noise", "slep", "program.py"], "bad-noise", "did you mean sleep?"),
        (["--source", "no_such_thing", "program.py"], "no-such-source", "no_such_thing"),
        (["--criteria", "mapp", "program.py"], "unknown-criterion", "did you mean map"),
    ],
)
def test_bad_input_is_a_usage_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], slug: str, message: str
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(UsageError) as caught:
        run.main(args=args, standalone_mode=False)
    assert caught.value.slug == slug
    assert message in str(caught.value)


def test_a_missing_module_is_reported(folder: Path) -> None:
    ended = command(folder, "--criteria", "none", "-m", "no_such_module")
    assert "no-such-module" not in ended.out
    assert "no_such_module cannot be run" in ended.err
    assert "threads" not in ended.err


def test_a_foreign_data_file_is_left_untouched(folder: Path) -> None:
    (folder / "data").write_text("this is no data file")
    ended = command(folder, "--data-file", "data", "--criteria", "sync", "program.py")
    assert ended.out == ""  # the program was not started
    assert "data" in ended.err
    assert (folder / "data").read_text() == "this is no data file"


def test_settings_survive_a_round_trip_through_json() -> None:
    settings = Settings("a.py", ("shop",), "/project", ("yield",), 3, ("map", "sync"), "/project/.raddle")
    assert Settings.from_json(settings.as_json()) == settings


def test_a_watched_program_can_run_controlled_executions(folder: Path) -> None:
    (folder / "program.py").write_text(
        COUNTER.replace("range(50)", "range(1)").replace(
            "if __name__",
            "lock = threading.Lock()\ndef scenario():\n    with lock: main()\n"
            "import raddle\nresult = raddle.explore(scenario, scheduler='exhaustive')\n"
            "print(result.outcome, result.executions, result.notes)\nif __name__",
        )
    )
    ended = watched(folder, "program.py")
    # Three threads each acquire one lock once: 3! orders. The program's own `main` then runs natively and prints 3.
    assert ended.out.endswith("passed 6 ()\n3\n")
    assert ended.summary["threads"] == 4
    assert ended.summary["notes"] == []


def test_option_m_without_a_module_is_a_usage_error() -> None:
    with pytest.raises(UsageError) as caught:
        run.main(args=["--criteria", "none", "-m"], standalone_mode=False)
    assert caught.value.slug == "no-program"
    assert "-m needs the name of a module" in str(caught.value)


def test_files_with_the_same_name_are_distinguished(tmp_path: Path) -> None:
    """The files are stored under their paths in the project, regardless of the working directory."""
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "util.py").write_text(COUNTER)
    watched(tmp_path, "a/util.py", options=("--criteria", "map"))
    watched(tmp_path, "b/util.py", options=("--criteria", "map"))
    watched(tmp_path / "a", "util.py", options=("--criteria", "map", "--data-file", "../.raddle"))
    contents = read(tmp_path / ".raddle")
    assert set(contents.paths) == {"a/util.py", "b/util.py"}
    assert contents.notes == ()
    assert {key[1] for key in contents.tally.covered["map"]} <= {"a/util.py:Counter", "b/util.py:Counter"}
