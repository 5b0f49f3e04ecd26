"""A depth-first search that runs calls one at a time: threads switch only between calls and at calls that block.

Sleeps and timed waits end by themselves, so a call in one of them is not a reason to let another call run. Under
`Timeouts.ANY`, a call therefore sleeps without a switch, and there are two ways to continue a timed wait:

* The timeout expires, before any other call runs.
* Other calls run. Then the wait must end in time, because of what they did.

If a wait expires although another call has run meanwhile, the two calls overlap. Under `Timeouts.LATE`, sleeps and
timed waits expire only when no other thread can continue, so most executions that contain them overlap.

A call that sleeps or times out again and again polls for something, so it waits for other calls, too.

Threads that the object has started run between calls, or when a call blocks. In each execution, their sleeps and timed
waits end early `MAX_CHOICES` times, and otherwise only when no call can continue. If there are too many orders, they
end early less often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from raddle.linearizability.history import Position
from raddle.operation import SLEEP
from raddle.schedulers.base import Alternative, Thread
from raddle.schedulers.exhaustive import Choice, DepthFirst

MAX_IDLE = 50  # sleeps and expired timed waits of one call after which it is assumed to poll
MAX_CHOICES = 2  # timed waits of one call that are both continued and left; more would take too many executions


class Calls(Protocol):
    """What the search needs to know about the running execution."""

    def is_in_call(self, participant: int) -> bool:
        """Return whether the participant with this index is making a call."""

    def is_worker(self, participant: int) -> bool:
        """Return whether the participant with this index makes calls, rather than having been started by one."""

    def position(self, participant: int) -> Position:
        """Return the position of the call that a worker is making."""


@dataclass(slots=True)
class _Left:
    """A thread that sleeps or waits with a timeout while other threads run."""

    number: int  # position in the order in which threads were left
    polls: bool = False
    thread_ran: bool = False  # whether another thread has run since
    call_ran: bool = False  # whether another worker has run since


class WholeCalls(DepthFirst):
    """Runs every order of whole calls.

    A call that blocks stays pending, and another thread continues. Threads that the calls have started run whenever no
    call can continue.
    """

    def __init__(self, calls: Calls, *, own_choices: int = MAX_CHOICES) -> None:
        self._calls = calls
        self._own_choices = own_choices
        self._path = []
        self.has_own_threads = False  # whether the calls started threads that ran in any execution
        self.polls: set[Position] = set()  # calls that polled in any execution
        self._begin_execution()

    def _begin_execution(self) -> None:
        self.overlaps: set[Position] = set()  # calls that slept or timed out although another call had run meanwhile
        self._left: dict[int, _Left] = {}  # by the index of the participant
        self._idle: dict[int, int] = {}  # number of sleeps and expired waits in the current call of each participant
        self._leaves = 0
        self._proceeds = -1  # index of the participant whose wait must not expire now

    @property
    def sees_forced_steps(self) -> bool:
        """True, because a thread may be the only one that can continue while another one sleeps."""
        return True

    def begin(self, number: int, space: int) -> bool:
        # Scheduling points that are added inside calls do not matter, so the search does not start over.
        if self._started and not self._backtrack():
            return False
        self._started = True
        self._depth = 0
        self._begin_execution()
        return True

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        if current is not None and (current.done or not self._calls.is_in_call(current.index)):
            current = None
        if current is not None and current in enabled and not _is_idle(current):
            return current
        first = enabled[0]
        chosen = self._next(enabled, current) if first.index else self._main_or_own(enabled)
        if chosen.index:
            self._note(chosen)
        return chosen

    def _main_or_own(self, enabled: Sequence[Thread]) -> Thread:
        """Return the main thread, or a thread that the object has started.

        The main thread starts the calls, and observes the object after them. Before that, other threads may continue.
        """
        main, *others = enabled
        own = [one for one in others if not self._calls.is_worker(one.index) and not self._waits_in_vain(one)]
        return self._decide([main, *own]) if own else main

    def _next(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        """Return the thread to run; `current` is making a call, but it blocks or is idle."""
        candidates = [thread for thread in enabled if not self._waits_in_vain(thread)]
        if current is not None and _is_idle(current):
            others = [thread for thread in candidates if thread is not current]
            if current not in enabled:
                self._leave(current)
            elif not others or self._goes_on(current):
                return current
            elif not self._calls.is_worker(current.index):
                self._leave(current)
                candidates = others
            elif self._polls(current):
                candidates = others
            else:
                chosen = self._decide([current, *others])
                if chosen is not current:
                    self._leave(current)
                return chosen
        if not candidates:  # time passes
            return min(enabled, key=self._left_since)
        if len(candidates) == 1 and self._calls.is_worker(candidates[0].index):
            return candidates[0]
        return self._decide(candidates)

    def _decide(self, options: Sequence[Thread]) -> Thread:
        depth = self._advance()
        if depth == len(self._path):
            self._path.append(Choice([thread.label for thread in options]))
        return self._prescribed(depth, options)

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        # A wait that can end in time because of another call must do so.
        return 0 if thread.index == self._proceeds else super().choose_alternative(thread, options)

    # -- sleeps and timed waits ---------------------------------------------------------------------

    def _goes_on(self, current: Thread) -> bool:
        """Count a sleep or a wait of a call that could expire now; return whether the call continues in any case."""
        if not self._calls.is_worker(current.index):
            return False
        idle = self._idle[current.index] = self._idle.get(current.index, 0) + 1
        return idle <= MAX_IDLE and (current.kind == SLEEP or idle > MAX_CHOICES)

    def _polls(self, current: Thread) -> bool:
        """Return whether the call waits for other calls although it is only idle; if so, leave it."""
        if self._idle[current.index] <= MAX_IDLE:
            return False
        self._idle[current.index] = 0
        self.polls.add(self._calls.position(current.index))
        self._leave(current, polls=True)
        return True

    def _leave(self, thread: Thread, *, polls: bool = False) -> None:
        self._leaves += 1
        self._left[thread.index] = _Left(self._leaves, polls)

    def _left_since(self, thread: Thread) -> int:
        left = self._left.get(thread.index)
        return 0 if left is None else left.number

    def _waits_in_vain(self, thread: Thread) -> bool:
        """Return whether the thread should not run yet, because it would only time out, or poll again."""
        if not _is_idle(thread) or not self._calls.is_in_call(thread.index):
            return False
        left = self._left.get(thread.index)
        if left is not None and left.polls:
            return not left.thread_ran
        if not self._calls.is_worker(thread.index):
            # Real time passes between calls, but a thread that polls would always find another order.
            return self._idle.get(thread.index, 0) >= self._own_choices
        return left is not None and left.call_ran

    def _note(self, chosen: Thread) -> None:
        """Record that a thread runs now."""
        index, is_worker = chosen.index, self._calls.is_worker(chosen.index)
        self.has_own_threads |= not is_worker
        if not is_worker and _is_idle(chosen):
            self._idle[index] = self._idle.get(index, 0) + 1
        left = self._left.pop(index, None)
        self._proceeds = -1
        if left is not None and left.call_ran and not left.polls and is_worker:
            if _is_idle(chosen):
                self.overlaps.add(self._calls.position(index))
            else:
                self._proceeds = index
        if not self._calls.is_in_call(index):
            self._idle.pop(index, None)
        for other in self._left.values():
            other.thread_ran = True
            other.call_ran |= is_worker


def _is_idle(thread: Thread) -> bool:
    """Return whether the thread sleeps, or waits with a timeout for something that has not happened."""
    return thread.kind == SLEEP or (thread.timer is not None and not thread.timer.in_time())
