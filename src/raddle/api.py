"""The library's front door: explore, check, replay, measure."""

from __future__ import annotations

import importlib.util
import inspect
import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from raddle.cast import METHODS, Cast
from raddle.caution import each_once
from raddle.corpus import Kept
from raddle.criterion_settings import PINV_OCCURRENCES, CriterionSettings
from raddle.engine.carrier import Carrier, getcurrent
from raddle.engine.rules import Rules, Timeouts, Wakeups
from raddle.errors import FindingError, NothingTestedError, UnwatchedWarning, UsageError
from raddle.execute.fork import can_fork
from raddle.execute.session import Session
from raddle.execute.thread_installation import ThreadInstallation
from raddle.exploring.findings import replayed_finding
from raddle.exploring.measure_sampling import told
from raddle.exploring.moment import Progress
from raddle.exploring.stop_rules import GOALS, Budget
from raddle.exploring.units import Itself, Plan
from raddle.exploring.workbench import Workbench
from raddle.finding import Finding
from raddle.guide.policies import GUIDED, make_policy
from raddle.instrument import Selection
from raddle.instrument.selection import PROJECT_MARKS
from raddle.origin import Command, Origin
from raddle.outcome import Outcome
from raddle.refusal import unwatched_calls
from raddle.replaying import Replaying
from raddle.report.story import tell
from raddle.result import Result
from raddle.schedule import Schedule
from raddle.site import SiteTable
from raddle.stop_reason import StopReason
from raddle.story_length import StoryLength
from raddle.tally import Key
from raddle.wording import count

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from raddle.record import Record

EXECUTIONS = 1000  # unless something else says when to stop
STEP_LIMIT, PATIENCE_SECONDS = 50_000, 5.0
SWITCHES = ("free-threaded", "gil")
UNTIL = ("saturated", "covered", "first-finding", "exhausted", "budget")


def explore(
    scenario: Callable[[], object],
    *,
    executions: int | None = None,
    seconds: float | None = None,
    scheduler: str = "portfolio",
    seed: int | None = 1,
    until: str | None = None,
    switches: str = "free-threaded",
    source: Sequence[str] = (),
    setup: Callable[[], object] | None = None,
    isolate: str | None = None,
    timeouts: str = Timeouts.LATE,
    wakeups: str = Wakeups.FIFO,
    step_limit: int = STEP_LIMIT,
    patience_seconds: float = PATIENCE_SECONDS,
    progress: Progress | None = None,
    shrink: bool = True,
    criteria: str | Sequence[str] = (),
    thread_methods: int = METHODS,
    pinv_occurrences: int = PINV_OCCURRENCES,
    data_file: str | os.PathLike[str] | None = None,
    corpus: bool = True,
    workers: int | Executor | None = None,
) -> Result:
    """Run a scenario again and again, each time with another interleaving of its threads.

    Schedulers take turns, one of them aiming at what is not covered yet, unless `scheduler` names one. The search stops
    as `until` says ("saturated" if it aims at coverage, else "first-finding"), after `executions` (1000 if neither a
    number nor a time is given), or after `seconds`. If it is saturated and nothing was found, up to as many executions
    again try every partial order: a space that ends by then is exhausted. A finding is shrunk, if `shrink` is true.
    `criteria` measure what the executions cover. Two threads count as one if their types and the first `thread_methods`
    methods that they ran are the same; pinv tells the first `pinv_occurrences` of an access apart. The result is added
    to `data_file`, for `raddle report`, with executions that covered something new: a later search begins with those,
    unless `corpus` is False. With `workers`, that number of processes share the work, with the same result for any
    number; an executor of `concurrent.futures` will do as well.
    A timed wait ends only when every other thread is blocked; with `timeouts="any"`, at any time. `notify` wakes the
    threads that have waited longest, as in CPython; with `wakeups="any"`, any of them.

    >>> import threading, raddle
    >>> def scenario():
    ...     done = []
    ...     thread = threading.Thread(target=lambda: done.append(1))
    ...     thread.start(); thread.join()
    ...     assert done == [1]
    >>> result = raddle.explore(scenario, scheduler="exhaustive")
    >>> result.outcome, len(result.findings)
    ('passed', 0)
    """
    named = bool(criteria) or data_file is not None
    names, budget, to_the_end = _goal(scheduler, criteria, until, Budget(executions, seconds))
    seed = random.SystemRandom().randrange(1, 1 << 31) if seed is None else seed
    _check_until(until, scheduler, complete=make_policy(scheduler, seed=seed, criteria=names).complete)
    data_file, trouble = _usable(data_file) if names else (data_file, "")
    options = _session_options(scenario, source, switches, setup, isolate, step_limit, patience_seconds, names)
    options |= {"thread_methods": _checked_methods(thread_methods), **_rules(options, timeouts, wakeups)}
    installation = _installation(options)
    plan = Plan(
        Itself(scenario),
        None if setup is None else Itself(setup),
        options,
        scheduler=scheduler,
        seed=seed,
        criteria=names,
        until=budget.until,
        shrink=shrink,
        keep=data_file is not None,
        origin=_origin(installation.table, scenario),
        measure_all=named,
        to_the_end=to_the_end and workers is None,
        settings=_criterion_settings(pinv_occurrences),
    )
    kept = _read_corpus(data_file) if corpus and names and _aims(scheduler) else ()
    result, unfit = _searched(plan, budget, kept, installation, workers, progress)
    if result.record is not None:
        result = _stored(result, result.record, names, data_file, unfit)
    return replace(result, not_stored=trouble) if trouble else result


def _searched(
    plan: Plan,
    budget: Budget,
    kept: tuple[Kept, ...],
    installation: ThreadInstallation,
    workers: int | Executor | None,
    progress: Progress | None,
) -> tuple[Result, tuple[Kept, ...]]:
    """Search in this process or with workers; return the result and the entries of the corpus that no longer fit."""
    if workers is None:
        with Workbench(installation) as workbench:
            return workbench.search(plan, budget, corpus=kept, progress=progress)
    from raddle.distribute.rounds import search

    return search(plan, budget, kept, workers=workers, progress=progress)


def _check_until(until: str | None, scheduler: str, *, complete: bool) -> None:
    if until == "exhausted" and not complete:
        raise UsageError(
            "bad-until",
            "until='exhausted' needs a scheduler that comes to an end: exhaustive, deepening or reachability, "
            f"not {scheduler}",
        )


def _aims(scheduler: str) -> bool:
    return scheduler.partition(":")[0] in GUIDED


def _goal(
    scheduler: str, criteria: str | Sequence[str], until: str | None, budget: Budget
) -> tuple[tuple[str, ...], Budget, bool]:
    """Return the criteria, the budget, and whether a complete search follows, where the caller left them open."""
    names = _criteria_names(criteria or ("default" if _aims(scheduler) else ()))
    portfolio = scheduler.partition(":")[0] == "portfolio"
    to_the_end = until in (None, "first-finding") and portfolio and bool(names)
    if until is None:
        until = "saturated" if names and _aims(scheduler) else "first-finding"
    _check_ends(until, budget, names)
    executions = budget.executions
    if executions is None and budget.seconds is None and until != "exhausted":
        executions = EXECUTIONS
    return names, Budget(executions, budget.seconds, until), to_the_end


def _usable(data_file: str | os.PathLike[str] | None) -> tuple[str | os.PathLike[str] | None, str]:
    """Check the data file before any work is done; return None and why if it cannot be used."""
    if data_file is None:
        return None, ""
    from raddle.store import UnusableError
    from raddle.store import check as check_data_file

    try:
        check_data_file(data_file)
    except UnusableError as error:  # findings are worth more than the place where they are stored
        return None, f"nothing was stored: {error}"
    return data_file, ""


@dataclass(frozen=True, slots=True)
class Sample:
    """One execution, and what it covered."""

    number: int
    outcome: Outcome
    covered: Mapping[str, frozenset[Key]]  # by criterion
    cast: Cast  # who took part


def measure(
    scenario: Callable[[], object],
    *,
    criteria: str | Sequence[str],
    executions: int = EXECUTIONS,
    scheduler: str = "random",
    seed: int = 1,
    switches: str = "free-threaded",
    source: Sequence[str] = (),
    setup: Callable[[], object] | None = None,
    step_limit: int = STEP_LIMIT,
    patience_seconds: float = PATIENCE_SECONDS,
    thread_methods: int = METHODS,
    pinv_occurrences: int = PINV_OCCURRENCES,
) -> Iterator[Sample]:
    """Execution by execution, what each of them covered; failures do not end it.

    >>> import threading, raddle
    >>> def scenario():
    ...     done = []
    ...     threads = [threading.Thread(target=done.append, args=(n,)) for n in range(2)]
    ...     for t in threads: t.start()
    ...     for t in threads: t.join()
    >>> [sample.outcome.kind for sample in raddle.measure(scenario, criteria="hbpair", executions=2)]
    ['passed', 'passed']
    """
    names = _criteria_names(criteria)
    if not names:
        raise UsageError("no-criteria", "measure needs at least one criterion; `raddle criteria` lists them")
    from raddle.criteria import make_criteria
    from raddle.measuring.measurement import Measurement

    settings = _criterion_settings(pinv_occurrences)
    measurement = Measurement(make_criteria(names, settings))
    options = _session_options(scenario, source, switches, setup, None, step_limit, patience_seconds, names)
    options["thread_methods"] = _checked_methods(thread_methods)
    policy = make_policy(scheduler, seed=seed, criteria=names, settings=settings)
    with Session(scenario, setup=setup, **options) as session:
        session.rehearse()
        for number in range(1, executions + 1):
            if session.interrupted:
                raise KeyboardInterrupt
            if not policy.begin(number, session.learned.version):
                return
            execution = session.run_for(policy)
            assert execution.observed is not None
            measurement.early = early = session.model().early
            covered = measurement.add(*execution.observed)
            policy.learn(*execution.observed, covered, early=early)
            yield Sample(number, execution.outcome, covered, execution.observed[1])


def _check_ends(until: str, budget: Budget, criteria: Sequence[str]) -> None:
    executions, seconds = budget.executions, budget.seconds
    if until not in UNTIL:
        raise UsageError("bad-until", f"until is one of {', '.join(UNTIL)}, not {until!r}")
    if until in GOALS and not criteria:
        raise UsageError(
            "bad-until", f"until={until!r} needs criteria to measure: give some, or the scheduler portfolio"
        )
    if executions is not None and executions < 1:
        raise UsageError("bad-budget", f"executions must be at least 1, not {executions}")
    if seconds is not None and not seconds > 0:
        raise UsageError("bad-budget", f"seconds must be more than 0, not {seconds}")


def _criteria_names(criteria: str | Sequence[str]) -> tuple[str, ...]:
    if not criteria or criteria in ("none", ["none"], ("none",)):
        return ()
    if not isinstance(criteria, str):
        criteria = _texts(criteria)
    from raddle.criteria import resolve

    return resolve(criteria)


def _texts(criteria: Sequence[str]) -> list[str]:
    try:
        names = list(criteria)
    except TypeError:
        names = [criteria]  # type: ignore[list-item]
    if not all(isinstance(name, str) for name in names):
        given = f"one text with commas between or a list of texts, not {criteria!r}"
        raise UsageError("bad-criteria", f"criteria must be names, as {given}")
    return names


def _stored(
    result: Result,
    record: Record,
    criteria: Sequence[str],
    data_file: str | os.PathLike[str] | None,
    unfit: Sequence[Kept],
) -> Result:
    """The result with its record, which also goes to the data file; without what no longer fits."""
    record = replace(record, cautions=each_once(record.cautions))  # several processes say one thing in other words
    from raddle.checks.cautions import say
    from raddle.report.coverage import as_json, contents_of, rows

    notes: tuple[str, ...] = (told(record.tally.executions, result.executions),) if result.left_out else ()
    trouble = ""
    if data_file is not None:
        from raddle.store import try_to_add

        added = try_to_add(data_file, record, unfit=unfit)
        trouble = added.trouble
        if unfit and not trouble:
            notes += (f"{count(len(unfit), 'kept schedule')} no longer fit the code: dropped",)
        notes += added.notes
    covered = rows(contents_of(record), names=criteria)
    return replace(
        result,
        record=record,
        criteria={row.name: as_json(row) for row in covered},
        warnings=tuple({**caution.as_json(), "sentence": say(caution, record.sites)} for caution in record.cautions),
        notes=result.notes + notes,
        not_stored=trouble,
    )


def _origin(table: SiteTable, scenario: Callable[[], object]) -> str:
    """Return what is explored, in words that are the same in a later run."""
    code = getattr(inspect.unwrap(scenario), "__code__", None)
    label = table.label(code.co_filename) if code is not None else "?"
    return str(Origin(Command.EXPLORE, label, getattr(scenario, "__name__", "scenario")))


def _read_corpus(data_file: str | os.PathLike[str] | None) -> tuple[Kept, ...]:
    from raddle.store import NoDataError, UnusableError, read

    try:
        return read(data_file).corpus if data_file is not None else ()
    except (NoDataError, UnusableError):  # the latter is said when something is to be stored
        return ()


def check(scenario: Callable[[], object], *, story: str = "short", **options: Any) -> Result:
    """Explore, and raise an AssertionError with the story of the first finding.

    Raise a `NothingTestedError` if no execution ended in time, or if a thread runs code that cannot be watched. Warn of
    packages that threads call and that have no probes.

    The story is "short", or "full" with every step.

    >>> import threading, raddle
    >>> def scenario():
    ...     first, second = threading.Lock(), threading.Lock()
    ...     def work(one, other):
    ...         with one, other:
    ...             pass
    ...     threads = [threading.Thread(target=work, args=a) for a in [(first, second), (second, first)]]
    ...     for t in threads: t.start()
    ...     for t in threads: t.join()
    >>> raddle.check(scenario)
    Traceback (most recent call last):
    ...
    raddle.errors.FindingError: deadlock in T1: T1 waits for T2 waits for T1 (can happen on this interpreter)
    ...
    """
    __tracebackhide__ = True
    length = StoryLength.parse(story)
    result = explore(scenario, **{"until": "first-finding", **options})
    if result.findings:
        raise FindingError(tell(result.findings[0], length=length), result) from None
    require_tested(result)
    unwatched = unwatched_calls(result.not_instrumented)
    if unwatched:
        warnings.warn(UnwatchedWarning(f"failures may have been missed: {unwatched}"), stacklevel=2)
    return result


def require_tested(result: Result) -> None:
    """Raise an error if nothing was tested: no execution ended in time, or a thread's code cannot be watched."""
    if not result.executions and not result.findings and result.stopped_because is StopReason.SECONDS:
        raise NothingTestedError(
            "no-execution-ended",
            f"nothing was tested: {'; '.join(result.notes)}. Give it more seconds, or look for a loop that spins there",
        )
    for refused in result.not_instrumented:
        if refused.blind_target:
            raise NothingTestedError(
                "unwatched-target",
                f"nothing was tested: {refused.what} cannot be watched ({refused.why}). "
                "Define it in a file or in a notebook cell",
            )


def replay(
    scenario: Callable[[], object],
    schedule: str | Schedule,
    *,
    source: Sequence[str] = (),
    setup: Callable[[], object] | None = None,
    isolate: str | None = None,
    timeouts: str = Timeouts.LATE,
    wakeups: str = Wakeups.FIFO,
    step_limit: int = STEP_LIMIT,
    patience_seconds: float | None = PATIENCE_SECONDS,
) -> Finding | None:
    """One execution that follows a schedule: what went wrong in it, None if nothing did.

    Raises `DivergedError` where the schedule does not fit the code. A thread that blocks outside raddle's control is
    reported after `patience_seconds`, unless a debugger is active. None sets no limit: a notice on stderr says where
    the thread is blocked, and Ctrl-C ends the execution.

    >>> import threading, raddle
    >>> def scenario():
    ...     thread = threading.Thread(target=print, args=("in the thread",))
    ...     thread.start(); thread.join()
    >>> raddle.replay(scenario, "T0; T1.") is None
    in the thread
    True
    """
    if isinstance(schedule, str):
        schedule = Schedule.parse(schedule)
    options = _session_options(scenario, source, "free-threaded", setup, isolate, step_limit, patience_seconds, ())
    options |= _rules(options, timeouts, wakeups)
    with Session(scenario, setup=setup, **options) as session:
        return replayed_finding(session, schedule)


def _session_options(
    scenario: Callable[[], object],
    source: Sequence[str],
    switches: str,
    setup: Callable[[], object] | None,
    isolate: str | None,
    step_limit: int,
    patience_seconds: float | None,
    criteria: Sequence[str],
) -> dict[str, Any]:
    _check_scenario(scenario)
    if isinstance(getcurrent(), Carrier):
        raise UsageError("nested", "an exploration cannot run inside another one")
    if switches not in SWITCHES:
        raise UsageError("bad-switches", f"switches is one of {', '.join(SWITCHES)}, not {switches!r}")
    if isolate not in (None, "none", "fork"):
        raise UsageError("bad-isolate", f"isolate is 'none' or 'fork', not {isolate!r}")
    if isolate == "fork" and not can_fork():
        raise UsageError("bad-isolate", "isolate='fork' needs a system that can fork")
    if patience_seconds is not None and not patience_seconds > 0:
        raise UsageError("bad-budget", f"patience_seconds must be more than 0, not {patience_seconds}")
    for name in source:
        _check_source(name)
    if step_limit < 1:
        raise UsageError("bad-step-limit", f"step_limit must be at least 1, not {step_limit}")
    return {
        "selection": _selection(scenario, source),
        "switches": switches,
        "step_limit": step_limit,
        "patience_seconds": patience_seconds,
        "isolate": isolate == "fork",
        "replaying": Replaying(
            setup=None if setup is None else _called(setup, scenario),
            source=tuple(map(str, source)) or None,
            isolate="fork" if isolate == "fork" else None,
            step_limit=None if step_limit == STEP_LIMIT else step_limit,
            patience_seconds=None if patience_seconds == PATIENCE_SECONDS else patience_seconds,
        ),
        "measuring": bool(criteria),
        "criteria": tuple(criteria),
        "blocks": "blocks" in criteria,
    }


def _installation(options: Mapping[str, Any]) -> ThreadInstallation:
    return ThreadInstallation(
        options["selection"], blocks=options["blocks"], patience_seconds=options["patience_seconds"]
    )


def _rules(options: Mapping[str, Any], timeouts: str, wakeups: str) -> dict[str, Any]:
    """Return the rules as an option of a session, and the options of a replay with them."""
    if timeouts not in list(Timeouts):
        raise UsageError("bad-timeouts", f"timeouts is one of {', '.join(Timeouts)}, not {timeouts!r}")
    if wakeups not in list(Wakeups):
        raise UsageError("bad-wakeups", f"wakeups is one of {', '.join(Wakeups)}, not {wakeups!r}")
    replaying = replace(
        options["replaying"],
        timeouts=None if timeouts == Timeouts.LATE else str(timeouts),
        wakeups=None if wakeups == Wakeups.FIFO else str(wakeups),
    )
    return {"rules": Rules(timeouts=Timeouts(timeouts), wakeups=Wakeups(wakeups)), "replaying": replaying}


def _checked_methods(thread_methods: int) -> int:
    if not isinstance(thread_methods, int) or thread_methods < 0:
        raise UsageError("bad-thread-methods", f"thread_methods must be a number from 0 on, not {thread_methods!r}")
    return thread_methods


def _criterion_settings(pinv_occurrences: int) -> CriterionSettings:
    if not isinstance(pinv_occurrences, int) or pinv_occurrences < 1:
        raise UsageError(
            "bad-pinv-occurrences", f"pinv_occurrences must be a number from 1 on, not {pinv_occurrences!r}"
        )
    return CriterionSettings(pinv_occurrences=pinv_occurrences)


def _called(setup: Callable[[], object], scenario: Callable[[], object]) -> str:
    """What the scenario's module calls it; else what it calls itself."""
    module = sys.modules.get(getattr(scenario, "__module__", None) or "")
    names = [name for name, value in vars(module).items() if value is setup] if module is not None else []
    own: str = getattr(setup, "__qualname__", type(setup).__name__)
    return names[0] if names else own.replace(".", "::")


def _check_scenario(scenario: Callable[[], object]) -> None:
    if not callable(scenario):
        raise UsageError("not-a-function", f"the scenario must be a function, not {scenario!r}")
    try:
        parameters = inspect.signature(scenario).parameters.values()
    except (TypeError, ValueError):
        return
    needed = [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    name = getattr(scenario, "__name__", repr(scenario))
    if needed:
        raise UsageError(
            "scenario-has-parameters",
            f"the scenario {name} takes parameters ({', '.join(needed)}); write one that needs none and calls it",
        )
    if inspect.iscoroutinefunction(scenario) or inspect.isgeneratorfunction(scenario):
        raise UsageError(
            "scenario-not-plain", f"the scenario {name} is a coroutine or generator; raddle explores threads"
        )


def _check_source(name: str) -> None:
    """A source that names nothing would silently leave the code under test without probes."""
    if os.path.exists(name) or name in sys.modules:
        return
    try:
        found = importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        found = False
    if not found:
        raise UsageError(
            "no-such-source", f"source {name!r} is neither a module that can be found nor a file or folder"
        )


def _selection(scenario: Callable[[], object], source: Sequence[str]) -> Selection:
    """The code to watch: what was asked for, or all there is of the project; the scenario's file in any case."""
    function = inspect.unwrap(scenario)
    function = getattr(function, "__func__", function)
    while hasattr(function, "func"):  # functools.partial
        function = function.func
    code = getattr(function, "__code__", None)
    file = code.co_filename if code is not None else None
    module = sys.modules.get(getattr(function, "__module__", "") or "")
    root = _project_root(os.path.dirname(os.path.realpath(file))) if file and os.path.isfile(file) else os.getcwd()
    if source:
        own = [file] if file else []
        if module is not None:
            own.append(module.__name__)
        return Selection(sources=(*source, *own), root=root)
    if file and os.path.isfile(file):
        return Selection(root=root)
    return Selection(sources=(module.__name__,) if module is not None else (), root=root)


def _project_root(folder: str) -> str:
    """The folder with the project's pyproject.toml, setup.py or .git above this one; else the folder itself."""
    here = folder
    while True:
        if any(os.path.exists(os.path.join(here, mark)) for mark in PROJECT_MARKS):
            return here
        above = os.path.dirname(here)
        if above == here:
            return folder
        here = above
