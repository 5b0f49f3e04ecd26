"""The library's front door: explore, check, replay, measure."""

from __future__ import annotations

import importlib.util
import inspect
import os
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from raddle.cast import Cast
from raddle.errors import FindingError, UsageError
from raddle.execute.exploration import Budget, Exploration, Progress, replayed_finding
from raddle.execute.isolate import can_fork
from raddle.execute.session import Session
from raddle.finding import Finding
from raddle.instrument import Selection
from raddle.outcome import Outcome
from raddle.report.story import tell
from raddle.result import Result
from raddle.schedule import Schedule
from raddle.schedulers import make_scheduler
from raddle.sync.carrier import Carrier, getcurrent
from raddle.tally import Key

if TYPE_CHECKING:
    from raddle.execute.measurement import Measurement

EXECUTIONS = 1000  # unless something else says when to stop
SWITCHES = ("free-threaded", "gil")
UNTIL = ("first-finding", "exhausted", "budget")


def explore(
    scenario: Callable[[], object],
    *,
    executions: int | None = None,
    seconds: float | None = None,
    scheduler: str = "random",
    seed: int | None = 1,
    until: str = "first-finding",
    switches: str = "free-threaded",
    source: Sequence[str] = (),
    setup: Callable[[], object] | None = None,
    isolate: str | None = None,
    step_limit: int = 50_000,
    patience_seconds: float = 5.0,
    progress: Progress | None = None,
    criteria: str | Sequence[str] = (),
    data_file: str | os.PathLike[str] | None = None,
) -> Result:
    """Run a scenario again and again, each time with another interleaving of its threads.

    It stops at the first finding (or as `until` says), after `executions` (1000 where neither a number nor a
    time is given), or after `seconds`. With `criteria` (see `raddle criteria`) it also measures what the
    executions covered; `data_file` names the file that this is added to, for `raddle report`.

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
    if until not in UNTIL:
        raise UsageError("bad-until", f"until is one of {', '.join(UNTIL)}, not {until!r}")
    if executions is not None and executions < 1:
        raise UsageError("bad-budget", f"executions must be at least 1, not {executions}")
    if seconds is not None and not seconds > 0:
        raise UsageError("bad-budget", f"seconds must be more than 0, not {seconds}")
    if executions is None and seconds is None and until != "exhausted":
        executions = EXECUTIONS
    if seed is None:
        seed = random.SystemRandom().randrange(1, 1 << 31)
    measurement = _measurement(criteria)
    if measurement is not None and data_file is not None:
        from raddle.store import check as check_data_file

        check_data_file(data_file)  # before any work is done
    session = _session(scenario, source, switches, setup, isolate, step_limit, patience_seconds, measurement)
    budget = Budget(executions, seconds, until)
    exploration = Exploration(
        session, scheduler=scheduler, seed=seed, budget=budget, progress=progress, measurement=measurement
    )
    if until == "exhausted" and not exploration.can_exhaust:
        raise UsageError(
            "bad-until", f"until='exhausted' needs a scheduler that comes to an end: exhaustive, not {scheduler}"
        )
    with session:
        result = exploration.run()
        if measurement is None:
            return result
        return _with_coverage(result, session, measurement, scenario, data_file)


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
    step_limit: int = 50_000,
    patience_seconds: float = 5.0,
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
    measurement = _measurement(criteria)
    if measurement is None:
        raise UsageError("no-criteria", "measure needs at least one criterion; `raddle criteria` lists them")
    session = _session(scenario, source, switches, setup, None, step_limit, patience_seconds, measurement)
    policy = make_scheduler(scheduler, seed=seed)
    with session:
        session.rehearse()
        for number in range(1, executions + 1):
            if session.interrupted:
                raise KeyboardInterrupt
            if not policy.begin(number, session.learned.version):
                return
            execution = session.run_for(policy)
            assert execution.observed is not None
            measurement.early = session.model().early
            yield Sample(number, execution.outcome, measurement.add(*execution.observed), execution.observed[1])


def _measurement(criteria: str | Sequence[str]) -> Measurement | None:
    if not criteria:
        return None
    from raddle.criteria import make_criteria
    from raddle.execute.measurement import Measurement

    return Measurement(make_criteria(criteria))


def _with_coverage(
    result: Result,
    session: Session,
    measurement: Measurement,
    scenario: Callable[[], object],
    data_file: str | os.PathLike[str] | None,
) -> Result:
    """The result, with what the executions covered, which also goes to the data file."""
    from raddle.checks.cautions import say
    from raddle.execute.recording import CONTROLLED, make_record
    from raddle.report.coverage import as_json, contents_of, rows

    code = getattr(inspect.unwrap(scenario), "__code__", None)
    label = session.table.label(code.co_filename) if code is not None else "?"
    record = make_record(
        measurement,
        session.table,
        session.model(),
        origin=f"explore {label}::{getattr(scenario, '__name__', 'scenario')}",
        mode=CONTROLLED,
        exhausted=result.exhausted,
        findings=result.findings,
    )
    notes: tuple[str, ...] = ()
    if data_file is not None:
        from raddle.store import add

        notes = tuple(add(data_file, record))
    covered = rows(contents_of(record), names=[criterion.name for criterion in measurement.criteria])
    return replace(
        result,
        record=record,
        criteria={row.name: as_json(row) for row in covered},
        warnings=tuple({**caution.as_json(), "sentence": say(caution, record.sites)} for caution in record.cautions),
        notes=result.notes + notes,
    )


def check(scenario: Callable[[], object], **options: Any) -> Result:
    """`explore`, and raise an AssertionError that tells the story of the first finding.

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
    result = explore(scenario, **options)
    if result.findings:
        raise FindingError(tell(result.findings[0]), result) from None
    return result


def replay(
    scenario: Callable[[], object],
    schedule: str | Schedule,
    *,
    source: Sequence[str] = (),
    setup: Callable[[], object] | None = None,
    isolate: str | None = None,
    step_limit: int = 50_000,
    patience_seconds: float = 5.0,
) -> Finding | None:
    """One execution that follows a schedule: what went wrong in it, None if nothing did.

    Raises `DivergedError` where the schedule does not fit the code.

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
    session = _session(scenario, source, "free-threaded", setup, isolate, step_limit, patience_seconds, None)
    with session:
        return replayed_finding(session, schedule)


def _session(
    scenario: Callable[[], object],
    source: Sequence[str],
    switches: str,
    setup: Callable[[], object] | None,
    isolate: str | None,
    step_limit: int,
    patience_seconds: float,
    measurement: Measurement | None,
) -> Session:
    _check_scenario(scenario)
    if isinstance(getcurrent(), Carrier):
        raise UsageError("nested", "an exploration cannot run inside another one")
    if switches not in SWITCHES:
        raise UsageError("bad-switches", f"switches is one of {', '.join(SWITCHES)}, not {switches!r}")
    if isolate not in (None, "none", "fork"):
        raise UsageError("bad-isolate", f"isolate is 'none' or 'fork', not {isolate!r}")
    if isolate == "fork" and not can_fork():
        raise UsageError("bad-isolate", "isolate='fork' needs a system that can fork")
    if not patience_seconds > 0:
        raise UsageError("bad-budget", f"patience_seconds must be more than 0, not {patience_seconds}")
    for name in source:
        _check_source(name)
    if step_limit < 1:
        raise UsageError("bad-step-limit", f"step_limit must be at least 1, not {step_limit}")
    return Session(
        scenario,
        selection=_selection(scenario, source),
        setup=setup,
        switches=switches,
        step_limit=step_limit,
        patience_seconds=patience_seconds,
        isolate=isolate == "fork",
        measuring=measurement is not None,
        blocks=measurement is not None and any(criterion.name == "blocks" for criterion in measurement.criteria),
    )


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
    if source:
        own = [file] if file else []
        if module is not None:
            own.append(module.__name__)
        return Selection(sources=(*source, *own))
    if file and os.path.isfile(file):
        return Selection(root=_project_root(os.path.dirname(os.path.realpath(file))))
    return Selection(sources=(module.__name__,) if module is not None else (), root=os.getcwd())


def _project_root(folder: str) -> str:
    """The folder with the project's pyproject.toml, setup.py or .git above this one; else the folder itself."""
    here = folder
    while True:
        if any(
            os.path.exists(os.path.join(here, mark)) for mark in ("pyproject.toml", "setup.py", "setup.cfg", ".git")
        ):
            return here
        above = os.path.dirname(here)
        if above == here:
            return folder
        here = above
