"""Nobody can go on: a deadlock, or a wake-up that was lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from raddle.inspection import resource_kind
from raddle.operation import JOIN, SLEEP, Kind
from raddle.outcome import Outcome, OutcomeKind


@dataclass(frozen=True, slots=True)
class Waiter:
    """A thread that waits when nothing moves any more."""

    thread: str
    kind: Kind  # what it is about to do, see `raddle.operation`
    resource: Any
    held: tuple[Any, ...]
    waits_for: str | None  # the thread that holds what it waits for, where there is one
    lost: bool  # the resource's notification came when nobody was there to hear it
    daemon: bool
    place: str


def explain_stuck(waiters: list[Waiter], *, name: Any = None) -> Outcome:
    """Deadlock if threads wait for one another; a lost wake-up if the only notification came too early."""
    cycle = find_cycle({w.thread: w.waits_for for w in waiters if w.waits_for})
    lost = [w for w in waiters if not w.daemon and w.lost]
    name = name or (lambda resource: resource_kind(type(resource)))
    details = [describe(w, name) for w in waiters if not w.daemon]
    signature = tuple(sorted(f"{w.kind} {w.place or w.thread}" for w in waiters if not w.daemon))
    first = next((w.thread for w in waiters if not w.daemon), "")
    if cycle:
        if len(cycle) == 1:
            message = f"{cycle[0]} waits for itself"
        else:
            message = " waits for ".join([*cycle, cycle[0]])
        return Outcome(OutcomeKind.DEADLOCK, message, cycle[0], (OutcomeKind.DEADLOCK, *signature), tuple(details))
    if lost:
        w = lost[0]
        message = f"{w.thread} {w.kind.waiting} {name(w.resource)}, but the notification came before it waited"
        return Outcome(
            OutcomeKind.LOST_WAKEUP, message, w.thread, (OutcomeKind.LOST_WAKEUP, *signature), tuple(details)
        )
    stuck = [w.thread for w in waiters if not w.daemon]
    verb = "waits" if len(stuck) == 1 else "wait"
    message = f"{' and '.join(stuck)} {verb} for ever: nobody is left to wake them"
    return Outcome(OutcomeKind.DEADLOCK, message, first, (OutcomeKind.DEADLOCK, *signature), tuple(details))


def find_cycle(waits_for: dict[str, str | None]) -> list[str]:
    """The threads of a wait-for cycle, beginning with the smallest; [] if there is none.

    >>> find_cycle({"T1": "T2", "T2": "T1", "T0": "T1"})
    ['T1', 'T2']
    """
    for start in sorted(waits_for):
        path: list[str] = []
        here: str | None = start
        while here is not None and here not in path:
            path.append(here)
            here = waits_for.get(here)
        if here == start:
            return path
    return []


def describe(waiter: Waiter, name: Any) -> str:
    """One line: who waits for what, held by whom, and what it holds itself."""
    line = f"{waiter.thread} {waiter.kind.waiting or waiter.kind}"
    if waiter.kind == JOIN:
        line += f" {waiter.waits_for}"
    elif waiter.kind != SLEEP:
        line += f" {name(waiter.resource)}"
        if waiter.waits_for:
            line += f", held by {waiter.waits_for}"
            taken_at = getattr(waiter.resource, "taken_at", None)
            if taken_at:
                line += f" (acquired at {taken_at})"
    if waiter.place:
        line += f" at {waiter.place}"
    if waiter.held:
        line += "; holds " + ", ".join(
            name(lock) + (f" (acquired at {lock.taken_at})" if lock.taken_at else "") for lock in waiter.held
        )
    return line
