"""The public functions of the library: `explore`, `check`, `replay` and `measure`."""

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
from raddle.report.story import story_text
from raddle.result import Result
from raddle.schedule import Schedule
from raddle.searching import search
from raddle.stop_reason import StopReason
from raddle.story_length import StoryLength
from raddle.tally import Key
from raddle.thread_scenario import PATIENCE_SECONDS, STEP_LIMIT, ThreadScenario

if TYPE_CHECKING:
    from concurrent.futures import Executor


EXECUTIONS = 1000  # default limit if the caller gives neither a number of executions nor a time limit
UNTIL = ("saturated", "covered", "first-finding", "exhausted", "budget")  # values of `until`


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
    """Run a scenario many times, with different interleavings of its threads, and return the `Result`.

    * `scenario` is a function without parameters that starts threads and checks their results. `setup` is called before
      each execution. `isolate="fork"` runs each execution in a child process. `source` names the code to instrument.
    * The default `scheduler`, the portfolio, combines several schedulers, one of which targets uncovered requirements.
      When coverage saturates without a finding, the search tries every partial order (except with `workers`).
    * `executions` (default 1000, or unlimited with `seconds`) and `seconds` limit the search. `until` can end the
      search earlier: "first-finding" at the first finding, "saturated" once coverage is saturated (the default if the
      scheduler targets coverage).
    * With `switches="gil"`, threads switch only where CPython with the GIL can switch. `timeouts="any"` lets a timed
      wait expire even if other threads are enabled. `wakeups="any"` lets `notify` wake any waiting thread.
    * A thread that is blocked outside raddle's control for `patience_seconds` is reported as a finding, and so is an
      execution of more than `step_limit` steps. `shrink` simplifies the schedules of findings.
    * `criteria` names the criteria to measure. Two threads count as the same if they have the same type and the first
      `thread_methods` methods that they run are the same. The criterion "pinv" distinguishes up to `pinv_occurrences`
      occurrences of an access.
    * Coverage and the schedules that increased it are added to `data_file`. With `corpus`, the search starts with the
      schedules stored in that file. `progress` is called with each `ProgressUpdate`. `seed` is random by default.
    * `workers` is a `concurrent.futures` executor or a number of processes; this number does not affect the result.

    >>> import threading, raddle
    >>> def scenario():
    ...     done = []
    ...     thread = threading.Thread(target=lambda: done.append(1))
    ...     thread.start(); thread.join(); assert done == [1]
    >>> raddle.explore(scenario, scheduler="exhaustive").outcome
    'passed'
    """
    is_coverage_requested = bool(criteria) or data_file is not None
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
        measure_all=is_coverage_requested,
        finish_exhaustively=finish_exhaustively and workers is None,
        settings=CriterionSettings(pinv_occurrences=pinv_occurrences),
    )
    return search(plan, budget, data_file=data_file, corpus=corpus, workers=workers, progress=progress)


def _check_until(until: str | None, scheduler: str, *, complete: bool) -> None:
    if until == "exhausted" and not complete:
        raise UsageError(
            "bad-until",
            "until='exhausted' needs a scheduler that can run all schedules: 'exhaustive', 'deepening' or "
            f"'reachability', not {scheduler!r}",
        )


def _goal(
    scheduler: str, criteria: str | Sequence[str], until: str | None, budget: Budget
) -> tuple[tuple[str, ...], Budget, bool]:
    """Fill in defaults; return the criteria, the budget, and whether to finish with an exhaustive search."""
    names = _criteria_names(criteria or (Threads.default_criteria if is_guided(scheduler) else ()))
    portfolio = scheduler.partition(":")[0] == "portfolio"
    finish_exhaustively = until in (None, "first-finding") and portfolio and bool(names)
    if until is None:
        until = "saturated" if names and is_guided(scheduler) else "first-finding"
    _check_budget(until, budget, names)
    executions = budget.executions
    if executions is None and budget.seconds is None and until != "exhausted":
        executions = EXECUTIONS
    return names, Budget(executions, budget.seconds, until), finish_exhaustively


@dataclass(frozen=True, slots=True)
class Sample:
    """One measured execution, as yielded by `measure`."""

    number: int  # number of this execution, starting at 1
    outcome: Outcome  # how the execution ended
    covered: Mapping[str, frozenset[Key]]  # maps each criterion to the keys of the requirements covered
    entities: Entities  # variables, resources and threads of the execution

    @property
    def cast(self) -> Entities:
        """The former name of `entities`, kept as an alias."""
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
    """Run a scenario repeatedly and yield the outcome and the coverage of each execution.

    Unlike `explore`, `measure` continues after failures, shrinks nothing and stores nothing. It ends after `executions`
    executions, or earlier if the scheduler has no more schedules to run. The other arguments have the same meaning as
    in `explore`.

    Raises:
        UsageError: If an argument is invalid or `criteria` is empty.

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
        raise UsageError(
            "no-criteria", "`raddle.measure` needs at least one criterion; `raddle criteria` lists all criteria"
        )
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


def _check_budget(until: str, budget: Budget, criteria: Sequence[str]) -> None:
    executions, seconds = budget.executions, budget.seconds
    if until not in UNTIL:
        raise UsageError("bad-until", f"until must be one of {', '.join(UNTIL)}, not {until!r}")
    if until in GOALS and not criteria:
        raise UsageError(
            "bad-until", f"until={until!r} requires criteria: pass `criteria`, or use the scheduler 'portfolio'"
        )
    if executions is not None and executions < 1:
        raise UsageError("bad-budget", f"executions must be at least 1, not {executions}")
    if seconds is not None and not seconds > 0:
        raise UsageError("bad-budget", f"seconds must be more than 0, not {seconds}")


def _criteria_names(criteria: str | Sequence[str]) -> tuple[str, ...]:
    if not criteria or criteria in ("none", ["none"], ("none",)):
        return ()
    if not isinstance(criteria, str):
        criteria = _list_of_names(criteria)
    from raddle.criteria import resolve_for_threads

    return resolve_for_threads(criteria)


def _list_of_names(criteria: Sequence[str]) -> list[str]:
    try:
        names = list(criteria)
    except TypeError:
        names = [criteria]  # type: ignore[list-item]
    if not all(isinstance(name, str) for name in names):
        expected = "a comma-separated string or a list of strings"
        raise UsageError("bad-criteria", f"criteria must be names, given as {expected}, not {criteria!r}")
    return names


def check(scenario: Callable[[], object], *, story: str = "short", **options: Any) -> Result:
    """Explore a scenario; if an execution fails, raise an `AssertionError` that explains the first finding.

    This is `explore` for use in tests. By default, it stops at the first finding.

    Args:
        scenario: The function to run, as for `explore`.
        story: Length of the story in the error message: `"short"` folds the steps that do not explain the failure,
            `"full"` shows every step.
        options: Keyword arguments of `explore`.

    Returns:
        The result of the search, if there is no finding.

    Raises:
        FindingError: If an execution failed. It is an `AssertionError`; its message is the story of the finding.
        NothingTestedError: If no execution ended in time, or if the target function of a thread cannot be
            instrumented.

    Warns:
        UnwatchedWarning: If threads call packages without probes, where failures may have been missed.

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
    raddle.errors.FindingError: deadlock in T1: T1 waits for T2, which waits for T1 (can happen on this interpreter)
    ...
    """
    __tracebackhide__ = True
    length = StoryLength.parse(story)
    result = explore(scenario, **{"until": "first-finding", **options})
    if result.findings:
        raise FindingError(story_text(result.findings[0], length=length), result) from None
    require_tested(result)
    unwatched = unwatched_calls(result.not_instrumented)
    if unwatched:
        warnings.warn(UnwatchedWarning(f"failures may have been missed: {unwatched}"), stacklevel=2)
    return result


def require_tested(result: Result) -> None:
    """Raise an error if no execution ended in time, or if a thread's target function cannot be instrumented."""
    if not result.executions and not result.findings and result.stopped_because is StopReason.SECONDS:
        raise NothingTestedError(
            "no-execution-ended",
            f"nothing was tested: {'; '.join(result.notes)}. Allow more seconds, or check the scenario for a busy loop",
        )
    for not_instrumented in result.not_instrumented:
        if not_instrumented.unwatchable_target:
            raise NothingTestedError(
                "unwatched-target",
                f"nothing was tested: {not_instrumented.what} cannot be instrumented ({not_instrumented.why}). "
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
    """Run a scenario once, following a schedule, and return the finding, or None if the execution passes.

    Args:
        scenario: The function to run, as for `explore`.
        schedule: The schedule to follow, usually copied from a finding, such as
            `"T0; T1 until log.py:9 write n; T2."`.
        source: As for `explore`.
        setup: As for `explore`.
        isolate: As for `explore`.
        timeouts: As for `explore`. Must be the same as in the original execution.
        wakeups: As for `explore`. Must be the same as in the original execution.
        step_limit: As for `explore`.
        patience_seconds: How many seconds a thread may be blocked outside raddle's control before the execution fails.
            There is no limit while a debugger is active, or if this is None. Without a limit, a notice on stderr says
            where the thread is blocked, and Ctrl-C ends the execution.

    Raises:
        DivergedError: If the schedule does not fit the code.
        ScheduleError: If the schedule cannot be parsed.

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
