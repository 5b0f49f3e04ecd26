"""The commands as users run them: output on stdout and stderr, and exit codes."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys

import pytest

import processes
import warm
from raddle import env
from raddle.store import read

COUNTER = """\
import os, threading

class Counter:
    def __init__(self): self.value = 0
    def increment(self): self.value += 1

def scenario():
    c = Counter()
    ts = [threading.Thread(target=c.increment) for _ in range(2)]
    for t in ts: t.start()
    for t in ts: t.join()
    assert c.value == 2

def fine():
    t = threading.Thread(target=print)
    t.start()
    t.join()

def needs(argument): pass
class Thing: pass
value = 3

def ready():
    os.write(int(os.environ["READY"]), b"!")

def slow():
    ready()
    c = Counter()
    ts = [threading.Thread(target=c.increment) for _ in range(3)]
    for t in ts: t.start()
    for t in ts: t.join()

def spins():
    ready()
    ts = [threading.Thread(target=spin) for _ in range(2)]
    for t in ts: t.start()
    for t in ts: t.join()

FLAG = Counter()
def spin():
    while FLAG.value >= 0: FLAG.value += 1
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "counter.py").write_text(COUNTER)
    return tmp_path


def raddle(folder, *arguments):
    return warm.run("raddle", *arguments, cwd=folder)


def test_explore_prints_the_story_and_the_replay_command(folder):
    done = raddle(folder, "explore", "counter.py::scenario")
    assert done.returncode == 1
    assert done.stdout == ""
    lines = done.stderr.split("\n")
    build = "only on free-threaded builds" if env.gil_enabled() else "can happen on this interpreter"
    assert lines[0].startswith(f"assertion in T0: AssertionError ({build}")
    preemptions = [line for line in lines if "is preempted here; its next step: counter.py:5 write value" in line]
    assert len(preemptions) == 1
    assert "assert c.value == 2" in done.stderr
    (command,) = [line for line in lines if line.startswith("replay: ")]
    assert command == "replay: raddle replay counter.py::scenario 'T0; T1 until counter.py:5 write value; T2.'"
    assert "seed 1" in done.stderr
    assert str(os.path.dirname(__file__)) not in done.stderr


def test_the_printed_schedule_replays_every_time(folder):
    schedule = "T0; T2 until counter.py:5 write value; T1."
    replays = [raddle(folder, "replay", "counter.py::scenario", schedule) for _ in range(2)]
    assert [done.returncode for done in replays] == [1, 1]
    assert replays[0].stderr == replays[1].stderr
    assert replays[0].stderr.startswith("assertion in T0: AssertionError")


def test_explore_prints_its_result_as_json(folder):
    done = raddle(folder, "explore", "counter.py::scenario", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["outcome"] == "assertion"
    assert found["executions"] >= 1
    assert found["scheduling_points"] >= 1
    assert found["seconds"] > 0
    assert found["stopped_because"] == "saturated"
    assert found["schedulers"]["pos"]["executions"] == pytest.approx(found["executions"] / 2, abs=1)
    assert found["seed"] == 1
    assert found["not_instrumented"] == []
    (finding,) = found["findings"]
    assert finding["kind"] == "assertion"
    assert finding["possible_on"] == ("free-threaded-only" if env.gil_enabled() else "this-interpreter")
    assert finding["schedule"].endswith(".")
    assert finding["replay"] == shlex.join(["raddle", "replay", "counter.py::scenario", finding["schedule"]])
    assert {"thread", "file", "line", "operation", "variable"} <= finding["steps"][0].keys()
    writes = [s for s in finding["steps"] if s["operation"] == "write" and s["thread"] != "T0"]
    assert [(s["file"], s["line"], s["variable"], s["value"]) for s in writes] == [
        ("counter.py", 5, "Counter.value", "1"),
        ("counter.py", 5, "Counter.value", "1"),
    ]


def test_replay_prints_its_outcome_as_json(folder):
    done = raddle(folder, "replay", "counter.py::fine", "T0.", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["outcome"] == "passed"  # stdout does not contain the output of the scenario


def test_output_of_the_scenario_is_not_mixed_with_json(folder):
    done = raddle(folder, "explore", "counter.py::fine", "--json", "--executions", "5")
    assert json.loads(done.stdout)["executions"] == 5


def test_a_scenario_without_threads_is_reported(folder):
    (folder / "alone.py").write_text("def scenario(): pass\n")
    assert "the scenario started no thread" in raddle(folder, "explore", "alone.py::scenario").stderr


def test_an_exhaustive_search_reports_exhausted(folder):
    done = raddle(folder, "explore", "counter.py::scenario", "--scheduler", "exhaustive", "--switches", "gil")
    assert done.returncode == 0
    assert "exhausted: every schedule tried; no failure is possible within raddle's limits" in done.stderr


def test_the_command_line_overrides_pyproject(folder):
    (folder / "pyproject.toml").write_text('[tool.raddle]\nexecutions = 3\nuntil = "budget"\nseed = 5\n')
    found = json.loads(raddle(folder, "explore", "counter.py::slow", "--json").stdout)
    assert (found["executions"], found["seed"]) == (3, 5)
    found = json.loads(raddle(folder, "explore", "counter.py::slow", "--json", "--executions", "4").stdout)
    assert (found["executions"], found["seed"]) == (4, 5)


@pytest.mark.parametrize(
    ("more", "measured"),
    [
        ([], None),  # a scheduler without targets needs no criteria
        (["--data-file", "data"], {"map", "hbpair*", "sync", "method-pairs"}),
        (["--data-file", "data", "--criteria", "sync"], {"sync"}),
        (["--data-file", "data", "--criteria", "none"], None),
    ],
)
def test_naming_a_data_file_measures_the_default_criteria(folder, more, measured):
    done = raddle(folder, "explore", "counter.py::fine", "--scheduler", "random", "--executions", "2", *more)
    assert done.returncode == 0
    assert not (folder / ".raddle").exists()
    assert (folder / "data").exists() == (measured is not None) == ("added to data" in done.stderr)
    if measured is not None:
        assert set(read(folder / "data").criteria) == measured


def test_the_same_seed_gives_the_same_json(folder):
    runs = [
        json.loads(
            raddle(
                folder, "explore", "counter.py::scenario", "--json", "--seed", "9", "--until", "budget", "--no-corpus"
            ).stdout
        )
        for _ in range(2)
    ]
    for run in runs:
        del run["seconds"]
    assert runs[0] == runs[1]


def test_setup_is_called_before_each_execution(tmp_path):
    (tmp_path / "state.py").write_text(
        "import threading\nseen = []\ndef reset(): seen.clear()\n"
        "def scenario():\n    t = threading.Thread(target=seen.append, args=(1,))\n    t.start()\n    t.join()\n"
        "    assert seen == [1]\n"
    )
    assert raddle(tmp_path, "explore", "state.py::scenario", "--setup", "reset").returncode == 0
    assert raddle(tmp_path, "explore", "state.py::scenario", "--isolate", "fork", "--executions", "5").returncode == 0
    leaked = raddle(tmp_path, "explore", "state.py::scenario", "--json")
    assert leaked.returncode == 1
    (finding,) = json.loads(leaked.stdout)["findings"]
    assert finding["kind"] == "divergence"
    assert "state survives from one execution to the next" in finding["message"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["explore", "nofile.py::scenario"], "there is no file nofile.py"),
        (["explore", ".::scenario"], "is a folder; name a file in it"),
        (["explore", "counter.py"], "name a scenario as file.py::function, not 'counter.py'"),
        (["explore", "counter.py::scenaro"], "counter.py has no function 'scenaro'; did you mean scenario?"),
        (["explore", "counter.py::Thing"], "counter.py::Thing is not a function: it is a class"),
        (["explore", "counter.py::value"], "is not a function: 3 (type int)"),
        (["explore", "counter.py::needs"], "takes parameters (argument)"),
        (["explore", "broken.py::scenario"], "broken.py:2 is not valid Python"),
        (["explore", "raising.py::scenario"], "ZeroDivisionError"),
        (["explore", "counter.py::scenario", "--scheduler", "randm"], "did you mean random?"),
        (["explore", "counter.py::scenario", "--executions", "0"], "--executions"),
        (["explore", "counter.py::scenario", "--seconds", "nan"], "seconds must be more than 0, not nan"),
        (["explore", "counter.py::scenario", "--until", "exhausted"], "needs a scheduler that can run all schedules"),
        (["explore", "counter.py::scenario", "--source", "nope"], "source 'nope' is neither a module"),
        (["explore", "counter.py::scenario", "--seed", "x"], "neither a whole number nor 'random'"),
        (["replay", "counter.py::scenario", "T0; T2 until counter.py:5 wri"], "must end with a period"),
        (["replay", "counter.py::scenario", "T0; hello."], "segment 2 of the schedule is not of the form"),
        (["replay", "counter.py::scenario", ""], "the schedule is empty"),
        (
            ["replay", "counter.py::fine", "T0; T2 until counter.py:5 write value; T1."],
            "does not fit this code: segment 2",
        ),
        (["explor"], "No such command"),
    ],
)
def test_invalid_input_gives_a_message_and_exit_code_4(folder, arguments, expected):
    (folder / "broken.py").write_text("def scenario():\n    return (\n")
    (folder / "raising.py").write_text("1 / 0\n")
    done = raddle(folder, *arguments)
    assert done.returncode == 4, done.stderr
    assert expected in done.stderr
    assert f"raddle{os.sep}cli" not in done.stderr  # no traceback with raddle's frames
    assert "internal error" not in done.stderr


@pytest.mark.parametrize(
    ("body", "kind", "expected"),
    [
        ("import sys; sys.exit(3)", "exception", "the scenario called sys.exit(3)"),
        ("raise KeyboardInterrupt", "exception", "the scenario raised KeyboardInterrupt"),
        ("import os; os.fork()", "uncontrolled", "the scenario forks"),
    ],
)
def test_exits_interrupts_and_forks_of_a_scenario_are_findings(tmp_path, body, kind, expected):
    (tmp_path / "odd.py").write_text(f"def scenario():\n    {body}\n")
    done = raddle(tmp_path, "explore", "odd.py::scenario", "--json")
    assert done.returncode == 1
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["kind"] == kind
    assert expected in finding["message"]


def test_an_unjoined_thread_is_waited_for_and_a_daemon_is_not(tmp_path):
    (tmp_path / "left.py").write_text(
        "import queue, threading\n"
        "def unjoined():\n    threading.Thread(target=fails).start()\n"
        "def daemon():\n    threading.Thread(target=queue.Queue().get, daemon=True).start()\n"
        "def fails(): raise ValueError('late')\n"
    )
    assert "ValueError: late" in raddle(tmp_path, "explore", "left.py::unjoined").stderr
    assert raddle(tmp_path, "explore", "left.py::daemon", "--executions", "5").returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(("scenario", "number"), [("slow", "SIGINT"), ("spins", "SIGINT"), ("slow", "SIGTERM")])
def test_ctrl_c_ends_cleanly_with_what_was_found(folder, scenario, number):
    """SIGTERM, which `timeout` sends, has the same effect as Ctrl-C."""
    command = [
        sys.executable, "-m", "raddle", "explore", f"counter.py::{scenario}", "--seconds", "600", "--json",
        "--until", "budget", "--step-limit", "1000000000",
    ]  # fmt: skip
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with processes.ready(command, cwd=folder, **output) as process:  # the process is in the middle of an execution
        process.send_signal(signal.Signals[number])
        out, err = process.communicate(timeout=processes.HANG_SECONDS)
    assert process.returncode == 2, err
    assert json.loads(out)["stopped_because"] == "interrupted"


def test_demo_shows_the_example_of_the_paper(tmp_path):
    done = raddle(tmp_path, "demo")
    assert done.returncode == 0
    assert "AttributeError: 'NoneType' object has no attribute 'level'" in done.stderr
    assert "is preempted here; its next step: appender.py:19 read th" in done.stderr
    assert "exhausted" in done.stderr
    assert list(tmp_path.iterdir()) == []
    kept = raddle(tmp_path, "demo", "--into", "here", "--json")
    assert json.loads(kept.stdout)["found"]["outcome"] == "exception"
    command = json.loads(kept.stdout)["found"]["findings"][0]["schedule"]
    assert raddle(tmp_path / "here", "replay", "appender.py::scenario", command).returncode == 1


def test_help_names_the_commands_and_exit_codes(tmp_path):
    done = raddle(tmp_path, "--help")
    assert done.returncode == 0
    for word in ("explore", "replay", "demo", "Exit codes"):
        assert word in done.stdout


CHANGING = """\
import threading

runs = []

class Box:
    n = 0

def scenario():
    runs.append(1)
    box = Box()

    def add():
        box.n += 1

    # The first seven executions have three threads, later ones have two, and then one.
    count = 3 if len(runs) < 8 else 2 if len(runs) < 12 else 1
    ts = [threading.Thread(target=add) for _ in range(count)]
    for t in ts: t.start()
    for t in ts: t.join()
"""


def test_an_exhaustive_search_explains_that_a_program_is_not_repeatable(folder):
    (folder / "changing.py").write_text(CHANGING)
    done = raddle(folder, "explore", "changing.py::scenario", "--scheduler", "exhaustive")
    assert done.returncode == 4, done.stderr
    assert done.stderr.startswith("raddle: the program does not do the same in every execution: T")
    assert done.stderr.endswith(" [not-repeatable]\n")
    assert done.stderr.count("\n") == 1
