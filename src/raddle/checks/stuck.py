"""Executions that cannot continue: a deadlock, or a wake-up that was lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from raddle.outcome import Outcome, OutcomeKind
from raddle.wait import Wait


class Waiter(NamedTuple):
    """A thread that is blocked when no thread can continue."""

    wait: Wait
    lost: bool  # the notification of the resource came when no thread was waiting for it
    daemon: bool


def explain_stuck(waiters: Sequence[Waiter]) -> Outcome:
    """Return a deadlock if threads wait for one another; a lost wake-up if the only notification came too early."""
    cycle = find_cycle({waiter.wait.thread: waiter.wait.waits_for for waiter in waiters})
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
