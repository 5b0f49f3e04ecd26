"""The command `raddle search`, run in a subprocess."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest

import processes
from raddle.cli.search import search
from raddle.config import read as read_config
from raddle.errors import UsageError
from raddle.store import read

SCENARIOS = """\
import os, signal, threading

class Account:
    def __init__(self): self.balance, self.log = 0, []
    def deposit(self, amount):
        before = self.balance
        self.log.append(amount)
        self.balance = before + amount

def scenario():
    account = Account()
    threads = [threading.Thread(target=account.deposit, args=(n,)) for n in (1, 2, 3)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert account.balance == 6

def alone():
    Account().deposit(1)

EXECUTIONS = []
def interrupted():
    EXECUTIONS.append(1)
    if len(EXECUTIONS) == 100: os.kill(os.getpid(), signal.SIGINT)
    account = Account()
    threads = [threading.Thread(target=account.deposit, args=(1,)) for _ in range(2)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""

SCRIPT = """\
import os, signal, sys, threading

class Account:
    def __init__(self): self.balance, self.lock = 0, threading.Lock()
    def deposit(self):
        for _ in range(5):
            with self.lock: self.balance += 1

account = Account()
threads = [threading.Thread(target=account.deposit) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("printed by the program")
if "--fail" in sys.argv: raise KeyError("no such account")
if "--interrupt" in sys.argv:
    with open("runs", "a+") as runs:
        runs.write("one more\\n")
        runs.seek(0)
        if len(runs.readlines()) == 3: os.kill(os.getppid(), signal.SIGINT)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "bank.py").write_text(SCENARIOS)
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "pyproject.toml").write_text("[tool.raddle]\nexecutions = 3\n")
    return tmp_path


def raddle(folder, *arguments):
    return processes.run([sys.executable, "-m", "raddle", *arguments], cwd=folder, capture_output=True, text=True)


def json_output(done):
    """Return the JSON output without the duration."""
    data = json.loads(done.stdout)
    del data["seconds"]
    return data


# -- scenarios ----------------------------------------------------------------------------------------

SCENARIO = ("search", "bank.py::scenario", "--evaluations", "6", "--repeat", "10", "--fitness", "map+2*hbpair*")


def test_a_search_shows_findings_the_best_configurations_and_why_it_stopped(folder):
    done = raddle(folder, *SCENARIO, "--save", "best.toml")
    assert done.returncode == 1
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[0].startswith("assertion in T0: AssertionError")
    header = next(
        number for number, line in enumerate(lines) if line.startswith("fitness  map  hbpair*  new  failures")
    )
    shown = [float(line.split()[0]) for line in lines[header + 1 : header + 6]]
    assert shown == sorted(shown, reverse=True)
    assert "6 evaluations, " in done.stderr
    assert "reached the requested number of evaluations" in done.stderr
    assert "added to .raddle" in done.stderr


def test_the_printed_commands_replay_the_finding_and_rerun_the_best_configuration(folder):
    done = raddle(folder, *SCENARIO)
    replay = next(line for line in done.stderr.splitlines() if line.startswith("replay: raddle "))
    assert raddle(folder, *shlex.split(replay)[2:]).returncode == 1
    best = next(line for line in done.stderr.splitlines() if line.startswith("best: raddle "))
    rerun = json.loads(raddle(folder, *shlex.split(best)[2:], "--json").stdout)
    data = json_output(raddle(folder, *SCENARIO, "--json"))
    assert {name: row["covered"] for name, row in rerun["criteria"].items()} == data["best"]["covered"]


@pytest.mark.parametrize("algorithm", ["random", "hill-climbing", "genetic"])
def test_the_seed_determines_the_search(folder, algorithm):
    first, same_seed, other_seed = [
        json_output(raddle(folder, *SCENARIO, "--algorithm", algorithm, "--seed", seed, "--json"))
        for seed in ("5", "5", "6")
    ]
    assert first == same_seed
    assert [run["options"] for run in first["evaluations"]] != [run["options"] for run in other_seed["evaluations"]]
    assert first["best"]["fitness"] == max(run["fitness"] for run in first["evaluations"])
    counts = first["best"]["covered"]
    assert first["best"]["fitness"] == counts["map"] + 2 * counts["hbpair*"]
    assert first["stopped_because"] == "evaluations"


def test_coverage_of_all_evaluations_is_stored(folder):
    data = json_output(raddle(folder, *SCENARIO, "--criteria", "sync", "--data-file", "mine", "--json"))
    contents = read(folder / "mine")
    assert {name: len(keys) for name, keys in contents.tally.covered.items()} == data["covered"]
    assert set(data["covered"]) == {"map", "hbpair*", "sync"}
    assert len(contents.runs) == 6
    assert sum(run.executions for run in contents.runs) == data["executions"]
    assert len(contents.findings) == len(data["findings"]) == 1


def test_the_best_configuration_is_saved_as_settings(folder):
    data = json_output(raddle(folder, *SCENARIO, "--save", "best.toml", "--json"))
    settings = read_config(folder / "best.toml").options()
    options = [part for name, value in settings.items() for part in (f"--{name}", str(value))]
    assert options == data["best"]["options"]


def test_the_search_stops_when_saturated(folder):
    done = raddle(
        folder, "search", "bank.py::scenario", "--repeat", "5", "--saturation", "3", "--fitness", "method-pairs"
    )
    # The only pair of methods is `deposit` with itself. Once that pair is covered, nothing is left to cover.
    assert "saturated: no new coverage in the last 3 evaluations" in done.stderr


def test_a_search_that_covers_nothing_is_reported(folder):
    done = raddle(folder, "search", "bank.py::alone", "--saturation", "2", "--save", "best.toml")
    assert done.returncode == 5
    assert "nothing was covered: no two threads interacted in the measured code" in done.stderr
    assert not (folder / "best.toml").exists()


def test_an_interrupt_keeps_earlier_evaluations(folder):
    done = raddle(folder, "search", "bank.py::interrupted", "--repeat", "10", "--fitness", "map", "--json")
    data = json_output(done)
    assert done.returncode == 2
    assert data["stopped_because"] == "interrupted"
    assert len(data["evaluations"]) > 1
    assert len(read(folder / ".raddle").tally.covered["map"]) == data["covered"]["map"] > 0


# -- commands -----------------------------------------------------------------------------------------


def test_the_search_of_a_command_starts_without_noise(folder):
    done = raddle(
        folder, "search", "--evaluations", "3", "--repeat", "2", "--fitness", "sync", "--save", "best.toml",
        "--json", "script.py", "--algorithm",
    )  # fmt: skip
    data = json_output(done)
    assert (done.returncode, done.stderr) == (0, "")
    assert [run["executions"] for run in data["evaluations"]] == [2, 2, 2]
    assert data["target"] == "script.py --algorithm"
    assert data["evaluations"][0]["options"] == []
    assert all(run["options"][0] == "--noise" for run in data["evaluations"][1:])
    assert len(read(folder / ".raddle").tally.covered["sync"]) == data["covered"]["sync"] > 0
    saved = (folder / "best.toml").read_text()
    assert f"# {data['best']['command']}\n" in saved
    seed = data["best"]["options"][3:]
    assert [str(value) for value in read_config(folder / "best.toml").options().values()] == seed


def test_failing_runs_are_shown_with_their_configuration(folder):
    done = raddle(folder, "search", "--evaluations", "2", "--repeat", "2", "--fitness", "sync", "script.py", "--fail")
    assert done.returncode == 1
    assert done.stderr.startswith(
        "exit code 1: KeyError: 'no such account', in 4 of 4 runs\n  first found with no noise\n"
    )
    assert "printed by the program" not in done.stderr + done.stdout


def test_a_test_suite_can_be_searched(folder):
    (folder / "test_bank.py").write_text("from bank import scenario\n\ndef test_deposits(): scenario()\n")
    done = raddle(
        folder, "search", "--evaluations", "2", "--repeat", "1", "--fitness", "map", "--json",
        "-m", "pytest", "-q", "-p", "no:randomly", "test_bank.py",
    )  # fmt: skip
    data = json_output(done)
    assert done.returncode in (0, 1)  # with noise the test may fail
    assert data["covered"]["map"] > 0
    assert "-m pytest -q" in data["target"]


def test_an_interrupt_of_a_command_keeps_earlier_evaluations(folder):
    done = raddle(folder, "search", "--repeat", "1", "--fitness", "sync", "--json", "script.py", "--interrupt")
    data = json_output(done)
    assert done.returncode == 2
    assert data["stopped_because"] == "interrupted"
    assert [run["whole"] for run in data["evaluations"]] == [True, True, False]
    assert len(read(folder / ".raddle").tally.covered["sync"]) == data["covered"]["sync"] > 0


def test_the_commands_of_the_documentation_work(folder):
    page = (Path(__file__).parents[3] / "docs/search.md").read_text(encoding="utf-8")
    code = re.search(r"<!-- file: account.py -->\n```python\n(.*?)```", page, re.DOTALL)[1]
    (folder / "account.py").write_text(code)
    (folder / "tests").mkdir()
    (folder / "tests/test_account.py").write_text("from account import scenario\n\ndef test_it(): scenario()\n")
    (folder / "conftest.py").write_text("")  # makes pytest add this folder to sys.path
    commands = [
        shlex.split(line, comments=True) for line in re.findall(r"^    raddle (search .*)$", page, re.MULTILINE)
    ]
    assert len(commands) > 3
    for name, *rest in commands:
        done = raddle(folder, name, "--evaluations", "1", "--repeat", "1", *rest)
        assert done.returncode in (0, 1), done.stderr  # the program is faulty, so runs may fail
        assert "1 evaluation, " in done.stderr
        assert "exit code 4" not in done.stderr
    table = re.search(r"```\n(fitness .*?)```", page, re.DOTALL)[1]
    assert table in raddle(folder, *commands[1]).stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_failed_save_is_reported_after_the_findings(folder):
    done = raddle(folder, *SCENARIO, "--save", "/dev/full")
    assert done.returncode == 4
    assert "6 evaluations, " in done.stderr
    assert "/dev/full cannot be written: No space left on device; name another file with --save" in done.stderr
    assert "[output-unwritable]" in done.stderr
    assert "internal error" not in done.stderr  # the finding's own traceback is expected
    assert "saved to" not in done.stderr


def test_an_unwritable_output_file_is_rejected_before_the_search(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "ro").mkdir()
    access = os.access
    # `os.access` is patched, because root can write anywhere, regardless of permissions.
    monkeypatch.setattr(os, "access", lambda file, *how, **more: Path(file).name != "ro" and access(file, *how, **more))
    with pytest.raises(UsageError, match=r"ro/x\.toml cannot be written: permission denied") as raised:
        search.main([*SCENARIO[1:], "--save", "ro/x.toml"], standalone_mode=False)
    assert raised.value.slug == "output-unwritable"
    assert not (folder / ".raddle").exists()


def test_the_combined_coverage_is_shown_with_totals(folder):
    done = raddle(folder, "search", "bank.py::scenario", "--evaluations", "2", "--fitness", "map", "--criteria", "sync")
    # The accesses of the scenario determine the total of `map`. The total of `sync` is never known.
    assert re.search(
        r"^covered by all evaluations together: map \d+ of \d+ \((static|pruned from \d+)\), sync \d+$",
        done.stderr,
        re.M,
    )
    data = json_output(
        raddle(folder, "search", "bank.py::scenario", "--evaluations", "2", "--fitness", "map", "--json")
    )
    total = data["totals"]["map"]
    assert data["covered"]["map"] <= total["total"]
    assert total["total_kind"] in ("static", "pruned")


# -- invalid usage ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "name a scenario or a program"),
        (["bank.py::scenario", "--fitness", "mapp"], "there is no criterion 'mapp'; did you mean map"),
        (["bank.py::scenario", "--fitness", "map-2"], "[bad-fitness]"),
        (["bank.py::scenarium"], "did you mean scenario?"),
        (["bank.py::scenario", "more"], "a scenario takes no arguments: remove 'more'"),
        (["bank.py::scenario", "--run-seconds", "3"], "--run-seconds only applies to programs"),
        (["--switches", "gil", "script.py"], "--switches only applies to scenarios"),
        (["nothing.py"], "there is no file nothing.py"),
        (["-m", "nothing_of_that_name"], "[no-such-module]"),
        (["--save", "nowhere/best.toml", "script.py"], "nowhere/best.toml cannot be written"),
        (["--data-file", "nowhere/data", "script.py"], "[data-file-unreadable]"),
        (["bank.py::scenario", "--algorithm", "annealing"], "annealing"),
    ],
)
def test_invalid_usage_is_reported(folder, arguments, expected):
    done = raddle(folder, "search", *arguments)
    assert done.returncode == 4
    assert expected in done.stderr
    assert "Traceback" not in done.stderr
