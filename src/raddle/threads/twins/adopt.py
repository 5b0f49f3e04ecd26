"""Real primitives that existed before an execution, and the twins that stand in for them under engine.

A module-level `lock = threading.Lock()`, a default argument, a lock in C's hands: whatever probed code
uses goes through here. The twin stays the same for a whole run, as two ways may lead to one real lock.
"""

from __future__ import annotations

from typing import Any

from raddle.threads.twins.lock import OUTSIDE, Lock, RealLock, RealRLock, RLock
from raddle.threads.twins.simple_queue import RealSimpleQueue, SimpleQueue

# By id of the real class: a class of the program that is looked for here may have a hash of its own.
TWINS: dict[int, Any] = {id(RealLock): Lock, id(RealRLock): RLock, id(RealSimpleQueue): SimpleQueue}

_twins: dict[int, tuple[object, Any]] = {}  # id of the real one -> both, kept alive
_changed: list[tuple[Any, dict[str, Any]]] = []  # objects given a twin, with the fields they had
_slots: list[tuple[Any, str, Any]] = []  # the same for objects without a `__dict__`


def adopt(real: Any) -> Any:
    """The twin of a real primitive.

    >>> import threading
    >>> real = threading.Lock()
    >>> adopt(real) is adopt(real)
    True
    """
    known = _twins.get(id(real))
    if known is not None:
        return known[1]
    twin = TWINS[id(type(real))].standing_for(real)
    _twins[id(real)] = (real, twin)
    _look(real, twin)
    return twin


def adopt_condition(condition: Any) -> Any:
    """Give a condition made with a real lock that lock's twin; returns the lock it has now."""
    real = condition._lock
    if type(real) is not RealLock and type(real) is not RealRLock:
        return real
    twin = adopt(real)
    methods = ("acquire", "release", "locked", "_release_save", "_acquire_restore", "_is_owned")
    _change(condition, {"_lock": twin} | {m: getattr(twin, m) for m in methods if m in condition.__dict__})
    return twin


def adopt_queue(queue: Any) -> None:
    """Give a queue made with a real mutex that mutex's twin, in its conditions too."""
    if type(queue.mutex) is RealLock:
        _change(queue, {"mutex": adopt(queue.mutex)})
        for condition in (queue.not_empty, queue.not_full, queue.all_tasks_done):
            adopt_condition(condition)


def adopt_lock_of(holder: Any) -> None:
    """Give something that has a real lock of its own that lock's twin."""
    if type(holder.lock) is RealRLock:
        _change(holder, {"lock": adopt(holder.lock)})


def adopt_slot(holder: Any, name: str) -> None:
    """Give an object that has a real lock in a slot that lock's twin."""
    real = getattr(holder, name)
    if type(real) is RealLock:
        _slots.append((holder, name, real))
        setattr(holder, name, adopt(real))


def _change(obj: Any, fields: dict[str, Any]) -> None:
    _changed.append((obj, {name: obj.__dict__[name] for name in fields}))
    obj.__dict__.update(fields)


def look_again() -> None:
    """An execution begins: see which adopted locks are taken by somebody outside of it."""
    for real, twin in _twins.values():
        _look(real, twin)


def restore_adopted() -> None:
    """The run is over: everything adopted is its own again."""
    for obj, fields in _changed:
        obj.__dict__.update(fields)
    for holder, name, real in _slots:
        setattr(holder, name, real)
    _changed.clear()
    _slots.clear()
    _twins.clear()


def _look(real: Any, twin: Any) -> None:
    if type(twin) is Lock:
        twin.holder = OUTSIDE if real.locked() else None
    elif type(twin) is RLock:
        twin.drop()
