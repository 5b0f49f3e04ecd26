"""The command that replays a finding includes the options needed to reproduce it."""

from __future__ import annotations

import json
import shlex
import sys

import pytest

import processes
import raddle
from raddle.cli.target import load_scenario
from raddle.replay_options import DEFAULT_REPLAY_OPTIONS, ReplayOptions
from raddle.report.html.replay_commands import finding_command, replay_commands
from raddle.report.sarif import sarif
from raddle.report.stored_findings import stored_findings
from raddle.report.story import story_text
from raddle.store import read

PROGRAM = """\
import threading

class Account:
    def __init__(self): self.total = 0
    @staticmethod
    def open():
        global account
        account = Account()

account = None

def fresh():
    Account.open()

def pay():
    account.total += 1

def scenario():
    threads = [threading.Thread(target=pay) for _ in range(2)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert account.total == 2

also = fresh
"""
# T1 reads the total, then T2 runs to its end before T1 writes.
SCHEDULE = "T0; T1 until {file}:16 write total; T2."


@pytest.fixture
def program(tmp_path, monkeypatch):
    file = tmp_path / f"paid_{tmp_path.name}.py"  # a different module name in each test
    file.write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    return file


def explored(program, *, setup="fresh", **options):
    functions = [load_scenario(f"{program.name}::{name}") for name in ("scenario", setup)]
    return raddle.explore(functions[0], setup=functions[1], **options)


def test_every_option_that_differs_from_its_default_is_in_the_command():
    # The expected texts are what a user would type: the first on the command line, the second in Python.
    schedule = "T0; T1."
    expected = {
        DEFAULT_REPLAY_OPTIONS: ("", ""),
        ReplayOptions(setup="fresh"): (" --setup fresh", ", setup=fresh"),
        ReplayOptions(setup="Account::open"): (" --setup Account::open", ", setup=Account.open"),
        ReplayOptions(source=("shop", "my shop")): (
            " --source shop --source 'my shop'",
            ", source=['shop', 'my shop']",
        ),
        ReplayOptions(isolate="fork", step_limit=9, patience_seconds=0.5): (
            " --isolate fork --step-limit 9 --patience-seconds 0.5",
            ", isolate='fork', step_limit=9, patience_seconds=0.5",
        ),
    }
    for replay_options, (arguments, code) in expected.items():
        assert (
            replay_options.command("a b.py::scenario", schedule)
            == f"raddle replay 'a b.py::scenario' 'T0; T1.'{arguments}"
        )
        assert replay_options.line(schedule) == f"raddle.replay(scenario, 'T0; T1.'{code})"
        assert ReplayOptions.from_json(json.loads(json.dumps(replay_options.as_json()))) == replay_options


@pytest.mark.parametrize("value", [None, 3, [], {"source": 3}, {"color": "red"}])
def test_invalid_stored_options_are_replaced_by_the_defaults(value):
    assert ReplayOptions.from_json(value) == DEFAULT_REPLAY_OPTIONS


def test_options_with_default_values_are_not_stored(program):
    (finding,) = explored(program, scheduler="pos", step_limit=50_000, patience_seconds=5.0, isolate="none").findings
    assert finding.replay_options == ReplayOptions(setup="fresh")


@pytest.mark.parametrize(
    ("setup", "called"), [("fresh", "fresh"), ("also", "fresh"), ("Account::open", "Account::open")]
)
def test_the_name_of_a_setup_function_can_be_loaded(program, setup, called):
    (finding,) = explored(program, setup=setup, scheduler="pos").findings
    assert finding.replay_options.setup == called
    command = story_text(finding, f"{program.name}::scenario").split("\n")[-1]
    assert command.endswith(f" --setup {called}")
    assert load_scenario(f"{program.name}::{called}") == load_scenario(f"{program.name}::{setup}")


@pytest.mark.parametrize("workers", [None, 2])
def test_options_are_stored_in_the_data_file_and_appear_in_every_report(program, tmp_path, workers):
    file = tmp_path / "data"
    result = explored(
        program, source=[program.name], step_limit=900, data_file=file, executions=40, until="budget", workers=workers
    )
    contents = read(file)
    schedule = SCHEDULE.format(file=program.name)
    arguments = f" --setup fresh --source {program.name} --step-limit 900"
    command = f"raddle replay {program.name}::scenario '{schedule}'{arguments}"
    (finding,) = result.findings
    assert finding.as_json()["options"] == {"setup": "fresh", "source": [program.name], "step_limit": 900}
    (stored,) = stored_findings(contents)
    assert stored.replay == command
    assert stored.story.endswith(f"replay: {command}")
    assert finding_command(stored) == command
    assert f"replay: {command}" in sarif(contents, version="1")["runs"][0]["results"][0]["message"]["text"]
    shown = replay_commands(contents)
    assert shown
    assert all(command.endswith(arguments) for command in shown.values())


def test_the_printed_command_reproduces_the_failure(program):
    def run(*arguments):
        command = [sys.executable, "-m", "raddle", *arguments]
        return processes.run(command, cwd=program.parent, capture_output=True, text=True)

    target = f"{program.name}::scenario"
    first = run("explore", target, "--setup", "fresh", "--scheduler", "pos", "--criteria", "none")
    (line,) = (line for line in first.stderr.split("\n") if line.startswith("replay: "))
    replayed = run(*shlex.split(line.removeprefix("replay: raddle ")))
    assert (first.returncode, replayed.returncode) == (1, 1)
    assert line in replayed.stderr.split("\n")
