"""The library's front door: explore, check, replay, measure."""

from __future__ import annotations

import os
import random
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from raddle.criterion_settings import PINV_OCCURRENCES, CriterionSettings
from raddle.engine.rules import Timeouts, Wakeups
from raddle.entities import METHODS, Entities
from raddle.errors import FindingError, NothingTestedError, UnwatchedWarning, UsageError
from raddle.execute.thread_installation import Threads
from raddle.exploring.findings import replayed_finding
from raddle.exploring.progress import ProgressCallback
from raddle.exploring.stop_rules import GOALS, Budget
from raddle.finding import Finding
from raddle.guide.policies import is_guided, make_policy
from raddle.outcome import Outcome
from raddle.refusal import unwatched_calls
from raddle.report.story import tell
from raddle.result import Result
from raddle.schedule import Schedule
from raddle.searching import search
from raddle.stop_reason import StopReason
from raddle.story_length import StoryLength
from raddle.tally import Key
from raddle.thread_scenario import PATIENCE_SECONDS, STEP_LIMIT, ThreadScenario

if TYPE_CHECKING:
    from concurrent.futures import Executor


EXECUTIONS = 1000  # unless something else says when to stop
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
    progress: ProgressCallback | None = None,
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
    methods that they ran are the same; pinv distinguishes the first `pinv_occurrences` of an access. The result is
    added to `data_file`, for `raddle report`, with executions that covered something new: a later search begins
    with those, unless `corpus` is False. With `workers`, that number of processes share the work, with the same result
    for any number; an executor of `concurrent.futures` will do as well.
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
    names, budget, finish_exhaustively = _goal(scheduler, criteria, until, Budget(executions, seconds))
    seed = random.SystemRandom().randrange(1, 1 << 31) if seed is None else seed
    _check_until(until, scheduler, complete=make_policy(scheduler, seed=seed, criteria=names).complete)
    threads = ThreadScenario(
        scenario,
        setup,
        source=source,
        switches=switches,
        isolate=isolate,
        timeouts=timeouts,
        wakeups=wakeups,
        step_limit=step_limit,
        patience_seconds=patience_seconds,
        thread_methods=thread_methods,
    )
    plan = threads.plan(
        names,
        scheduler=scheduler,
        seed=seed,
        until=budget.until,
        shrink=shrink,
        measure_all=named,
        finish_exhaustively=finish_exhaustively and workers is None,
        settings=CriterionSettings(pinv_occurrences=pinv_occurrences),
    )
    return search(plan, budget, data_file=data_file, corpus=corpus, workers=workers, progress=progress)


def _check_until(until: str | None, scheduler: str, *, complete: bool) -> None:
    if until == "exhausted" and not complete:
        raise UsageError(
            "bad-until",
            "until='exhausted' needs a scheduler that comes to an end: exhaustive, deepening or reachability, "
            f"not {scheduler}",
        )


def _goal(
    scheduler: str, criteria: str | Sequence[str], until: str | None, budget: Budget
) -> tuple[tuple[str, ...], Budget, bool]:
    """Return the criteria, the budget, and whether a complete search follows, where the caller left them open."""
    names = _criteria_names(criteria or (Threads.default_criteria if is_guided(scheduler) else ()))
    portfolio = scheduler.partition(":")[0] == "portfolio"
    finish_exhaustively = until in (None, "first-finding") and portfolio and bool(names)
    if until is None:
        until = "saturated" if names and is_guided(scheduler) else "first-finding"
    _check_ends(until, budget, names)
    executions = budget.executions
    if executions is None and budget.seconds is None and until != "exhausted":
        executions = EXECUTIONS
    return names, Budget(executions, budget.seconds, until), finish_exhaustively


@dataclass(frozen=True, slots=True)
class Sample:
    """One execution, and what it covered."""

    number: int
    outcome: Outcome
    covered: Mapping[str, frozenset[Key]]  # by criterion
    entities: Entities  # its variables, resources and threads

    @property
    def cast(self) -> Entities:
        """The former name of `entities`."""
        return self.entities


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

    settings = CriterionSettings(pinv_occurrences=pinv_occurrences)
    measurement = Measurement(make_criteria(names, settings))
    threads = ThreadScenario(
        scenario,
        setup,
        source=source,
        switches=switches,
        step_limit=step_limit,
        patience_seconds=patience_seconds,
        thread_methods=thread_methods,
    )
    policy = make_policy(scheduler, seed=seed, criteria=names, settings=settings)
    with threads.session(names) as session:
        session.rehearse()
        for number in range(1, executions + 1):
            if session.interrupted:
                raise KeyboardInterrupt
            if not policy.begin(number, session.known_points.version):
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
        if refused.unwatchable_target:
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
    threads = ThreadScenario(
        scenario,
        setup,
        source=source,
        isolate=isolate,
        timeouts=timeouts,
        wakeups=wakeups,
        step_limit=step_limit,
        patience_seconds=patience_seconds,
    )
    with threads.session() as session:
        return replayed_finding(session, schedule)
