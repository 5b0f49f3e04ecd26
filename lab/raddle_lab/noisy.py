"""Executions of a test case by its own threads, with noise, as in the paper.

Each is a forked process: whatever an execution leaves behind, threads that hang above all, goes with it. An
exception that nobody catches, in any thread, ends the execution, as it does under control. A deadlock is noticed
by the clock: no thread took a step for a while.

Two runs are never the same, whatever the seed: the noise is, but the operating system decides with it.
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
from raddle_lab.conflicts import without_private

NOISE_OPTIONS = ("yield:probability=0.2", "sleep:probability=0.02,strength=0.5")  # as `raddle run` takes them
LOOK_SECONDS = 0.1  # between two looks at whether anything happens; longer than any noise
PATIENCE = 3  # looks in a row that find nothing new
SIGNALS = 10  # after so many the main thread is told again: where a destructor ran, it did not hear
OF_ALL = ("concur-pairs",)  # metrics that the paper defines over all accesses, not only those to shared variables
GIVE_UP_SECONDS = 30  # a fault of ours must not keep the parent waiting for ever: all threads say where they are
ATTEMPTS = 3  # at an execution, if its process dies: one fault of ours must not cost everything

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
    """Yield executions, each with noise of its own."""
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
    with instrument_modules(watch.hook.loaded(), watch.table, blocks=blocks):  # a watch would leave its probes behind
        watch.start()
        try:
            watch.names.model()  # made once, for all children
            for number in range(1, executions + 1):
                outcome, steps, entities = _observed(_Execution(watch, scenario, number))
                shared = without_private(steps)
                covered = {one.name: one.cover(steps if one.name in OF_ALL else shared, entities) for one in observers}
                yield Sample(number, outcome, {name: frozenset(keys) for name, keys in covered.items()}, entities)
        finally:
            watch.stop()


def _observed(execution: _Execution, attempts: int = ATTEMPTS) -> Observed:
    try:
        return in_child(execution)
    except ChildDiedError as error:
        if attempts == 1:
            raise
        logger.warning("an execution was lost and is run again: %s", error)
    return _observed(execution, attempts - 1)


class _Steps:
    """All steps of an execution."""

    def begin(self, entities: Entities) -> None:
        self.entities = entities
        self.steps: list[Step] = []

    def feed(self, steps: Sequence[Step]) -> None:
        self.steps += steps

    def end(self) -> None:
        """There is nothing to do."""


class _OverError(BaseException):
    """The execution is given up; no handler of the program's is to catch that."""


class _Execution:
    """One execution, in a process of its own, which was forked from one that is watched.

    Signals interrupt whatever its main thread waits for: the clock's, and one from a thread that dies.
    """

    def __init__(self, watch: Watch, scenario: Callable[[], object], number: int) -> None:
        self._watch = watch
        self._scenario = scenario
        self._number = number
        self._outcome = Outcome(OutcomeKind.PASSED)
        self._seen = -1
        self._looks = 0
        self._signals = 0  # since the end is wanted
        self._over = False

    def __call__(self) -> Observed:
        # Each thread's noise is seeded with its label, which begins with this one.
        self._watch.recorder.local.thread.label = str(self._number)
        threading.excepthook = self._died
        signal.signal(signal.SIGALRM, self._look)
        signal.signal(signal.SIGUSR1, self._look)
        signal.setitimer(signal.ITIMER_REAL, LOOK_SECONDS, LOOK_SECONDS)
        try:
            try:
                self._scenario()
            except Exception as error:
                self._failed(error)
            self._over = True
        except _OverError:
            self._over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        faulthandler.register(signal.SIGALRM, file=sys.__stderr__, chain=True)
        signal.alarm(GIVE_UP_SECONDS)
        self._watch.stop()
        threading.excepthook = lambda args: None  # threads that still run may find things gone; nobody is to hear it
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
        """A thread ended by an exception: the main thread, which may wait for it, is told."""
        self._failed(args.exc_value)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)  # type: ignore[arg-type]

    def _look(self, number: int, frame: FrameType | None) -> None:
        """In the main thread, now and then: did anything happen?"""
        stream = self._watch.stream
        steps = stream.delivered_steps + len(stream.steps)
        self._looks = self._looks + 1 if steps == self._seen else 0
        self._seen = steps
        if self._looks >= PATIENCE and not self._outcome.failed:
            self._outcome = Outcome(OutcomeKind.DEADLOCK)
        if self._outcome.failed and not self._over:
            self._signals += 1
            if self._signals % SIGNALS == 1:
                raise _OverError
