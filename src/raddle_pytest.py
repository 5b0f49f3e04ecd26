"""The pytest plugin, which runs each test marked `raddle` many times, with different interleavings.

Every pytest run in an environment with raddle loads this module, so it imports nothing from raddle before a marked test
runs.
(Under `raddle run` the plugin may be imported before pytest, hence PYTEST_DONT_REWRITE.)
"""

from __future__ import annotations

import argparse
import difflib
import functools
import inspect
import os
import random
import sys
import unittest
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from _pytest._code.code import ExceptionChainRepr, ExceptionRepr, ReprEntry, ReprFileLocation, ReprTraceback

if TYPE_CHECKING:
    from raddle.finding import Finding
    from raddle.native.enclosing_run import EnclosingRun
    from raddle.origin import Origin
    from raddle.result import Result

MARKER = (
    "raddle(executions=1000, seed=1, ...): explore the interleavings of the threads that the test starts; "
    "takes the keyword options of raddle.explore"
)
REPLAY_PATIENCE_SECONDS = 24 * 3600.0  # a user who replays a test may be using a debugger


@dataclass(frozen=True, slots=True)
class StoryReport:
    """The parts of a test's report that describe a finding."""

    error: BaseException  # the exception that the test raises
    story: str
    is_whole: bool  # True if the story replaces pytest's own report of the exception
    replay: list[str]  # the replay command; empty if there is none


_OPTIONS = pytest.StashKey[dict[str, Any]]()
_STORY = pytest.StashKey[str]()
_TEST_RESULT = pytest.StashKey[dict[str, Any]]()
_STORY_REPORT = pytest.StashKey[StoryReport]()

# -- options ----------------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("raddle", "interleavings of threads")
    group.addoption(
        "--raddle-executions",
        type=_count,
        metavar="N",
        help="Number of executions of each test with the raddle marker; overrides the marker.",
    )
    group.addoption(
        "--raddle-seed",
        type=_seed,
        metavar="N|random",
        help="Seed for the tests with the raddle marker; overrides the markers.",
    )
    group.addoption(
        "--raddle-story",
        choices=["short", "full"],
        help="Fold the steps that do not explain a failure (short), or show every step (full).",
    )
    group.addoption(
        "--raddle-replay",
        metavar="SCHEDULE",
        help="Run each selected test with the raddle marker only once, under a schedule that raddle has printed.",
    )


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, not {text!r}")
    return int(text)


def _seed(text: str) -> int:
    if text == "random":
        return random.SystemRandom().randrange(1, 1 << 31)
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number or 'random', not {text!r}")
    return int(text)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)
    config.pluginmanager.register(Tally(config), "raddle-tally")
    config.option.raddle_seed = getattr(config, "workerinput", {}).get("raddle_seed", config.option.raddle_seed)
    schedule = config.getoption("raddle_replay")
    if schedule is not None:
        from raddle.errors import ScheduleError
        from raddle.schedule import Schedule

        try:
            Schedule.parse(schedule)
        except ScheduleError as error:
            raise pytest.UsageError(f"--raddle-replay: {error}") from None


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Pass the seed to the workers of pytest-xdist, which would otherwise draw different random seeds."""
    node.workerinput["raddle_seed"] = node.config.option.raddle_seed


def pytest_runtest_setup(item: pytest.Item) -> None:
    marks = list(item.iter_markers("raddle"))
    if marks:
        _refuse_unsuitable(item)
        item.stash[_OPTIONS] = _options(item.config, marks)


def _options(config: pytest.Config, marks: Iterable[pytest.Mark]) -> dict[str, Any]:
    """Return the options for `raddle.explore`, by precedence: command line, nearest marker, pyproject.toml."""
    from raddle.config import load
    from raddle.errors import RaddleError
    from raddle.story_length import StoryLength

    try:
        project = load(config.rootpath)
    except RaddleError as error:
        _refuse(str(error))
    options = project.options()
    if project.story is not None:
        options["story"] = project.story
    run = _enclosing_run()
    if run is not None:  # the enclosing run has already applied pyproject.toml
        options.pop("data_file", None)
        options["criteria"] = run.criteria
    for mark in reversed(list(marks)):
        _check_mark(mark)
        options.update(mark.kwargs)
    for name in ("executions", "seed", "story"):
        value = config.getoption(f"raddle_{name}")
        if value is not None:
            options[name] = value
    try:
        StoryLength.parse(options.get("story", "short"))
    except RaddleError as error:
        _refuse(str(error))
    return options


def _enclosing_run() -> EnclosingRun | None:
    """Return the `raddle run` that measures this process, if there is one."""
    from raddle.native.enclosing_run import EnclosingRun

    return EnclosingRun.from_environment(os.environ)


def _check_mark(mark: pytest.Mark) -> None:
    from raddle.api import explore

    known = [name for name in inspect.signature(explore).parameters if name not in ("scenario", "progress")]
    known.append("story")
    if mark.args:
        _refuse(f"the marker takes only keyword options, not {mark.args[0]!r} (valid options: {', '.join(known)})")
    for name in mark.kwargs:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            _refuse(f"the marker has no option {name!r}{hint} (valid options: {', '.join(known)})")
    setup = mark.kwargs.get("setup")
    if setup is not None and not callable(setup):
        _refuse(f"the marker's setup must be a function, not {setup!r}")


def _refuse_unsuitable(item: pytest.Item) -> None:
    instead = "call raddle.check(scenario) in the test instead of marking it"
    if not isinstance(item, pytest.Function):
        _refuse(f"the raddle marker applies only to test functions, and this is a {type(item).__name__}; {instead}")
    if item.cls is not None and issubclass(item.cls, unittest.TestCase):
        _refuse(f"the raddle marker does not apply to methods of a unittest.TestCase; {instead}")
    test = inspect.unwrap(item.obj)
    if inspect.iscoroutinefunction(test) or inspect.isasyncgenfunction(test):
        _refuse("the raddle marker does not apply to async tests: raddle explores threads, not tasks")
    if getattr(item.obj, "is_hypothesis_test", False):
        reason = "each execution would run the test many times"
        _refuse(f"the raddle marker does not apply to Hypothesis tests, because {reason}; {instead}")


def _refuse(why: str) -> NoReturn:
    pytest.fail(f"raddle: {why}", pytrace=False)


# -- running a marked test --------------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> object | None:
    __tracebackhide__ = True
    options = pyfuncitem.stash.get(_OPTIONS, None)
    if options is None:
        return None
    from raddle.engine.carrier import getcurrent
    from raddle.errors import RaddleError

    options = {**options, "setup": _fresh_fixtures(pyfuncitem, options.get("setup"))}
    pyfuncitem.stash[_STORY] = options.pop("story", "short")
    run = _explore if pyfuncitem.config.getoption("raddle_replay") is None else _replay
    tracer: Any = _tracer_without_greenlets()
    if tracer is not None:  # set and reset in the same frame, to keep the tracer's call stack balanced
        tracer.concur_id_func = getcurrent
    refusal = None
    try:
        error = run(pyfuncitem, options)
    except RaddleError as refused:
        refusal = error = pytest.fail.Exception(f"raddle: {refused}", pytrace=False)
    except Exception as raised:
        _hide_raddle_frames(raised, keep_internal_errors=True)
        error = raised
    finally:
        if tracer is not None:
            tracer.concur_id_func = None
    if error is not None:
        __tracebackhide__ = refusal is None  # pytest complains if every frame of a traceback is hidden
        raise error
    return True


def _tracer_without_greenlets() -> object | None:
    """Return coverage.py's tracer if it is not configured for greenlets, otherwise None.

    Such a tracer mixes the calls of all threads into one stack, and reports lines of functions that were not called.
    """
    tracer = sys.gettrace()
    return tracer if getattr(tracer, "concur_id_func", ...) is None else None


def _explore(item: pytest.Function, options: dict[str, Any]) -> BaseException | None:
    from raddle.api import explore, require_tested
    from raddle.refusal import unwatched_calls
    from raddle.report.stop_text import stop_text
    from raddle.stop_reason import StopReason

    scenario = _scenario(item)
    result = explore(scenario, **{"until": "first-finding", **options})
    item.stash[_TEST_RESULT] = {
        "executions": result.executions,
        "seed": result.seed,
        "stopped": stop_text(result),
        "notes": list(result.notes),
        "unwatched": unwatched_calls(result.not_instrumented),
    }
    if result.not_stored:
        item.stash[_TEST_RESULT]["lost"] = result.not_stored
    if "data_file" not in options:
        _add_to_run(item, result)
    if result.stopped_because is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    if not result.findings:
        require_tested(result)
        return None
    finding = next((f for f in result.findings if not _is_own_verdict(f)), result.findings[0])
    return _error_to_raise(item, _reproduce(item, scenario, finding, options), result)


def _add_to_run(item: pytest.Function, result: Result) -> None:
    """Add the coverage of a test to the enclosing `raddle run`. The test does not fail if this is impossible."""
    from raddle.errors import RaddleError

    run = _enclosing_run()
    if run is None or result.record is None:
        return
    origin = str(_origin(item))
    pairs = zip(result.record.findings, result.findings, strict=True)
    findings = tuple({**stored, "origin": origin} for stored, finding in pairs if not _is_own_verdict(finding))
    try:
        item.stash[_TEST_RESULT]["notes"] += run.add(replace(result.record, origin=origin, findings=findings))
    except RaddleError as error:
        item.stash[_TEST_RESULT]["lost"] = str(error)


def _replay(item: pytest.Function, options: dict[str, Any]) -> BaseException | None:
    item.stash[_TEST_RESULT] = {"replayed": True}
    options = {"patience_seconds": REPLAY_PATIENCE_SECONDS, **options}
    finding = _follow(_scenario(item), item.config.getoption("raddle_replay"), options)
    return None if finding is None else _error_to_raise(item, finding)


def _follow(scenario: Callable[[], object], schedule: Any, options: dict[str, Any]) -> Finding | None:
    from raddle.api import replay

    known = inspect.signature(replay).parameters
    settings = {name: value for name, value in options.items() if name in known}
    settings["isolate"] = None  # there is only one execution, and a child process returns exceptions as text
    return replay(scenario, schedule, **settings)


def _reproduce(
    item: pytest.Function, scenario: Callable[[], object], finding: Finding, options: dict[str, Any]
) -> Finding:
    """Reproduce the finding, so that the captured output and log are those of the failing execution."""
    from raddle.errors import RaddleError

    if finding.schedule is None or _is_own_verdict(finding):
        return finding
    _clear_output(item.config)
    try:
        reproduced = _follow(scenario, finding.schedule, options)
    except RaddleError:
        return finding
    if reproduced is None or _identity(reproduced) != _identity(finding):
        return finding
    return replace(finding, error=reproduced.error)


def _identity(finding: Finding) -> tuple[str, ...]:
    """Return the parts of a finding that must be equal when it is reproduced; values in the message may differ."""
    return finding.kind, finding.thread, finding.message.partition(":")[0]


def _scenario(item: pytest.Function) -> Callable[[], object]:
    """Return the test bound to its fixture values, without a wrapper function that would appear in tracebacks."""
    test = item.obj
    arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
    scenario: Any = functools.partial(test, **arguments)
    scenario.__name__ = item.name
    scenario.__wrapped__ = test  # the code to instrument may be wrapped in decorators
    scenario.__signature__ = inspect.Signature()  # all parameters are bound
    return scenario  # type: ignore[no-any-return]


def _fresh_fixtures(item: pytest.Function, setup: Callable[[], object] | None) -> Callable[[], object] | None:
    """Return a setup that clears what fixtures recorded in the previous execution, then calls the test's own setup."""
    resets: list[Callable[[], object]] = []
    for value in item.funcargs.values():
        if isinstance(value, pytest.CaptureFixture):
            resets.append(value.readouterr)
        elif isinstance(value, pytest.LogCaptureFixture):
            resets.append(value.clear)
    if not resets:
        return setup

    def fresh() -> None:
        for reset in resets:
            reset()
        if setup is not None:
            setup()

    return fresh


def _clear_output(config: pytest.Config) -> None:
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    if capture is not None:
        capture.read_global_capture()
    logging: Any = config.pluginmanager.getplugin("logging-plugin")
    if logging is not None:
        logging.report_handler.clear()


# -- stories of findings -------------------------------------------------------------------------


def _is_own_verdict(finding: Finding) -> bool:
    """Return whether the test skipped itself, called `pytest.xfail` or ended the session."""
    verdicts = (pytest.skip.Exception, pytest.xfail.Exception, pytest.exit.Exception, unittest.SkipTest)
    return finding.thread == "T0" and isinstance(finding.error, verdicts)


def _error_to_raise(item: pytest.Function, finding: Finding, result: Result | None = None) -> BaseException:
    """Return the exception to raise: if possible the test's own, so that `xfail(raises=...)` and --pdb see it."""
    from raddle.errors import FindingError

    error = finding.error
    if error is not None:
        _hide_raddle_frames(error)
        if _is_own_verdict(finding):
            return error
        stops_more = not isinstance(error, Exception) or isinstance(error, unittest.SkipTest)
        if stops_more and finding.thread != "T0":
            error = None  # only the test's main thread may skip the test or end the session
    # With --tb=native, the traceback would show raddle's frames, so the story replaces it.
    is_whole = error is None or item.config.getoption("tbstyle") == "native"
    story = _story(item, finding, result, with_details=is_whole)
    error = error or FindingError(story, result)
    item.stash[_STORY_REPORT] = StoryReport(error, story, is_whole, _replay_command(item, finding))
    return error


def _story(item: pytest.Function, finding: Finding, result: Result | None, *, with_details: bool) -> str:
    """Return the story with replay commands for pytest; the traceback is included only if `with_details`."""
    from raddle.outcome import OutcomeKind
    from raddle.report.story import headline, story_text
    from raddle.result import CORPUS_NOTE
    from raddle.story_length import StoryLength

    shown_later = finding.error is not None or bool(finding.details)
    message = _first_line(finding.message) if shown_later else finding.message
    length = StoryLength.parse(item.stash[_STORY])
    story = story_text(
        replace(finding, message=message, details=finding.details if with_details else ()), length=length
    )
    if finding.schedule is not None:
        story = story.rpartition("\nreplay: ")[0].rstrip()
    remarks = []
    if finding.kind == OutcomeKind.DIVERGENCE and item.fixturenames:
        remarks.append("fixtures are set up once for all executions: create mutable objects inside the test")
    if result is not None:
        for other in result.findings:
            if other != finding:
                remarks.append(f"also found: {headline(replace(other, message=_first_line(other.message)))}")
                remarks += [f"  {line}" for note in other.notes for line in note.split("\n")]
                remarks += [f"  replay: {command}" for command in _replay_command(item, other)]
        verbose = item.config.get_verbosity() > 0
        remarks += [f"note: {note}" for note in result.notes if verbose or not note.startswith(CORPUS_NOTE)]
    return "\n".join([story, "", *remarks]).rstrip()


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def _replay_command(item: pytest.Function, finding: Finding) -> list[str]:
    """Return a list with the replay command, or an empty list if no schedule reproduces the finding."""
    if finding.schedule is None:
        return []
    return [_origin(item).replay_test(finding.schedule)]


def _origin(item: pytest.Function) -> Origin:
    """Return the origin of the test, with its path relative to the folder where pytest was started."""
    from raddle.origin import Command, Origin

    file = _relative(item.path, item.config.invocation_params.dir)
    return Origin(Command.PYTEST, file, item.nodeid.partition("::")[2])


def _relative(path: Path, folder: Path) -> str:
    try:
        return os.path.relpath(path, folder)
    except ValueError:  # the path is on a different drive
        return str(path)


def _hide_raddle_frames(error: BaseException, *, keep_internal_errors: bool = False) -> None:
    """Remove raddle's frames from a traceback; with `keep_internal_errors`, keep them for raddle's own errors."""
    from raddle.checks.crash import is_raddle_file

    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        here = waiting.pop()
        if here is None or id(here) in seen:
            continue
        seen.add(id(here))
        waiting += [here.__cause__, here.__context__]
        entries = list(_entries(here.__traceback__))
        if keep_internal_errors and entries and is_raddle_file(entries[-1].tb_frame.f_code.co_filename):
            return
        kept: TracebackType | None = None
        for entry in reversed(entries):
            filename = entry.tb_frame.f_code.co_filename
            if not is_raddle_file(filename) and filename != sys.modules["threading"].__file__:
                kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
        here.__traceback__ = kept


def _entries(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


# -- reports ----------------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "call" and _TEST_RESULT in item.stash:
        report.raddle = item.stash[_TEST_RESULT]  # type: ignore[attr-defined]  # xdist sends it, too
        del item.stash[_TEST_RESULT]
    report_parts = item.stash.get(_STORY_REPORT, None)
    if _STORY_REPORT in item.stash:
        del item.stash[_STORY_REPORT]  # items outlive their tests, and the exception keeps frames alive
    if call.excinfo is not None and isinstance(report.longrepr, ExceptionRepr):
        if report_parts is not None and report_parts.error is call.excinfo.value:
            if report_parts.is_whole:
                report_parts = replace(report_parts, story=_with_notes(report_parts.story, report_parts.error))
            report.longrepr = _as_longrepr(item, report_parts, report.longrepr)
        elif _is_finding_error(call.excinfo.value):
            report.longrepr = _check_longrepr(
                item, _with_notes(str(call.excinfo.value), call.excinfo.value), report.longrepr
            )
    return report


def _with_notes(story: str, error: BaseException) -> str:
    """Append the exception's notes that are missing from the story, such as the arguments that Hypothesis adds."""
    from raddle.checks.crash import notes_of

    missing = [note for note in notes_of(error) if note not in story]
    return "\n\n".join([story, "\n".join(missing)]) if missing else story


def _is_finding_error(error: BaseException) -> bool:
    errors = sys.modules.get("raddle.errors")
    return errors is not None and isinstance(error, errors.FindingError)


def _as_longrepr(item: pytest.Item, report_parts: StoryReport, usual: ExceptionRepr) -> ExceptionChainRepr:
    """Return the story, pytest's report of the test's own exception, and the replay command."""
    crash = _crash(report_parts.story, usual)
    if _is_finding_error(report_parts.error):  # the plugin raised it, so show the location of the test
        file, line, _ = item.reportinfo()
        crash = ReprFileLocation(str(file), (line or 0) + 1, _first_line(report_parts.story))
    if item.config.getoption("tbstyle") == "line":
        return ExceptionChainRepr([(_text(), crash, None)])
    command = f"replay: {report_parts.replay[0]}" if report_parts.replay else None
    if report_parts.is_whole or not isinstance(usual, ExceptionChainRepr):
        return ExceptionChainRepr([(_text(report_parts.story), crash, command)])
    *before, (trace, _, _) = usual.chain
    return ExceptionChainRepr([(_text(report_parts.story), crash, None), *before, (trace, crash, command)])


def _check_longrepr(item: pytest.Item, story: str, usual: ExceptionRepr) -> ExceptionChainRepr:
    """Return the story of a failed `raddle.check`, and the line that called it."""
    crash = _crash(story, usual)
    if item.config.getoption("tbstyle") == "line":
        return ExceptionChainRepr([(_text(), crash, None)])
    entries = usual.reprtraceback.reprentries
    place = getattr(entries[-1], "reprfileloc", None) if entries else None
    return ExceptionChainRepr([(_text(story, place), crash, None)])


def _text(text: str = "", place: ReprFileLocation | None = None) -> ReprTraceback:
    lines = text.split("\n") if text else []
    return ReprTraceback([ReprEntry(lines, None, None, place, "value")], None, "value")


def _crash(story: str, usual: ExceptionRepr) -> ReprFileLocation | None:
    """Return the location for the short summary, with the headline of the story as its message."""
    return usual.reprcrash and replace(usual.reprcrash, message=_first_line(story))


@dataclass(slots=True, eq=False)
class Tally:
    """Collects the explored tests for the terminal summary, including those run by xdist workers."""

    config: pytest.Config
    tests: dict[str, dict[str, Any]] = field(default_factory=dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        ran = getattr(report, "raddle", None)
        if ran is not None:
            self.tests[report.nodeid] = ran

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        explored = {test: ran for test, ran in self.tests.items() if not ran.get("replayed")}
        if self.config.get_verbosity() > 0:
            for test, ran in explored.items():
                terminalreporter.write_line(f"raddle: {test}: {_test_summary(ran)}")
        for test, ran in explored.items():
            if ran["unwatched"]:
                terminalreporter.write_line(f"raddle: {test}: {ran['unwatched']}", yellow=True)
            if "lost" in ran:
                terminalreporter.write_line(f"raddle: {test}: coverage was not stored: {ran['lost']}")
        if explored:
            terminalreporter.write_line(f"raddle: {_total_summary(list(explored.values()))}")
        if self.config.getoption("raddle_replay") is not None:
            replayed = len(self.tests) - len(explored)
            what = _counted(replayed, "test") if replayed else "no test with the raddle marker"
            terminalreporter.write_line(f"raddle: {what} {'were' if replayed > 1 else 'was'} replayed")


def _test_summary(ran: dict[str, Any]) -> str:
    notes = "".join(f"; {note}" for note in ran["notes"])
    return f"{_counted(ran['executions'], 'execution')}; {ran['stopped']}{notes}"


def _total_summary(explored: list[dict[str, Any]]) -> str:
    seeds = sorted({ran["seed"] for ran in explored})
    executions = sum(ran["executions"] for ran in explored)
    text = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {', '.join(map(str, seeds[:3]))}"
    more = ", ..." if len(seeds) > 3 else ""
    return f"{_counted(len(explored), 'test')} explored, {_counted(executions, 'execution')}, {text}{more}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
