"""The public function `linearizable`: checks concurrent calls without assertions written by hand.

It runs the calls one at a time, in every order, to learn the legal outcomes. Then it runs every schedule with few
preemptions, and judges each outcome against the legal ones.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

from raddle.errors import FindingError, UnwatchedWarning, UsageError
from raddle.execute.thread_installation import Threads
from raddle.exploring.workbench import Workbench
from raddle.inspection import unwrapped
from raddle.instrument import Selection
from raddle.linearizability.arguments import (
    check_budget,
    checked_reset,
    concurrent_calls,
    oracles_named,
    parsed_schedule,
)
from raddle.linearizability.checker import STEP_LIMIT, Checker, Verdict
from raddle.linearizability.concurrent_calls import CallOn, ConcurrentCalls
from raddle.linearizability.controllable import Select, reason_not_controlled
from raddle.linearizability.description import CallNames, sentence, table
from raddle.linearizability.explanation import SEED, Explanation, explain, replay_hint
from raddle.linearizability.legal import LegalHistories, UnusableTestError
from raddle.operation import CALL
from raddle.outcome import OutcomeKind
from raddle.refusal import unwatched_calls
from raddle.report.story import story_text
from raddle.result import Result
from raddle.schedule import Schedule
from raddle.stop_reason import StopReason
from raddle.story_length import StoryLength
from raddle.thread_scenario import PATIENCE_SECONDS, ThreadScenario, selection_of
from raddle.wording import count

MAX_EXECUTIONS = 1_000
# How many times as long a call may compute as it may block. The calls of a test are short, so little time is enough.
BUSY_FACTOR = 2
PREEMPTIONS = 2


def linearizable(
    setup: Callable[[], Any],
    *threads: Sequence[CallOn],
    observe: Sequence[CallOn] = (),
    oracle: str | Sequence[str] = ("exceptions", "hangs", "results", "state"),
    schedule: str | Schedule | None = None,
    preemptions: int = PREEMPTIONS,
    max_executions: int = MAX_EXECUTIONS,
    invariant: CallOn | None = None,
    reset: Callable[[], object] | None = None,
    source: Sequence[str] = (),
    switches: str = "free-threaded",
    step_limit: int = STEP_LIMIT,
    patience_seconds: float = PATIENCE_SECONDS,
    story: str = "short",
) -> Result:
    """Check that concurrent calls end as they do in some order of whole calls. No assertion is needed.

    First, the calls are made one at a time, in every order, which gives the legal outcomes. Then every schedule with at
    most `preemptions` preemptions is run, up to `max_executions` executions.

    Args:
        setup: Returns the object on which the calls are made, or a tuple of several objects.
        threads: The calls of each thread, as functions of that object, such as `lambda stack: stack.pop()`.
        observe: Functions of the object that are called after the threads have ended. Their results count as part of
            the outcome.
        oracle: What is compared with the legal outcomes: `"exceptions"` of calls and observers, `"hangs"` (calls that
            never end), the `"results"` of calls, and the `"state"` that the observers see.
        schedule: A schedule that is run first, as a hint. It is ignored if it does not fit the code.
        preemptions: Maximum number of preemptions in a schedule.
        max_executions: Maximum number of schedules to run.
        invariant: A function of the object that is called at the end. It fails by raising an exception or by returning
            a false value other than None.
        reset: Called before each execution, to put back state that executions share.
        source: As for `explore`.
        switches: As for `explore`.
        step_limit: Number of steps after which the calls in progress count as endless.
        patience_seconds: How many seconds a call may block outside raddle's control. A call may compute for twice as
            long without reaching a scheduling point.
        story: As for `check`.

    Returns:
        The result of the search, if every outcome is legal. `stopped_because` says whether the search was complete.

    Raises:
        FindingError: If an outcome is not legal. The message contains the legal outcomes and the story.
        UsageError: If the calls cannot be checked, for example because `setup` raises an exception.

    >>> import threading, raddle
    >>> class Counter:
    ...     def __init__(self):
    ...         self.lock, self.value = threading.Lock(), 0
    ...     def increment(self):
    ...         with self.lock:
    ...             value = self.value + 1
    ...         with self.lock:
    ...             self.value = value
    ...         return value
    >>> raddle.linearizable(Counter, [lambda counter: counter.increment()], [lambda counter: counter.increment()])
    Traceback (most recent call last):
    ...
    raddle.errors.FindingError: the results of counter.increment() and counter.increment() are none of the 2 that ...
    ...
    """
    __tracebackhide__ = True
    check = LinearizabilityCheck(
        setup, threads, observe=observe, oracle=oracle, schedule=schedule, preemptions=preemptions,
        max_executions=max_executions, invariant=invariant, reset=reset, source=source, switches=switches,
        step_limit=step_limit, patience_seconds=patience_seconds, story=story,
    )  # fmt: skip
    checked = check.run()
    if checked.explanation is not None:
        raise FindingError(checked.message, checked.result) from None
    unwatched = unwatched_calls(checked.result.not_instrumented)
    if unwatched:
        warnings.warn(UnwatchedWarning(f"failures may have been missed: {unwatched}"), stacklevel=2)
    return checked.result


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check."""

    result: Result
    explanation: Explanation | None = None  # None if every outcome is legal
    message: str = ""  # of the `FindingError`


@dataclass(frozen=True, slots=True)
class LinearizabilityCheck:
    """A check with its options, which are those of `linearizable`."""

    setup: Callable[[], Any]
    threads: Sequence[Sequence[CallOn]]
    _: KW_ONLY
    observe: Sequence[CallOn] = ()
    oracle: str | Sequence[str] = ("exceptions", "hangs", "results", "state")
    schedule: str | Schedule | None = None
    preemptions: int = PREEMPTIONS
    max_executions: int = MAX_EXECUTIONS
    invariant: CallOn | None = None
    reset: Callable[[], object] | None = None
    source: Sequence[str] = ()
    switches: str = "free-threaded"
    step_limit: int = STEP_LIMIT
    patience_seconds: float = PATIENCE_SECONDS
    story: str = "short"
    selection: Selection | None = None  # the modules to instrument; None to derive them from the functions

    def run(self, workbench: Workbench | None = None) -> Checked:
        """Run the check; violations are part of the result.

        A workbench that is given must be active, and its modules must be those of the check.
        """
        length = StoryLength.parse(self.story)
        calls = self._calls()
        hint = parsed_schedule(self.schedule)
        check_budget(preemptions=self.preemptions, max_executions=self.max_executions)
        names = CallNames.of(calls)
        selection, began = self._selection(calls), time.monotonic()
        with self._checker(calls, selection, workbench) as checker:
            verdict, explanation = self._search(checker, selection, hint)
            result = _result(checker, verdict, explanation, self.preemptions)
            legal = checker.legal()
        result = replace(result, seconds=time.monotonic() - began, switches=self.switches)
        return Checked(result, explanation, "" if explanation is None else _text(explanation, legal, names, length))

    def is_repeatable(self, workbench: Workbench | None = None) -> bool:
        """Make whole calls twice, in every order; return whether they end in the same ways."""
        calls = self._calls()
        with self._checker(calls, self._selection(calls), workbench) as checker:
            return checker.is_repeatable()

    def workbench(self, selection: Selection) -> Workbench:
        """Return a workbench on which the check can be run several times."""
        return Workbench(Threads(selection, patience_seconds=self.patience_seconds, busy_factor=BUSY_FACTOR))

    def _calls(self) -> ConcurrentCalls:
        return concurrent_calls(self.setup, self.threads, self.observe, self.invariant)

    @contextmanager
    def _checker(self, calls: ConcurrentCalls, selection: Selection, workbench: Workbench | None) -> Iterator[Checker]:
        """Return a checker; inside the `with` block, calls that cannot be tested raise a `UsageError`."""
        oracles, reset = oracles_named(self.oracle, self.invariant), checked_reset(self.reset)
        with (
            self.workbench(selection) if workbench is None else nullcontext(workbench) as bench,
            Checker(
                bench, calls, reset=reset, oracles=oracles, step_limit=self.step_limit, switches=self.switches
            ) as checker,
        ):
            try:
                yield checker
            except UnusableTestError as error:
                raise UsageError(error.slug, str(error)) from error.__cause__

    def _selection(self, calls: ConcurrentCalls) -> Selection:
        """Check the options of executions, and return the modules to instrument."""
        options = ThreadScenario(
            _nothing, self.reset, source=self.source, switches=self.switches, step_limit=self.step_limit,
            patience_seconds=self.patience_seconds,
        )  # fmt: skip
        return self.selection or selection_of(_first_with_source(calls), options.source)

    def _search(self, checker: Checker, select: Select, hint: Schedule | None) -> tuple[Verdict, Explanation | None]:
        """Replay the hint, and then run every schedule within the bound, until a violation is found."""
        legal = checker.legal()
        reason = reason_not_controlled(checker.harness.shared, select)
        if reason is not None:
            raise UnusableTestError(reason[1], reason[0])
        if any(history.broken for history in legal.histories):
            raise UnusableTestError(
                "the invariant does not hold even if the calls are made one at a time", "false-invariant"
            )
        session = checker.session
        session.rehearse()  # notices the functions without probes that threads call
        if any(missing.called for missing in session.not_instrumented):
            session.known_points.add_operation(CALL)
        if hint is not None:
            explanation = replay_hint(checker, hint)
            if explanation is not None:
                return Verdict(None, 0, exhausted=False), explanation
        verdict = checker.search(preemptions=self.preemptions, max_executions=self.max_executions)
        return verdict, None if verdict.failure is None else explain(checker, verdict.failure)


def _nothing() -> None:
    """Do nothing; this scenario is used only to check options with `ThreadScenario`."""


def _result(checker: Checker, verdict: Verdict, explanation: Explanation | None, preemptions: int) -> Result:
    session = checker.session
    notes: tuple[str, ...] = ()
    reason = StopReason.EXECUTIONS
    if explanation is not None:
        reason, notes = StopReason.FIRST_FINDING, explanation.notes
    elif verdict.exhausted and verdict.cut:
        reason = StopReason.EXHAUSTED_WITHIN_BOUND
        notes = (f"every schedule with at most {count(preemptions, 'preemption')} was run; other schedules exist",)
    elif verdict.exhausted:
        reason = StopReason.EXHAUSTED_IN_PART if session.not_instrumented else StopReason.EXHAUSTED
    findings = () if explanation is None else (explanation.finding,)
    return Result(
        outcome=OutcomeKind.PASSED if explanation is None else explanation.finding.kind,
        findings=findings,
        executions=checker.executions,
        scheduling_points=checker.steps,
        seconds=0.0,
        stopped_because=reason,
        seed=SEED,
        scheduler=f"deepening:preemptions={preemptions}",
        not_instrumented=tuple(session.not_instrumented),
        notes=notes,
    )


def _text(explanation: Explanation, legal: LegalHistories, names: CallNames, length: StoryLength) -> str:
    """Return the message: what went wrong, what is legal, how it happened, and the schedule to paste."""
    finding, violation = explanation.finding, explanation.violation
    told = story_text(finding, replay=f'pass schedule="{finding.schedule}"', length=length)
    if finding.kind == OutcomeKind.DIVERGENCE:
        return told
    return "\n\n".join([sentence(violation, legal, names), table(violation, legal, names), told])


def _first_with_source(calls: ConcurrentCalls) -> Callable[..., object]:
    """Return the first function of the test that is defined in a file, which determines the project."""
    functions: list[Callable[..., object]] = [calls.setup, *(call for thread in calls.threads for call in thread)]
    found = (call for call in functions if _has_file(call))
    return next(found, next((call for call in functions if hasattr(unwrapped(call), "__code__")), calls.setup))


def _has_file(call: Callable[..., object]) -> bool:
    code = getattr(unwrapped(call), "__code__", None)
    return code is not None and os.path.isfile(code.co_filename)
