"""Gives locks the same names in waits as in steps: "Lock 2" instead of "Lock".

A wait records only the class of its locks. The steps show which thread acquired which lock where, so the holder and the
place identify a lock. If several locks match, the wait keeps the class name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from raddle.event import Event
from raddle.operation import ACQUIRE, RELEASE, WAIT
from raddle.place import Place
from raddle.wait import Lock, Wait

_Holding = tuple[str, str, Place | None]  # (thread, class of the lock, place where the thread acquired it)


def with_names(waits: Iterable[Wait], steps: Iterable[Event]) -> tuple[Wait, ...]:
    """Return the waits, with the name of the lock inserted wherever it is unambiguous.

    >>> steps = [Event("T1", "acquire", "Lock 1", 1, "m.py", 20), Event("T2", "acquire", "Lock 2", 2, "m.py", 24)]
    >>> lock = Lock("Lock", Place("m.py", 20))
    >>> print(*with_names([Wait("T1", ACQUIRE, "Lock", "T2", Place("m.py", 24), holds=(lock,))], steps))
    T1 waits to acquire Lock 2, held by T2 (acquired at m.py:24); it holds Lock 1 (acquired at m.py:20)
    """
    steps = list(steps)
    held = _held(steps)
    last = {step.thread: step for step in steps}
    return tuple(
        replace(wait, resource=_resource_name(wait, held, last.get(wait.thread)), holds=_own(wait, held))
        for wait in waits
    )


def _held(steps: Iterable[Event]) -> Mapping[_Holding, list[str]]:
    """Return the locks that are still held after all steps, in the order of acquisition."""
    taken: dict[str, _Holding] = {}
    for step in steps:
        if step.kind in (ACQUIRE, RELEASE):
            # An acquire also removes the earlier entry, because a condition's wait releases the lock without an event.
            taken.pop(step.variable, None)
        if step.kind == ACQUIRE:
            taken[step.variable] = (step.thread, _class_of(step.variable), Place(step.file, step.line))
    held = defaultdict(list)
    for name, holding in taken.items():
        held[holding].append(name)
    return held


def _resource_name(wait: Wait, held: Mapping[_Holding, list[str]], last: Event | None) -> str:
    """Return the name of the resource a thread waits for, identified by its holder or by the thread's last step."""
    if wait.kind == WAIT:
        is_same = last is not None and last.kind == WAIT and _class_of(last.variable) == wait.resource
        return last.variable if last is not None and is_same else wait.resource
    names = held.get((wait.waits_for, wait.resource, wait.acquired_at), [])
    return names[0] if len(names) == 1 else wait.resource


def _own(wait: Wait, held: Mapping[_Holding, list[str]]) -> tuple[Lock, ...]:
    """Return the locks that a thread holds; locks acquired on the same line are in the order of acquisition."""
    counts = Counter(wait.holds)
    names = {lock: held.get((wait.thread, lock.name, lock.acquired_at), []) for lock in counts}
    left = {lock: iter(names[lock]) for lock in counts if len(names[lock]) == counts[lock]}
    return tuple(replace(lock, name=next(left[lock])) if lock in left else lock for lock in wait.holds)


def _class_of(name: str) -> str:
    """Return the class that a lock's name contains.

    >>> _class_of("Lock 2")
    'Lock'
    """
    return name.rpartition(" ")[0]
