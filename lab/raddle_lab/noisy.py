"""Runs native executions of a test case with noise, as in the paper.

Each execution runs in a forked process, so that anything it leaves behind, such as hanging threads, ends with the
process. An uncaught exception in any thread ends the execution, as in a controlled execution. A timer reports a
deadlock when no thread has taken a step for a while.

Two runs never behave identically, even with the same seed: the seed fixes the noise, but not the decisions of the
operating system.
"""

from __future__ import annotations

import faulthandler
import logging
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

from raddle.api import Sample
from raddle.criteria import make_criteria
from raddle.entities import METHODS, Entities
from raddle.errors import UsageError
from raddle.execute.fork import ChildDiedError, can_fork, in_child
from raddle.instrument import instrument_modules
from raddle.native.noise import Noise
from raddle.native.watch import Watch
from raddle.outcome import Outcome, OutcomeKind
from raddle.step import Step
from raddle.thread_scenario import selection_of
from raddle_lab.cases import Case
from raddle_lab.conflicts import without_private_accesses

NOISE_OPTIONS = ("yield:probability=0.2", "sleep:probability=0.02,strength=0.5")  # values for `raddle run --noise`
CHECK_SECONDS = 0.1  # interval between checks for progress; longer than any noise delay
PATIENCE = 3  # checks in a row without progress before a deadlock is reported
SIGNALS = 10  # raise the exception again after this many signals, because an exception raised in a destructor is lost
OVER_ALL_ACCESSES = (
    "concur-pairs",
)  # metrics that the paper defines over all accesses, not only those to shared variables
GIVE_UP_SECONDS = 30  # time limit for shutting down, after which the stacks of all threads are dumped
ATTEMPTS = 3  # attempts per execution, so that one crashed process does not spoil the whole collection

logger = logging.getLogger(__name__)

Observed = tuple[Outcome, tuple[Step, ...], Entities]


def noisy(
    case: Case,
    *,
    criteria: Sequence[str],
    executions: int,
    seed: int,
    noise: Sequence[str] = NOISE_OPTIONS,
    thread_methods: int = METHODS,
) -> Iterator[Sample]:
    """Run executions, each with different noise, and yield the requirements that each covered."""
    if not can_fork():
        raise UsageError("cannot-fork", "executions with noise need a system that can fork; use --mode controlled")
    observers = make_criteria(criteria)
    blocks = "blocks" in criteria
    scenario = case.scenario
    selection = selection_of(scenario, case.source)
    noises = [Noise.parse(text) for text in noise]
    watch = Watch(
        selection, lambda names: _Steps(), noises=noises, seed=seed, blocks=blocks, methods=thread_methods
    )  # fmt: skip
    # This context removes the probes at the end; stopping the watch would leave them in the modules.
    with instrument_modules(watch.hook.loaded(), watch.table, blocks=blocks):
        watch.start()
        try:
            watch.names.model()  # computed once, before the child processes are forked
            for number in range(1, executions + 1):
                outcome, steps, entities = _observed(_Execution(watch, scenario, number))
                shared = without_private_accesses(steps)
                covered = {
                    one.name: one.cover(steps if one.name in OVER_ALL_ACCESSES else shared, entities)
                    for one in observers
                }
                yield Sample(number, outcome, {name: frozenset(keys) for name, keys in covered.items()}, entities)
        finally:
            watch.stop()


def _observed(execution: _Execution, attempts: int = ATTEMPTS) -> Observed:
    try:
        return in_child(execution)
    except ChildDiedError as error:
        if attempts == 1:
            raise
        logger.warning("an execution was lost and will be repeated: %s", error)
    return _observed(execution, attempts - 1)


class _Steps:
    """Records all steps of an execution."""

    def begin(self, entities: Entities) -> None:
        self.entities = entities
        self.steps: list[Step] = []

    def feed(self, steps: Sequence[Step]) -> None:
        self.steps += steps

    def end(self) -> None:
        """Do nothing, so that the recorded steps stay available."""


class _ExecutionOverError(BaseException):
    """Raised to end the execution. It is a `BaseException`, so the program's own handlers do not catch it."""


class _Execution:
    """One execution, to be run in a forked child of the instrumented process.

    A timer signals the main thread at intervals, and a thread that ends with an exception signals it immediately. A
    signal interrupts the main thread even while the main thread is waiting.
    """

    def __init__(self, watch: Watch, scenario: Callable[[], object], number: int) -> None:
        self._watch = watch
        self._scenario = scenario
        self._number = number
        self._outcome = Outcome(OutcomeKind.PASSED)
        self._seen = -1
        self._idle_checks = 0
        self._signals = 0  # number of signals received since the execution failed
        self._over = False

    def __call__(self) -> Observed:
        # Each thread's noise is seeded with the thread's label, which begins with the label of the main thread.
        self._watch.recorder.local.thread.label = str(self._number)
        threading.excepthook = self._died
        signal.signal(signal.SIGALRM, self._check_progress)
        signal.signal(signal.SIGUSR1, self._check_progress)
        signal.setitimer(signal.ITIMER_REAL, CHECK_SECONDS, CHECK_SECONDS)
        try:
            try:
                self._scenario()
            except Exception as error:
                self._failed(error)
            self._over = True
        except _ExecutionOverError:
            self._over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        faulthandler.register(signal.SIGALRM, file=sys.__stderr__, chain=True)
        signal.alarm(GIVE_UP_SECONDS)
        self._watch.stop()
        # Remaining threads may fail during teardown; those errors are suppressed.
        threading.excepthook = lambda args: None
        stream = self._watch.stream
        if stream.error is not None:
            raise stream.error
        assert isinstance(stream.sink, _Steps)
        return self._outcome, tuple(stream.sink.steps), stream.sink.entities

    def _failed(self, error: BaseException) -> None:
        if not self._outcome.failed:
            kind = OutcomeKind.ASSERTION if isinstance(error, AssertionError) else OutcomeKind.EXCEPTION
            self._outcome = Outcome(kind, f"{type(error).__name__}: {error}")

    def _died(self, args: Any) -> None:
        """Record that an exception ended a thread, and interrupt the main thread, which may be joining that thread."""
        self._failed(args.exc_value)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)  # type: ignore[arg-type]

    def _check_progress(self, number: int, frame: FrameType | None) -> None:
        """Check in the main thread whether any step has been recorded since the last check."""
        stream = self._watch.stream
        steps = stream.delivered_steps + len(stream.steps)
        self._idle_checks = self._idle_checks + 1 if steps == self._seen else 0
        self._seen = steps
        if self._idle_checks >= PATIENCE and not self._outcome.failed:
            self._outcome = Outcome(OutcomeKind.DEADLOCK)
        if self._outcome.failed and not self._over:
            self._signals += 1
            if self._signals % SIGNALS == 1:
                raise _ExecutionOverError
