"""Outcomes of executions in which every thread is blocked: a deadlock or a lost wakeup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from raddle.outcome import Outcome, OutcomeKind
from raddle.wait import Wait


class Waiter(NamedTuple):
    """A blocked thread in an execution in which no thread can continue."""

    wait: Wait
    lost: bool  # True if the resource was notified while no thread was waiting for it
    daemon: bool


def explain_stuck(waiters: Sequence[Waiter]) -> Outcome:
    """Return the outcome of an execution in which these threads are blocked forever.

    The outcome is a lost wakeup if a notification came too early and there is no wait-for cycle; otherwise it is a
    deadlock.
    """
    cycle = find_cycle({waiter.wait.thread: waiter.wait.waits_for for waiter in waiters})
    waits = tuple(waiter.wait for waiter in waiters if not waiter.daemon)
    lost = next((waiter.wait for waiter in waiters if waiter.lost and not waiter.daemon), None)
    kind, thread = OutcomeKind.DEADLOCK, waits[0].thread if waits else ""
    if cycle:
        thread = cycle[0]
        message = f"{thread} waits for {', which waits for '.join([*cycle[1:], thread if cycle[1:] else 'itself'])}"
    elif lost:
        kind, thread = OutcomeKind.LOST_WAKEUP, lost.thread
        message = f"{thread} {lost.sentence}, but the notification came before {thread} started waiting"
    else:
        verb, pronoun = ("waits", "it") if len(waits) == 1 else ("wait", "them")
        threads = " and ".join(wait.thread for wait in waits)
        message = f"{threads} {verb} forever: no thread is left to wake {pronoun}"
    signature = sorted(f"{wait.kind} {wait.place or wait.thread}" for wait in waits)
    return Outcome(kind, message, thread, (kind, *signature), tuple(map(str, waits)), waits=waits)


def find_cycle(waits_for: Mapping[str, str]) -> list[str]:
    """Return the threads of a wait-for cycle, starting with the first thread in sorted order; [] if there is no cycle.

    >>> find_cycle({"T1": "T2", "T2": "T1", "T0": "T1"})
    ['T1', 'T2']
    """
    for start in sorted(waits_for):
        path: list[str] = []
        current = start
        while current and current not in path:
            path.append(current)
            current = waits_for.get(current, "")
        if current == start:
            return path
    return []
