"""Runs a test on native threads, as the published tools do, in a child process with a time limit.

The child undoes the controlled installation, so the class runs with the real primitives and without probes. Exceptions
and hangs are recorded in the same histories as those of controlled executions, so they are compared with the same legal
histories. Results are not compared: the published tools look only for exceptions and deadlocks.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from raddle.engine.points import KnownPoints
from raddle.entities import Entities
from raddle.execute.fork import ChildDiedError, can_fork, in_child
from raddle.execute.installation import Installation
from raddle.generation.covcon_ranking import CallEvent
from raddle.generation.native_calls import recorded_calls
from raddle.generation.native_patterns import PatternSink, site_table, watching
from raddle.generation.raw_patterns import RawPattern
from raddle.instrument import Selection
from raddle.linearizability.checker import Failure
from raddle.linearizability.concurrent_calls import ConcurrentCalls
from raddle.linearizability.harness import Harness
from raddle.linearizability.history import Ending, EndingKind, History
from raddle.linearizability.judgment import Oracle, Violation, judge
from raddle.linearizability.legal import LegalHistories, UnusableTestError
from raddle.site import SiteTable
from raddle.step import Step

HANG_SECONDS = 5.0  # time without an end after which the calls of a test count as hanging
_PUBLISHED_ORACLES = frozenset({Oracle.EXCEPTIONS, Oracle.HANGS})


@dataclass(frozen=True, slots=True)
class NativeSettings:
    """How tests run on native threads."""

    installation: Installation  # is left in the child process
    selection: Selection  # the modules to instrument if patterns are measured
    reset: Callable[[], object] | None = None  # called before each repetition
    hang_seconds: float = HANG_SECONDS
    on_observed: Callable[[Sequence[Step], Entities], None] = lambda steps, entities: None  # gets what was measured


@dataclass(frozen=True, slots=True)
class NativeResult:
    """The result of the repetitions of a test, which end with the first one in which a call raises or hangs."""

    repetitions: int
    history: History | None = None  # of the last repetition, if a call raised or hung; results are left out
    events: tuple[tuple[CallEvent, ...], ...] = ()  # the calls of methods, by repetition
    patterns: frozenset[RawPattern] = frozenset()
    observed: tuple[tuple[tuple[Step, ...], Entities], ...] = ()  # of the repetitions whose patterns are measured


@dataclass(frozen=True, slots=True)
class NativeFailure(Failure):
    """A violation on native threads. It has no decisions: no schedule reproduces it."""

    repetition: int = 0


@dataclass(slots=True)
class _Measured:
    """What the child records while it runs."""

    events: list[tuple[CallEvent, ...]] = field(default_factory=list)
    patterns: set[RawPattern] = field(default_factory=set)
    observed: list[tuple[tuple[Step, ...], Entities]] = field(default_factory=list)

    def result(self, repetitions: int, history: History | None = None) -> NativeResult:
        """Return the result of the repetitions so far."""
        return NativeResult(repetitions, history, tuple(self.events), frozenset(self.patterns), tuple(self.observed))


def run_natively(
    calls: ConcurrentCalls,
    settings: NativeSettings,
    *,
    repetitions: int,
    overlaps_of: type | None = None,
    patterns: bool = False,
) -> NativeResult:
    """Run a test several times.

    `overlaps_of` is the class whose calls are recorded, and `patterns` whether access patterns are measured.

    Raises:
        UnusableTestError: If the test cannot run natively, for example because a call ends the process.
    """
    if not can_fork():
        raise UnusableTestError("native runs need os.fork, which this system does not have")
    limit = settings.hang_seconds * 4 + 60

    def run() -> NativeResult:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, limit)  # in case a call blocks all threads
        settings.installation.leave_entirely()
        return _repeat(calls, settings, repetitions, overlaps_of, patterns)

    sys.stdout.flush()  # so that the child does not write buffered text a second time
    sys.stderr.flush()
    try:
        return in_child(run)
    except ChildDiedError as died:
        raise UnusableTestError(f"the native run ended without a result: {died}") from None


def _repeat(
    calls: ConcurrentCalls,
    settings: NativeSettings,
    repetitions: int,
    overlaps_of: type | None,
    patterns: bool,
) -> NativeResult:
    """Run the repetitions in the child process."""
    measured, harness = _Measured(), Harness(calls)
    table = site_table(settings.selection) if patterns else None
    for number in range(1, repetitions + 1):
        if settings.reset is not None:
            settings.reset()
        with _measuring(measured, overlaps_of, settings.selection, table):
            thread = threading.Thread(target=harness, daemon=True)
            thread.start()
            thread.join(settings.hang_seconds)
        if harness.setup_error is not None:
            raise UnusableTestError(f"the setup raises {harness.setup_error!r} on native threads")
        if thread.is_alive() or any(harness.errors):
            return measured.result(number, _without_results(harness.history()))
    return measured.result(repetitions)


@contextmanager
def _measuring(
    measured: _Measured, overlaps_of: type | None, selection: Selection, table: SiteTable | None
) -> Iterator[None]:
    """Record the calls inside the `with` block, and the accesses if there is a table for their sites."""
    sink = PatternSink()
    watched = nullcontext() if table is None else watching(selection, table, sink)
    with watched, recorded_calls(overlaps_of) as events:
        yield
    measured.events.append(tuple(events))
    measured.patterns |= sink.patterns
    if sink.observed is not None:
        measured.observed.append(sink.observed)


def _without_results(history: History) -> History:
    """Return a history without results, which may not be picklable."""

    def plain(endings: Sequence[Ending]) -> tuple[Ending, ...]:
        return tuple(Ending(one.kind) if one.kind is EndingKind.RETURNED else one for one in endings)

    return History(tuple(map(plain, history.threads)))


def judge_natively(result: NativeResult, legal: Callable[[], LegalHistories]) -> NativeFailure | None:
    """Return the failure if a call raised an exception, or hung, that no order of whole calls has (ConTeGe's rule)."""
    if result.history is None:
        return None
    violation: Violation | None = judge(result.history, legal().histories, _PUBLISHED_ORACLES)
    if violation is None:
        return None
    return NativeFailure(violation, None, (), KnownPoints(), result.repetitions)
