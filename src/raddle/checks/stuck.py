"""Executions that cannot continue: a deadlock, or a wake-up that was lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raddle.inspection import resource_kind
from raddle.operation import JOIN, SLEEP, Kind
from raddle.outcome import Outcome, OutcomeKind
from raddle.place import Place
from raddle.wait import Lock, Wait


@dataclass(frozen=True, slots=True)
class Waiter:
    """A thread that is blocked when no thread can continue."""

    thread: str
    kind: Kind  # of the operation that it is about to do
    resource: Any
    held: tuple[Any, ...]
    waits_for: str | None  # the thread that holds the resource, or whose end is awaited
    acquired_at: Place | None  # where the resource was acquired, if it is a lock that is held
    lost: bool  # the notification of the resource came when no thread was waiting for it
    daemon: bool
    place: Place | None

    @property
    def wait(self) -> Wait:
        """The same without objects of the execution."""
        return Wait(
            thread=self.thread,
            kind=self.kind,
            resource="" if self.kind in (JOIN, SLEEP) else resource_kind(type(self.resource)),
            waits_for=self.waits_for or "",
            acquired_at=self.acquired_at,
            place=self.place,
            holds=tuple(Lock(resource_kind(type(lock)), lock.taken_at) for lock in self.held),
        )


def explain_stuck(waiters: Sequence[Waiter]) -> Outcome:
    """Return a deadlock if threads wait for one another; a lost wake-up if the only notification came too early."""
    cycle = find_cycle({waiter.thread: waiter.waits_for or "" for waiter in waiters})
    waits = tuple(waiter.wait for waiter in waiters if not waiter.daemon)
    lost = next((waiter.wait for waiter in waiters if waiter.lost and not waiter.daemon), None)
    kind, thread = OutcomeKind.DEADLOCK, waits[0].thread if waits else ""
    if cycle:
        thread = cycle[0]
        message = f"{thread} waits for itself" if len(cycle) == 1 else " waits for ".join([*cycle, thread])
    elif lost:
        kind, thread = OutcomeKind.LOST_WAKEUP, lost.thread
        message = f"{thread} {lost.sentence}, but the notification came before it waited"
    else:
        verb = "waits" if len(waits) == 1 else "wait"
        threads = " and ".join(wait.thread for wait in waits)
        message = f"{threads} {verb} for ever: nobody is left to wake them"
    signature = sorted(f"{wait.kind} {wait.place or wait.thread}" for wait in waits)
    return Outcome(kind, message, thread, (kind, *signature), tuple(map(str, waits)), waits=waits)


def find_cycle(waits_for: Mapping[str, str]) -> list[str]:
    """Return the threads of a wait-for cycle, beginning with the smallest; [] if there is none.

    >>> find_cycle({"T1": "T2", "T2": "T1", "T0": "T1"})
    ['T1', 'T2']
    """
    for start in sorted(waits_for):
        path: list[str] = []
        here = start
        while here and here not in path:
            path.append(here)
            here = waits_for.get(here, "")
        if here == start:
            return path
    return []
