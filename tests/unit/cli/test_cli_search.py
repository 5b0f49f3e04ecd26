"""`raddle search`, as users run it."""

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


def found(done):
    """The data, without what the clock says."""
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


def test_what_is_found_replays_and_what_is_best_runs_again(folder):
    done = raddle(folder, *SCENARIO)
    replay = next(line for line in done.stderr.splitlines() if line.startswith("replay: raddle "))
    assert raddle(folder, *shlex.split(replay)[2:]).returncode == 1
    best = next(line for line in done.stderr.splitlines() if line.startswith("best: raddle "))
    again = json.loads(raddle(folder, *shlex.split(best)[2:], "--json").stdout)
    data = found(raddle(folder, *SCENARIO, "--json"))
    assert {name: row["covered"] for name, row in again["criteria"].items()} == data["best"]["covered"]


@pytest.mark.parametrize("algorithm", ["random", "hill-climbing", "genetic"])
def test_the_seed_decides_everything(folder, algorithm):
    one, same, other = [
        found(raddle(folder, *SCENARIO, "--algorithm", algorithm, "--seed", seed, "--json")) for seed in ("5", "5", "6")
    ]
    assert one == same
    assert [run["options"] for run in one["evaluations"]] != [run["options"] for run in other["evaluations"]]
    assert one["best"]["fitness"] == max(run["fitness"] for run in one["evaluations"])
    counts = one["best"]["covered"]
    assert one["best"]["fitness"] == counts["map"] + 2 * counts["hbpair*"]
    assert one["stopped_because"] == "evaluations"


def test_all_that_was_covered_is_in_the_data_file(folder):
    data = found(raddle(folder, *SCENARIO, "--criteria", "sync", "--data-file", "mine", "--json"))
    contents = read(folder / "mine")
    assert {name: len(keys) for name, keys in contents.tally.covered.items()} == data["covered"]
    assert set(data["covered"]) == {"map", "hbpair*", "sync"}
    assert len(contents.runs) == 6
    assert sum(run.executions for run in contents.runs) == data["executions"]
    assert len(contents.findings) == len(data["findings"]) == 1


def test_the_best_is_saved_as_settings(folder):
    data = found(raddle(folder, *SCENARIO, "--save", "best.toml", "--json"))
    settings = read_config(folder / "best.toml").options()
    options = [part for name, value in settings.items() for part in (f"--{name}", str(value))]
    assert options == data["best"]["options"]


def test_it_saturates(folder):
    done = raddle(
        folder, "search", "bank.py::scenario", "--repeat", "5", "--saturation", "3", "--fitness", "method-pairs"
    )
    # There is one pair of methods, deposit beside deposit: nothing is new once it is covered.
    assert "saturated: none of the last 3 evaluations covered anything new" in done.stderr


def test_nothing_to_cover_is_said(folder):
    done = raddle(folder, "search", "bank.py::alone", "--saturation", "2", "--save", "best.toml")
    assert done.returncode == 5
    assert "nothing was covered: no two threads interacted in the measured code" in done.stderr
    assert not (folder / "best.toml").exists()


def test_an_interrupt_keeps_what_was_found(folder):
    done = raddle(folder, "search", "bank.py::interrupted", "--repeat", "10", "--fitness", "map", "--json")
    data = found(done)
    assert done.returncode == 2
    assert data["stopped_because"] == "interrupted"
    assert len(data["evaluations"]) > 1
    assert len(read(folder / ".raddle").tally.covered["map"]) == data["covered"]["map"] > 0


# -- commands -----------------------------------------------------------------------------------------


def test_a_command_is_searched_from_no_noise_on(folder):
    done = raddle(
        folder, "search", "--evaluations", "3", "--repeat", "2", "--fitness", "sync", "--save", "best.toml",
        "--json", "script.py", "--algorithm",
    )  # fmt: skip
    data = found(done)
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


def test_runs_that_fail_are_shown_with_their_configuration(folder):
    done = raddle(folder, "search", "--evaluations", "2", "--repeat", "2", "--fitness", "sync", "script.py", "--fail")
    assert done.returncode == 1
    assert done.stderr.startswith(
        "exit code 1: KeyError: 'no such account', in 4 of 4 runs\n  first found with no noise\n"
    )
    assert "printed by the program" not in done.stderr + done.stdout


def test_a_test_suite_is_searched(folder):
    (folder / "test_bank.py").write_text("from bank import scenario\n\ndef test_deposits(): scenario()\n")
    done = raddle(
        folder, "search", "--evaluations", "2", "--repeat", "1", "--fitness", "map", "--json",
        "-m", "pytest", "-q", "-p", "no:randomly", "test_bank.py",
    )  # fmt: skip
    data = found(done)
    assert done.returncode in (0, 1)  # noise may make it fail
    assert data["covered"]["map"] > 0
    assert "-m pytest -q" in data["target"]


def test_an_interrupt_of_a_command_keeps_what_was_found(folder):
    done = raddle(folder, "search", "--repeat", "1", "--fitness", "sync", "--json", "script.py", "--interrupt")
    data = found(done)
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
    (folder / "conftest.py").write_text("")  # so that pytest finds what lies beside it
    commands = [
        shlex.split(line, comments=True) for line in re.findall(r"^    raddle (search .*)$", page, re.MULTILINE)
    ]
    assert len(commands) > 3
    for name, *rest in commands:
        done = raddle(folder, name, "--evaluations", "1", "--repeat", "1", *rest)
        assert done.returncode in (0, 1), done.stderr  # it is a faulty program
        assert "1 evaluation, " in done.stderr
        assert "exit code 4" not in done.stderr
    table = re.search(r"```\n(fitness .*?)```", page, re.DOTALL)[1]
    assert table in raddle(folder, *commands[1]).stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_what_cannot_be_saved_after_all_is_said_after_what_was_found(folder):
    done = raddle(folder, *SCENARIO, "--save", "/dev/full")
    assert done.returncode == 4
    assert "6 evaluations, " in done.stderr
    assert "/dev/full cannot be written: No space left on device; name another file with --save" in done.stderr
    assert "[output-unwritable]" in done.stderr
    assert "internal error" not in done.stderr  # the story of the finding has a traceback of its own
    assert "saved to" not in done.stderr


def test_a_file_that_may_not_be_written_is_refused_before_the_search(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "ro").mkdir()
    may = os.access
    # Whoever runs the tests may be allowed everything: so the answer is given for the system.
    monkeypatch.setattr(os, "access", lambda file, *how, **more: Path(file).name != "ro" and may(file, *how, **more))
    with pytest.raises(UsageError, match=r"ro/x\.toml cannot be written: permission denied") as refused:
        search.main([*SCENARIO[1:], "--save", "ro/x.toml"], standalone_mode=False)
    assert refused.value.slug == "output-unwritable"
    assert not (folder / ".raddle").exists()


def test_what_all_covered_has_totals(folder):
    done = raddle(folder, "search", "bank.py::scenario", "--evaluations", "2", "--fitness", "map", "--criteria", "sync")
    # The accesses of the scenario are known, so the requirements of map are; those of sync are never known.
    assert re.search(
        r"^covered by all evaluations together: map \d+ of \d+ \((static|pruned from \d+)\), sync \d+$",
        done.stderr,
        re.M,
    )
    data = found(raddle(folder, "search", "bank.py::scenario", "--evaluations", "2", "--fitness", "map", "--json"))
    total = data["totals"]["map"]
    assert data["covered"]["map"] <= total["total"]
    assert total["total_kind"] in ("static", "pruned")


# -- what is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a scenario or a program"),
        (["bank.py::scenario", "--fitness", "mapp"], "there is no criterion 'mapp'; did you mean map"),
        (["bank.py::scenario", "--fitness", "map-2"], "[bad-fitness]"),
        (["bank.py::scenarium"], "did you mean scenario?"),
        (["bank.py::scenario", "more"], "a scenario takes no arguments: remove 'more'"),
        (["bank.py::scenario", "--run-seconds", "3"], "--run-seconds only applies to commands"),
        (["--switches", "gil", "script.py"], "--switches only applies to scenarios"),
        (["nothing.py"], "there is no file nothing.py"),
        (["-m", "nothing_of_that_name"], "[no-such-module]"),
        (["--save", "nowhere/best.toml", "script.py"], "nowhere/best.toml cannot be written"),
        (["--data-file", "nowhere/data", "script.py"], "[data-file-unreadable]"),
        (["bank.py::scenario", "--algorithm", "annealing"], "annealing"),
    ],
)
def test_wrong_usage_is_said(folder, arguments, said):
    done = raddle(folder, "search", *arguments)
    assert done.returncode == 4
    assert said in done.stderr
    assert "Traceback" not in done.stderr
