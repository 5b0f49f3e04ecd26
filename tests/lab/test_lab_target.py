"""Křena's experiment on a user's program: its options, and the results kept after an interrupt."""

from __future__ import annotations

import json
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

pytest.importorskip("scipy")
pytest.importorskip("matplotlib")

from raddle_lab import krena

from raddle.cli.lab import lab
from raddle.errors import UsageError

PROGRAM = """\
import threading

class Account:
    def __init__(self):
        self.balance = 0

    def look(self):
        return self.balance

    def deposit(self, amount):
        print("deposit")
        self.balance = self.look() + amount

def scenario():
    account = Account()
    threads = [threading.Thread(target=account.deposit, args=(n,)) for n in (1, 2)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""


@pytest.fixture
def target(tmp_path: Path) -> str:
    file = tmp_path / "some_accounts.py"
    file.write_text(PROGRAM)
    return f"{file}::scenario"


def invoke(*args: str) -> Result:
    return CliRunner().invoke(lab, ["krena", *args], catch_exceptions=False, standalone_mode=False)


def data_of(*args: str) -> dict[str, Any]:
    result = invoke(*args, "--json")
    assert result.return_value == 0
    data: dict[str, Any] = json.loads(result.stdout)  # fails if the program's own output is mixed in
    return data


def test_collection_sets_the_number_of_executions(target: str) -> None:
    data = data_of("--target", target, "--executions", "6", "--collection", "21", "--series", "4")
    (case,) = data["cases"]
    assert (case["collected"], case["series_length"], case["case"]) == (21, 6, target)
    # Each of the two threads reads and writes the balance once. The read returns the initial value or the value that
    # the other thread wrote. There are no published verdicts for this program.
    assert case["table3"]["du-pairs"]["total"] <= 2
    assert {verdict["published"] for verdict in data["verdicts"]["controlled"].values()} == {None}


def test_the_default_collection_is_twice_a_series(target: str) -> None:
    (case,) = data_of("--target", target, "--executions", "5", "--series", "2")["cases"]
    assert case["collected"] == 10


def test_thread_methods_sets_how_threads_are_distinguished(target: str) -> None:
    args = ("--target", target, "--executions", "8", "--series", "2", "--thread-methods")
    (by_none,), (by_one,) = data_of(*args, "0")["cases"], data_of(*args, "1")["cases"]
    # With `--thread-methods 0`, threads are distinguished only by their type, so the two workers are one abstract
    # thread, and the main thread is another. The first method does not distinguish the workers either, because both run
    # `deposit`.
    assert by_none["table2"]["threads_abstract_20"] == by_none["table2"]["threads_type"] == 2
    assert by_one["table2"]["threads_abstract_20"] == 2


@pytest.mark.skipif(sys.platform == "win32", reason="this system cannot fork")
def test_the_noise_option_replaces_the_default_noise(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    requested = []

    def noisy(case: Any, *, noise: Any, **options: Any) -> Any:
        requested.append(list(noise))
        return real(case, noise=noise, **options)

    real = krena.noisy
    monkeypatch.setattr(krena, "noisy", noisy)
    args = ("--target", target, "--executions", "2", "--series", "2", "--mode", "noise")
    (case,) = data_of(*args, "--noise", "busy:strength=0.1")["cases"]
    assert (case["mode"], case["collected"]) == ("noise", 4)
    data_of(*args)
    assert requested == [["busy:strength=0.1"], ["yield:probability=0.2", "sleep:probability=0.02,strength=0.5"]]


def test_a_script_is_run_as_a_program(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(PROGRAM + "scenario()\nimport sys\nsys.exit(len(sys.argv) - 2)\n")
    args = ("--mode", "noise", "--executions", "2", "--collection", "3", "--series", "2")
    (case,) = data_of(*args, "--target", f"{script} one")["cases"]
    assert case["outcomes"] == {"passed": 3}
    assert case["table3"]["blocks"]["total"] > 0
    text = invoke(*args, "--target", f"{script} one two").stdout
    assert "Table 3 (native threads, with noise)" in text
    assert "Table 2" not in text  # a script's objects are not recorded
    (case,) = data_of(*args, "--target", f"{script} one two")["cases"]
    assert case["outcomes"] == {"exception": 3}  # the exit code was 1


def test_the_target_has_tables_and_a_figure(target: str, tmp_path: Path) -> None:
    output = tmp_path / "output"
    result = invoke("--target", target, "--quick", "--series", "2", "--output", str(output))
    assert result.return_value == 0
    assert result.stdout.startswith("--quick: 40 executions are too few")
    assert "paper" not in result.stdout
    assert "deposit\n" not in result.stdout
    assert (output / "krena.txt").read_text(encoding="utf-8") == result.stdout
    assert len(list(output.glob("figure1-*some_accounts-py-scenario-controlled.svg"))) == 1


def test_an_interrupt_keeps_the_executions_of_the_target(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = krena.controlled

    def interrupted_after(executions: int) -> Any:
        def controlled(*args: Any, **options: Any) -> Any:
            yield from islice(real(*args, **options), executions)
            raise KeyboardInterrupt

        return controlled

    monkeypatch.setattr(krena, "controlled", interrupted_after(12))
    result = invoke("--target", target, "--executions", "50", "--series", "2", "--json")
    assert result.return_value == 2
    (case,) = json.loads(result.stdout)["cases"]
    assert (case["collected"], case["series_length"]) == (12, 6)  # a series consists of half of the executions

    monkeypatch.setattr(krena, "controlled", interrupted_after(9))  # too few for any result
    result = invoke("--target", target, "--executions", "50", "--series", "2", "--json")
    assert (result.return_value, json.loads(result.stdout)["cases"]) == (2, [])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--noise", "yield"], "add --mode noise"),
        (["--mode", "noise", "--noise", "loud"], "unknown kind of noise 'loud'"),
        (["--source", "json"], "add --target FILE::FUNCTION"),
        (["--target", "a.py::f", "--cases", "crawler"], "not both"),
        (["--target", "no_such_file.py::f"], "there is no file no_such_file.py"),
        (["--target", "no_function.py"], "name a scenario as file.py::function"),
        (["--target", "no_function.py", "--mode", "both"], "name a scenario as file.py::function"),
        (["--target", "", "--mode", "noise"], "name a program"),
        (["--target", "no_such_file.py", "--mode", "noise"], "there is no file no_such_file.py"),
        (
            ["--executions", "30", "--collection", "20"],
            "series of 30 executions cannot be drawn from a collection of 20",
        ),
    ],
)
def test_conflicting_options_are_a_usage_error(args: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        invoke(*args)
