"""The watchdog does not time out while the user is at a debugger prompt, or in a replay without a time limit."""

from __future__ import annotations

import bdb
import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import raddle
from raddle.cli.quiet import Quiet
from raddle.cli.screen import Live
from raddle.execute import debugging, watchdog
from raddle.execute.debugging import debuggable, is_debugged, is_debugged_at
from raddle.exploring.progress import ProgressUpdate

# The watchdog checks the execution five times within `patience_seconds`. At the prompt, `enough.acquire()` returns
# after 25 checks, when `patience_seconds` has elapsed several times.
PROGRAM = """
import _thread
import threading
import raddle.execute.watchdog as watchdog

checks = 0
enough = _thread.allocate_lock()
enough.acquire()
plain = watchdog.is_debugged_at

def counting(frame):
    global checks
    answer = plain(frame)
    checks += answer
    if checks == 25:
        enough.release()
    return answer

watchdog.is_debugged_at = counting


class Counter:
    def __init__(self):
        self.value = 0

    def increment(self):
        value = self.value
        stop()
        value = more(value)
        self.value = value


def more(value):
    return value + 1


stops = 0

def stop():
    global stops
    stops += 1
    if stops == 1:
        breakpoint()


def scenario():
    counter = Counter()
    threads = [threading.Thread(target=counter.increment) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("noise")
    assert counter.value == 2, counter.value
"""
SCHEDULE = "T0; T1 until program.py:{line} write value; T2."


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    return file


def debug(program: Path, *arguments: str, commands: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "raddle", *arguments, "--patience-seconds", "0.1"],
        cwd=program.parent,
        input="".join(f"{command}\n" for command in commands),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_replay_waits_at_the_debugger_prompt(program: Path) -> None:
    line = PROGRAM.split("\n").index("        self.value = value") + 1
    commands = ["up", "p value", "down", "!enough.acquire()", "next", "next", "step", "step", "where", "continue"]
    done = debug(program, "replay", "program.py::scenario", SCHEDULE.format(line=line), commands=commands)
    assert "uncontrolled" not in done.stderr
    assert "assertion in T0: AssertionError: 1" in done.stderr
    assert done.returncode == 1
    lines = done.stdout.split("\n")
    assert "(Pdb) > " + str(program) in done.stdout
    assert "(Pdb) 0" in lines  # `p value`, one frame up: nothing has been added yet
    # `where` lists all frames. Only the outermost frames of a thread may belong to raddle.
    stepped = done.stdout.partition("-> self.run()")[0]
    assert "more()" in stepped or "more(" in stepped
    assert "probes.py" not in done.stdout


def test_an_exploration_waits_at_a_visible_debugger_prompt(program: Path) -> None:
    commands = ["!enough.acquire()", "p 6 * 7", "continue"]
    done = debug(
        program, "explore", "program.py::scenario", "--executions", "60", "--until", "budget", commands=commands
    )
    assert "(Pdb) 42\n" in done.stdout
    assert "uncontrolled" not in done.stderr
    assert "assertion in T0: AssertionError: 1" in done.stderr
    assert done.stdout.count("noise") <= 3  # printed by the executions up to the next progress update, not by all 60


@pytest.mark.parametrize("command", ["replay", "explore"])
def test_quitting_the_debugger_ends_the_command(program: Path, command: str) -> None:
    arguments = [command, "program.py::scenario", *(["T0."] if command == "replay" else [])]
    done = debug(program, *arguments, commands=["quit"])
    assert done.returncode == 2
    assert "BdbQuit" not in done.stdout + done.stderr


# -- what counts as a debugger --------------------------------------------------------------------------


@pytest.fixture
def no_tracer() -> Iterator[None]:
    before = sys.gettrace()
    sys.settrace(None)
    yield
    sys.settrace(before)


class Tracer:
    def __call__(self, *args: object) -> None:
        return None


@pytest.mark.usefixtures("no_tracer")
def test_a_trace_function_is_a_debugger_unless_it_belongs_to_coverage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debugging, "_is_monitored", lambda: False)
    assert not is_debugged()
    sys.settrace(Tracer())
    assert is_debugged()
    monkeypatch.setattr(Tracer, "__module__", "coverage.pytracer")
    assert not is_debugged()


@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="since 3.12")
def test_debuggers_that_use_sys_monitoring_are_recognized() -> None:
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
    if monitoring.get_tool(monitoring.DEBUGGER_ID) is not None:
        pytest.skip("this test is being debugged")
    assert not is_debugged_at(None)
    monitoring.use_tool_id(monitoring.DEBUGGER_ID, "a debugger")
    try:
        assert is_debugged_at(None)
        assert is_debugged()
    finally:
        monitoring.free_tool_id(monitoring.DEBUGGER_ID)


@pytest.mark.usefixtures("no_tracer")
def test_a_debugger_in_another_thread_is_recognized_by_its_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debugging, "_is_monitored", lambda: False)
    frame = sys._getframe()
    assert not is_debugged_at(frame)
    frame.f_trace = Tracer()
    assert is_debugged_at(frame)
    frame.f_trace = None

    class Debugger(bdb.Bdb):
        def user_line(self, frame: object) -> None:
            answers.append(is_debugged_at(sys._getframe()))

    answers: list[bool] = []
    Debugger().runcall(int)  # creates no frame, so the debugger never stops
    Debugger().run("1\n2")
    assert answers
    assert all(answers)


# -- entering a debugger --------------------------------------------------------------------------------


class FakeDebugger(bdb.Bdb):
    stdout: Any = None


@pytest.fixture
def entered(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The debuggers that were entered, each with the frame passed to it. A fake `set_trace` records them."""
    calls: list[Any] = []
    monkeypatch.setattr(bdb.Bdb, "set_trace", lambda self, frame=None: calls.append((self, frame)))
    return calls


def test_a_debugger_skips_raddle_frames_and_starts_in_the_caller(entered: list[Any]) -> None:
    before = bdb.Bdb.set_trace
    with debuggable():
        FakeDebugger(skip=["mine"]).set_trace()
    assert bdb.Bdb.set_trace is before
    ((debugger, frame),) = entered
    assert frame is sys._getframe()
    assert debugger.is_skipped_module("raddle.threads.probes.probes")
    assert debugger.is_skipped_module("mine")
    assert not debugger.is_skipped_module("raddle_user")


def test_the_output_of_a_debugger_is_shown(entered: list[Any]) -> None:
    shown = io.StringIO()
    with Quiet(shown) as quiet:
        print("not shown")
        debugger = FakeDebugger()
        debugger.stdout = sys.stdout
        debugger.set_trace()
        print("to the prompt")
        print("of the debugger", file=debugger.stdout)
        quiet.execution_ended()
        print("not shown")
    assert shown.getvalue() == "to the prompt\nof the debugger\n"


def test_the_progress_line_is_not_drawn_after_a_debugger_was_entered(entered: list[Any]) -> None:
    drawn = io.StringIO()
    with Live(Console(file=drawn, force_terminal=True, width=80), total=None) as live:
        live(ProgressUpdate(1, 0, 1.0, {}, 0.0))
        FakeDebugger().set_trace()
        assert drawn.getvalue().endswith("\x1b[2K")  # the progress line has been erased
        before = drawn.getvalue()
        live._last = 0.0
        live(ProgressUpdate(2, 0, 1.0, {}, 0.0))
        assert drawn.getvalue() == before
    assert drawn.getvalue() == before


# -- a replay without a limit ---------------------------------------------------------------------------


@pytest.fixture
def pipe() -> Iterator[int]:
    reader, writer = os.pipe()
    yield reader
    os.close(reader)
    os.close(writer)


@pytest.fixture
def ctrl_c_interrupts() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Impatient(io.StringIO):
    """Simulates a user who presses Ctrl-C when a notice appears."""

    def write(self, text: str) -> int:
        if "Ctrl-C" in text:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return super().write(text)


needs_signals = pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs POSIX signals")


@needs_signals
@pytest.mark.usefixtures("ctrl_c_interrupts")
def test_a_blocked_replay_prints_where_and_ends_on_ctrl_c(pipe: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def scenario() -> None:
        thread = threading.Thread(target=wait)
        thread.start()
        thread.join()

    def wait() -> None:
        os.read(pipe, 1)

    monkeypatch.setattr(watchdog, "NOTICE_SECONDS", 0.1)
    monkeypatch.setattr(sys, "stderr", stderr := Impatient())
    with pytest.raises(KeyboardInterrupt):
        raddle.replay(scenario, "T0; T1.", patience_seconds=None)
    line = wait.__code__.co_firstlineno + 1
    assert stderr.getvalue().startswith("raddle: the execution has been blocked outside raddle's control for 0 s, at ")
    assert f'{__file__}", line {line}, in wait; press Ctrl-C to end it\n' in stderr.getvalue()


@needs_signals
def test_a_blocked_replay_with_a_limit_is_a_finding(pipe: int) -> None:
    def scenario() -> None:
        thread = threading.Thread(target=os.read, args=(pipe, 1))
        thread.start()
        thread.join()

    finding = raddle.replay(scenario, "T0; T1; T0.", patience_seconds=0.1)
    assert finding is not None
    assert finding.kind == "uncontrolled"
