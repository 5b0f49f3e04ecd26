"""The command `raddle run --until`, run in a subprocess."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import processes
from raddle.cli.run import run as run_command
from raddle.errors import UsageError
from raddle.store import read

# Two threads use one lock. The arguments decide which run fails or is interrupted.
SCRIPT = """\
import os, signal, sys, threading

class Account:
    def __init__(self): self.balance, self.lock = 0, threading.Lock()
    def deposit(self):
        with self.lock: self.balance += 1

account = Account()
threads = [threading.Thread(target=account.deposit) for _ in range(2)]
for thread in threads:
    thread.start()
    thread.join()
print("printed by the program")
with open("runs", "a+") as runs:
    runs.write("one more\\n")
    runs.seek(0)
    number = len(runs.readlines())
if "--fail-second" in sys.argv and number == 2: raise KeyError("no such account")
if "--interrupt-third" in sys.argv and number == 3: os.kill(os.getppid(), signal.SIGINT)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "script.py").write_text(SCRIPT)
    # The key `until` applies only to `raddle explore`, so `raddle run` must ignore it.
    (tmp_path / "pyproject.toml").write_text('[tool.raddle]\nuntil = "saturated"\n')
    return tmp_path


def raddle(folder: Path, *arguments: str) -> Any:
    return processes.run([sys.executable, "-m", "raddle", *arguments], cwd=folder, capture_output=True, text=True)


def test_a_program_is_repeated_until_its_coverage_is_saturated(folder: Path) -> None:
    # The threads run one after the other, so every run covers the same requirements. The two runs after the first add
    # no coverage.
    options = ("--until", "saturated", "--saturation", "2", "--criteria", "sync", "--noise", "yield", "--seed", "5")
    done = raddle(folder, "run", *options, "--json", "script.py")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)  # stdout does not contain the output of the program
    assert (data["runs"], data["stopped_because"], data["runs_since_new"]) == (3, "saturated", 2)
    assert data["growth"] == {"sync": [[1, data["criteria"]["sync"]["covered"]]]}
    assert (data["seed"], data["noise"], data["failures"]) == (5, ["yield"], [])
    assert (folder / "runs").read_text() == "one more\n" * 3
    contents = read(folder / ".raddle")
    assert [run.executions for run in contents.runs] == [1, 1, 1]
    assert set(contents.tally.covered) == {"sync"}
    assert not list(folder.glob(".raddle.*"))  # the temporary files of the runs are deleted


def test_a_failing_run_is_reported_with_its_seed(folder: Path) -> None:
    done = raddle(folder, "run", "--until", "budget", "--runs", "3", "--seed", "5", "script.py", "--fail-second")
    assert done.returncode == 1
    assert "exit code 1: KeyError: 'no such account', in 1 of 3 runs\n  first found with --seed 6\n" in done.stderr
    assert "raddle: 3 runs; reached the requested number of runs" in done.stderr
    assert "added to .raddle" in done.stderr
    assert done.stdout == ""


def test_ctrl_c_keeps_the_measured_coverage(folder: Path) -> None:
    options = ("--until", "budget", "--runs", "50", "--criteria", "sync", "--json-file", "summary.json")
    done = raddle(folder, "run", *options, "script.py", "--interrupt-third")
    assert done.returncode == 2, done.stderr
    data = json.loads((folder / "summary.json").read_text())
    assert data["stopped_because"] == "interrupted"
    assert data["runs"] in (2, 3)  # the third run may have ended before it stored anything
    assert len(read(folder / ".raddle").runs) == data["runs"]


def test_a_program_without_threads_covers_nothing(folder: Path) -> None:
    (folder / "alone.py").write_text("print(1)\n")
    done = raddle(folder, "run", "--until", "saturated", "--runs", "1", "alone.py")
    assert done.returncode == 5, done.stderr
    assert "raddle: 1 run; reached the requested number of runs" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "slug", "message"),
    [
        (["--runs", "3"], "bad-repetition", "--runs only applies to repeated runs: add --until saturated"),
        (["--run-seconds", "3"], "bad-repetition", "--run-seconds only applies to repeated runs"),
        (["--until", "budget"], "bad-repetition", "add --runs or --seconds"),
        (["--until", "budget", "--runs", "2", "--saturation", "2"], "bad-repetition", "use --until saturated"),
        (["--until", "saturated", "--criteria", "none"], "bad-repetition", "coverage cannot saturate"),
        (["--until", "saturated", "--noise", "loud"], "bad-noise", "unknown kind of noise 'loud'"),
    ],
)
def test_invalid_combinations_of_options_are_rejected(
    arguments: list[str], slug: str, message: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(UsageError, match=message) as error:
        run_command.main([*arguments, "script.py"], standalone_mode=False)
    assert error.value.slug == slug
    assert not (folder / "runs").exists()


def test_a_missing_program_is_reported(folder: Path) -> None:
    done = raddle(folder, "run", "--until", "saturated", "nowhere.py")
    assert (done.returncode, done.stderr) == (4, "raddle: there is no file nowhere.py [no-such-file]\n")


def test_a_hanging_program_is_stopped_at_the_time_limit(folder: Path) -> None:
    (folder / "hangs.py").write_text("import threading\nthreading.Event().wait()\n")
    done = raddle(folder, "run", "--until", "budget", "--seconds", "1", "--criteria", "map", "hangs.py")
    assert done.returncode == 5, done.stderr  # nothing was covered
    assert "raddle: 1 run; reached the time limit" in done.stderr
    assert "did not end" not in done.stderr  # the time limit ended the run, so it does not count as a hang
