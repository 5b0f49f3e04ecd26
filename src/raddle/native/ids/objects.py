"""A table of the program's objects, keyed by `id`. It does not keep objects alive long after the program drops them.

An `id` identifies an object only while the object lives, so an entry must not outlive its object:

* Most objects support weak references, whose callback drops the entry.
* Lists, dictionaries and some other objects do not support weak references. Their entries hold strong references and
  are dropped when a sweep finds no other reference to the object. A sweep runs when the garbage collector runs, and
  after every `SWEEP_EVERY` new objects. During a full collection the table holds no strong references, so reference
  cycles are still collected. If the table holds more than `MAX_UNHELD` such entries, the oldest are dropped. A dropped
  object gets new numbers when it is seen again. Two objects never share a number.
* A container that an attribute holds is kept as long as its holder lives, and is dropped together with it.
"""

from __future__ import annotations

import _thread
import gc
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from raddle.inspection import own_fields, stored_attribute, weak_offset_of
from raddle.native.ids.registry import EntityRegistry
from raddle.native.recorder import KeyedReference
from raddle.native.signal_exceptions import delivery

MAX_UNHELD = 4000  # maximum number of strongly referenced objects that no attribute holds, young and old together
SWEEP_EVERY = 200  # number of new strongly referenced objects between two sweeps

# An entry maps the names of attributes to the numbers of variables. It can also have these keys:
GROUP = 0  # the number of the object
CREATED = 1  # where the object was created
OBJECT = 2  # the object, if it is strongly referenced
HELD = 3  # maps attributes to the keys of the containers that they hold
RECEIVER = 4  # the number of the object, if one of its methods was entered
OWNED = 5  # the variables of the object, which are discarded with the entry

Entry = dict[Any, Any]


class TrackedObjects:
    """The table of objects. Probes look objects up in `entries`."""

    def __init__(self, registry: EntityRegistry, fail: Callable[[Exception], None]) -> None:
        self._registry = registry
        self._fail = fail
        self._sweep_lock = _thread.allocate_lock()
        self.entries: dict[int, Entry] = {}
        self._references: dict[int, KeyedReference] = {}
        self._recent: list[int] = []  # keys of strongly referenced objects added since the last sweep
        self._young: list[int] = []  # keys that survived a sweep
        self._old: dict[int, Entry] = {}  # older entries, which have been removed from `entries`
        # Maps the key of a container to its holder and attribute.
        self._held: dict[int, tuple[KeyedReference, str]] = {}
        self._parked: list[tuple[int, Entry]] = []  # entries removed for the duration of a full collection
        self._raised: BaseException | None = None  # an exception raised during garbage collection

    def reset_after_fork(self) -> None:
        """Clear the table in a forked process, in which nothing has a number yet."""
        self._sweep_lock = _thread.allocate_lock()
        for table in (self.entries, self._references, self._old, self._held):
            table.clear()
        for keys in (self._recent, self._young, self._parked):
            keys.clear()

    # -- entries ------------------------------------------------------------------------------------

    def entry(self, obj: Any, created: str = "") -> Entry:
        """Return the entry of an object. A new entry stores `created`, the place where the object was created."""
        key = id(obj)
        entry = self.entries.get(key)
        if entry is not None:
            return entry
        with self._registry.lock:
            entry = self.entries.get(key) or self._old.pop(key, None) or self._new(created)
            if key not in self._references and not self._track_weakly(obj, key):
                entry[OBJECT] = obj
                self._recent.append(key)
            self.entries[key] = entry
        if len(self._recent) > SWEEP_EVERY:
            self._sweep()
        return entry

    def _new(self, created: str = "") -> Entry:
        group = self._registry.group()
        return {GROUP: group, CREATED: created, OWNED: self._registry.owned(group)}

    def _track_weakly(self, obj: Any, key: int) -> bool:
        """Create a weak reference whose callback drops the entry. Return whether the type supports weak references."""
        if not weak_offset_of(type(obj)):
            return False
        reference = KeyedReference(obj, self._forget)
        reference.key = key
        self._references[key] = reference
        return True

    def namespace(self, namespace: dict[str, Any]) -> Entry:
        """Return the entry of a module's globals, a dictionary that lives as long as its module."""
        key = id(namespace)
        entry = self.entries.get(key)
        if entry is None or (key not in self._references and OBJECT in entry):
            module = sys.modules.get(namespace.get("__name__", ""))
            is_its_globals = issubclass(type(module), ModuleType) and own_fields(module) is namespace
            with self._registry.lock:
                entry = self.entries.get(key)
                if entry is None:
                    entry = self.entries[key] = self._new()
                if is_its_globals and self._track_weakly(module, key):
                    entry.pop(OBJECT, None)
                else:
                    entry[OBJECT] = namespace
        return entry

    def _forget(self, reference: KeyedReference) -> None:
        """Drop the entry of a garbage-collected object, and the entries of containers that only this object held."""
        try:
            self._drop(reference)
        except BaseException as error:  # Python ignores exceptions raised in a weakref callback
            self._drop(reference)
            (*_,) = self._handle_error(error)

    def _drop(self, reference: KeyedReference) -> None:
        self._references.pop(reference.key, None)
        entry = self.entries.pop(reference.key, None)
        if entry is not None and HELD in entry:
            for key in list(entry[HELD].values()):
                self._held.pop(key, None)
                self._discard_if_unused(key, by_holder=1)

    # -- containers held by attributes --------------------------------------------------------------------

    def is_known(self, container: Any) -> bool:
        return id(container) in self.entries or id(container) in self._old

    def hold(self, holder: Any, name: str, container: Any, entry: Entry) -> None:
        """Add the entry of a container that an attribute holds."""
        key = id(container)
        with self._registry.lock:
            if key in self.entries:
                return
            if not self._track_weakly(container, key):
                entry[OBJECT] = container
            self.entries[key] = entry
        if OBJECT not in entry:
            return
        owner, reference = self.entries.get(id(holder)), self._references.get(id(holder))
        if owner is None or reference is None:
            self._recent.append(key)
            return
        self.release_held(owner, name, container)
        self._held[key] = (reference, name)
        owner.setdefault(HELD, {})[name] = key

    def release_held(self, holder: Entry, name: str, value: Any) -> None:
        """Record that an attribute has a new value and so no longer holds its previous container."""
        held = holder.get(HELD, {})
        key = held.get(name)
        if key is not None and key != id(value):
            del held[name]
            self._held.pop(key, None)
            self._discard_if_unused(key, by_holder=0)

    def _discard_if_unused(self, key: int, *, by_holder: int) -> None:
        entry = self.entries.get(key)
        if entry is None or OBJECT not in entry:
            return
        if sys.getrefcount(entry[OBJECT]) <= SOLE_REFCOUNT + by_holder:
            self.entries.pop(key, None)
        else:
            self._recent.append(key)

    # -- sweeps ------------------------------------------------------------------------------------

    def _sweep(self, generation: int = 0) -> None:
        """Drop unused entries.

        Do nothing if a sweep is already running: a destructor that interrupts a sweep may start another one.
        """
        if not self._sweep_lock.acquire(False):
            return
        try:
            self._sweep_recent()
            if generation >= 1:
                self._recent += self._young
                self._young.clear()
                self._sweep_recent()
            if generation == 2:
                self._drop_strong_references()
        finally:
            self._sweep_lock.release()

    def _sweep_recent(self) -> None:
        """Drop the entries in `_recent` whose objects have no other reference, and move the rest to `_young`."""
        entries, count = self.entries, len(self._recent)
        keys = self._recent[:count]
        del self._recent[:count]
        for key in keys:
            entry = entries.get(key)
            if entry is None or OBJECT not in entry:
                continue
            if sys.getrefcount(entry[OBJECT]) <= SOLE_REFCOUNT:
                entries.pop(key, None)
            else:
                self._young.append(key)
        if len(self._young) > MAX_UNHELD // 2:
            self._age()

    def _age(self) -> None:
        """Drop the entries in `_old`, and move the entries in `_young` to `_old`.

        A lookup moves an entry from `_old` to `_recent`.
        """
        old, self._old = self._old, {}
        young, self._young = self._young, []
        for key in young:
            entry = self.entries.pop(key, None)
            if entry is not None and OBJECT in entry and sys.getrefcount(entry[OBJECT]) > SOLE_REFCOUNT:
                self._old[key] = entry
        old.clear()

    def on_gc(self, phase: str, info: dict[str, int]) -> None:
        """Sweep before a garbage collection, and restore parked entries after it. Called through `gc.callbacks`."""
        try:
            if phase == "start":
                self._sweep(info["generation"])
            elif self._parked:
                self._restore_parked()
        except BaseException as error:  # Python ignores exceptions raised in a gc callback
            self._raised = error
        if self._raised is not None and phase == "stop":  # not at "start", because the "stop" callback must still run
            raised, self._raised = self._raised, None
            (*_,) = self._handle_error(raised)

    def _handle_error(self, error: BaseException) -> Iterable[object]:
        """Report an internal error, and return an empty iterable.

        If a signal handler raised the exception, return an iterable that redelivers the exception when consumed.
        """
        if isinstance(error, Exception):
            try:
                self._fail(error)
            except BaseException as raised:
                error = raised
            else:
                return ()
        return delivery(error)

    def _drop_strong_references(self) -> None:
        """Drop all strong references: discard unheld containers, and park held ones until the collection ends."""
        young, self._young = self._young, []
        for key in young:
            if OBJECT in self.entries.get(key, ()):
                self.entries.pop(key, None)
        self._old.clear()
        for key in list(self._held):
            entry = self.entries.pop(key, None)
            if entry is not None:
                entry.pop(OBJECT, None)
                self._parked.append((key, entry))

    def _restore_parked(self) -> None:
        """Restore the parked entries of containers that are still held by the same attributes."""
        parked, self._parked = self._parked, []
        for key, entry in parked:
            reference, name = self._held.get(key, (None, ""))
            holder = reference() if reference is not None else None
            container = None if holder is None else stored_attribute(holder, name)
            if id(container) == key and key not in self.entries:
                entry[OBJECT] = container
                self.entries[key] = entry
            else:
                self._held.pop(key, None)

    def attach(self) -> None:
        gc.callbacks.append(self.on_gc)

    def detach(self) -> None:
        if self.on_gc in gc.callbacks:
            gc.callbacks.remove(self.on_gc)


_entry: Entry = {OBJECT: []}
SOLE_REFCOUNT = sys.getrefcount(_entry[OBJECT])  # reference count of an object that only its entry refers to
