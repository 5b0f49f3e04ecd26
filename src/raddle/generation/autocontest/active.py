"""Active testing: a scheduler that makes an interleaving of two calls happen, and a check that it did happen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from raddle.criteria.patterns import PATTERNS
from raddle.generation.autocontest.predict import AccessContext, Interleaving, PlannedAccess, Requirement
from raddle.operation import ACCESSES, DELETE, ENTER, LEAVE, WRITE
from raddle.schedulers.base import Scheduler, Thread
from raddle.step import Step


class Workers(Protocol):
    """What the scheduler needs to know about the running execution."""

    def is_worker(self, participant: int) -> bool:
        """Return whether the participant with this index makes calls of the test."""


class ActiveTest(Scheduler):
    """Stops the outer thread after its first access until the inner thread has performed its accesses.

    With `inner_ends`, the inner thread then continues to the end of its call, if it can, before the outer thread
    continues. If a thread is blocked, the other one continues, but never past its own next access. If that would be
    necessary, the interleaving is given up.
    """

    complete = True  # so that every access of the execution is recorded

    def __init__(self, workers: Workers, interleaving: Interleaving, *, inner_ends: bool = True) -> None:
        self._workers = workers
        self._order = interleaving.order
        self._inner_ends = inner_ends
        self.inner_continued = False  # whether the inner thread continued after its last planned access
        self.participants: dict[int, int] = {}  # maps the number of a thread of the test to its participant

    def begin(self, number: int, space: int) -> bool:
        self.participants = {}
        self._at = 0  # number of planned accesses that have been performed
        self._given_up = False
        self.inner_continued = False
        self._counts: dict[tuple[int, str, int], int] = {}  # number of accesses by thread, kind and site
        return True

    @property
    def sees_forced_steps(self) -> bool:
        return True

    @property
    def followed(self) -> bool:
        """Whether the last execution performed the planned accesses in their order."""
        return self._at == len(self._order)

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        if enabled[0].index == 0:  # the thread that starts the others
            return enabled[0]
        threads = self._threads(enabled)
        chosen = None if self._given_up or self.followed else self._towards(threads)
        if chosen is None:
            chosen = current if current is not None and current in enabled else enabled[0]
        self._count(threads, chosen)
        return chosen

    def _threads(self, enabled: Sequence[Thread]) -> dict[int, Thread]:
        """Return the enabled threads of the test, by number. Threads that the class has started are left out."""
        for thread in enabled:
            if self._workers.is_worker(thread.index) and thread.index not in self.participants.values():
                # Workers start in the order of their numbers, but may become visible in another one.
                known = sorted([*self.participants.values(), thread.index])
                self.participants = dict(enumerate(known))
        numbers = {participant: number for number, participant in self.participants.items()}
        return {numbers[thread.index]: thread for thread in enabled if thread.index in numbers}

    def _towards(self, threads: dict[int, Thread]) -> Thread | None:
        """Return the thread that the interleaving needs next; None if it cannot be reached any more."""
        wanted = self._order[self._at].thread
        inner = 1 - self._order[0].thread
        if self._inner_ends and wanted != inner and self._at and not self._left(inner) and inner in threads:
            self.inner_continued = True
            return threads[inner]
        if wanted in threads:
            return threads[wanted]
        other = threads.get(1 - wanted)
        if other is not None:
            left = self._left(1 - wanted)
            if left and self._is_at(1 - wanted, other, left[0]):
                self._given_up = True
                return None
        return other

    def _left(self, number: int) -> list[PlannedAccess]:
        """Return the planned accesses that a thread has not performed yet."""
        return [planned for planned in self._order[self._at :] if planned.thread == number]

    def _is_at(self, number: int, thread: Thread, planned: PlannedAccess) -> bool:
        kind, site = _kind(thread), thread.site
        context = planned.access.context
        return (kind, site) == (context.kind, context.site) and (
            self._counts.get((number, kind, site), 0) == planned.access.occurrence
        )

    def _count(self, threads: dict[int, Thread], chosen: Thread) -> None:
        number = next((number for number, thread in threads.items() if thread is chosen), None)
        if number is None:
            return
        if not self.followed:
            planned = self._order[self._at]
            if planned.thread == number and self._is_at(number, chosen, planned):
                self._at += 1
        key = number, _kind(chosen), chosen.site
        self._counts[key] = self._counts.get(key, 0) + 1


def _kind(thread: Thread) -> str:
    return WRITE if thread.kind == DELETE else thread.kind


def is_covered(requirement: Requirement, steps: Sequence[Step], first: int, second: int) -> bool:
    """Return whether an execution covers a requirement; `first` is the participant that is thread A of the pattern.

    >>> from raddle.generation.autocontest.predict import AccessContext
    >>> accesses = [AccessContext((), 11, "read"), AccessContext((), 12, "write"), AccessContext((), 13, "read")]
    >>> steps = [(1, "read", 0, 11), (2, "write", 0, 12), (1, "read", 0, 13)]
    >>> requirement = Requirement(4, tuple(accesses))
    >>> is_covered(requirement, steps, 1, 2), is_covered(requirement, steps, 2, 1)
    (True, False)
    """
    parts = PATTERNS[requirement.pattern].parts
    threads = {"A": first, "B": second}
    found = _accesses(steps, frozenset(requirement.accesses))

    def extend(part: int, start: int, bound: dict[str, int]) -> bool:
        if part == len(parts):
            return True
        name = parts[part].variable
        for at in range(start, len(found)):
            thread, context, variable = found[at]
            if thread != threads[parts[part].thread] or context != requirement.accesses[part]:
                continue
            if bound.get(name, variable) != variable or (name not in bound and variable in bound.values()):
                continue
            if extend(part + 1, at + 1, {**bound, name: variable}):
                return True
        return False

    return extend(0, 0, {})


def _accesses(steps: Sequence[Step], wanted: frozenset[AccessContext]) -> list[tuple[int, AccessContext, int]]:
    """Return the accesses with these contexts, each with its thread and its variable."""
    paths: dict[int, list[int]] = {}
    found = []
    for thread, kind, target, site in steps:
        path = paths.setdefault(thread, [])
        if kind == ENTER:
            path.append(site)
        elif kind == LEAVE:
            del path[-1:]
        elif kind in ACCESSES:
            context = AccessContext(tuple(path), site, kind)
            if context in wanted:
                found.append((thread, context, target))
    return found
