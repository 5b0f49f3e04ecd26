"""Adoption of real primitives that existed before an execution: each gets a twin during controlled executions.

Examples are a module-level `lock = threading.Lock()`, a default argument, and a lock created by C code. Instrumented
code that uses such a primitive gets the twin instead. Several references may lead to the same real lock, so its twin
stays the same for the whole run.
"""

from __future__ import annotations

from typing import Any

from raddle.threads.twins.lock import OUTSIDE, Lock, RealLock, RealRLock, RLock
from raddle.threads.twins.simple_queue import RealSimpleQueue, SimpleQueue

# Maps the id of a real class to its twin. The key is an id because the program's classes may define their own hash.
TWINS: dict[int, Any] = {id(RealLock): Lock, id(RealRLock): RLock, id(RealSimpleQueue): SimpleQueue}

_twins: dict[int, tuple[object, Any]] = {}  # maps the id of a real primitive to the primitive (kept alive) and its twin
_patched_objects: list[tuple[Any, dict[str, Any]]] = []  # patched objects with their original fields
_patched_slots: list[tuple[Any, str, Any]] = []  # patched slots: object, name of the slot, original value


def adopt(real: Any) -> Any:
    """Return the twin of a real primitive.

    >>> import threading
    >>> real = threading.Lock()
    >>> adopt(real) is adopt(real)
    True
    """
    adopted = _twins.get(id(real))
    if adopted is not None:
        return adopted[1]
    twin = TWINS[id(type(real))].twin_for(real)
    _twins[id(real)] = (real, twin)
    _refresh_holder(real, twin)
    return twin


def adopt_condition(condition: Any) -> Any:
    """Replace a condition's real lock with its twin; return the condition's current lock."""
    real = condition._lock
    if type(real) is not RealLock and type(real) is not RealRLock:
        return real
    twin = adopt(real)
    methods = ("acquire", "release", "locked", "_release_save", "_acquire_restore", "_is_owned")
    _patch(condition, {"_lock": twin} | {m: getattr(twin, m) for m in methods if m in condition.__dict__})
    return twin


def adopt_queue(queue: Any) -> None:
    """Replace a queue's real mutex with its twin, also in the queue's conditions."""
    if type(queue.mutex) is RealLock:
        _patch(queue, {"mutex": adopt(queue.mutex)})
        for condition in (queue.not_empty, queue.not_full, queue.all_tasks_done):
            adopt_condition(condition)


def adopt_lock_of(owner: Any) -> None:
    """Replace the real lock in an object's `lock` attribute with its twin."""
    if type(owner.lock) is RealRLock:
        _patch(owner, {"lock": adopt(owner.lock)})


def adopt_slot(owner: Any, name: str) -> None:
    """Replace the real lock in an object's slot with its twin."""
    real = getattr(owner, name)
    if type(real) is RealLock:
        _patched_slots.append((owner, name, real))
        setattr(owner, name, adopt(real))


def _patch(obj: Any, fields: dict[str, Any]) -> None:
    _patched_objects.append((obj, {name: obj.__dict__[name] for name in fields}))
    obj.__dict__.update(fields)


def refresh_holders() -> None:
    """Check, at the start of an execution, which adopted locks are held outside it."""
    for real, twin in _twins.values():
        _refresh_holder(real, twin)


def restore_adopted() -> None:
    """Restore the real primitives in all patched objects at the end of a run."""
    for obj, fields in _patched_objects:
        obj.__dict__.update(fields)
    for owner, name, real in _patched_slots:
        setattr(owner, name, real)
    _patched_objects.clear()
    _patched_slots.clear()
    _twins.clear()


def _refresh_holder(real: Any, twin: Any) -> None:
    if type(twin) is Lock:
        twin.holder = OUTSIDE if real.locked() else None
    elif type(twin) is RLock:
        twin.drop()
