"""What is known about objects of the program, by `id`; they live no longer than without us.

An `id` names an object while it lives, so what is known about it must go before it does:

* Most objects can be referred to weakly, and tell when they go.
* Lists, dictionaries and others cannot. Those are kept, and let go as soon as somebody notices that nobody else
  has them: when the garbage collector runs, and whenever some new ones have come. A full collection meets none of
  them, so cycles that one is part of are found. There are at most a few thousand, the rest is forgotten: seen again,
  a container is a new variable. Never do two objects have one number.
* A container that was seen as the value of an attribute is its holder's: kept as long as the holder lives, and let
  go with it.
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

MAX_UNHELD = 4000  # objects kept that cannot be referred to weakly, in two generations
SWEEP_EVERY = 200  # new ones, after which those are let go that nobody else has

# An entry has what is known by names, and besides:
GROUP = 0  # the object's own number
CREATED = 1  # where it was made
OBJECT = 2  # itself, if it is kept
HELD = 3  # by attribute: the keys of containers that it holds
RECEIVER = 4  # its own number, if methods of it were entered
OWNED = 5  # its variables: when the entry goes, they do

Entry = dict[Any, Any]


class TrackedObjects:
    """The table of objects. `known` is what probes look into."""

    def __init__(self, registry: EntityRegistry, fail: Callable[[Exception], None]) -> None:
        self._registry = registry
        self._fail = fail
        self._sweep_lock = _thread.allocate_lock()
        self.entries: dict[int, Entry] = {}
        self._references: dict[int, KeyedReference] = {}
        self._recent: list[int] = []  # loose ones that came since somebody looked
        self._young: list[int] = []
        self._old: dict[int, Entry] = {}
        self._held: dict[int, tuple[KeyedReference, str]] = {}  # by container: holder and attribute
        self._parked: list[tuple[int, Entry]] = []  # during a full collection
        self._raised: BaseException | None = None  # while the collector was at work

    def reset_after_fork(self) -> None:
        """In a process that was forked: nothing has a number yet."""
        self._sweep_lock = _thread.allocate_lock()
        for table in (self.entries, self._references, self._old, self._held):
            table.clear()
        for keys in (self._recent, self._young, self._parked):
            keys.clear()

    # -- entries ------------------------------------------------------------------------------------

    def entry(self, obj: Any, created: str = "") -> Entry:
        """What is known about an object; on first sight, only where it was made."""
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
        """Weakly, so that we hear of its end; False if it can't be done."""
        if not weak_offset_of(type(obj)):
            return False
        reference = KeyedReference(obj, self._forget)
        reference.key = key
        self._references[key] = reference
        return True

    def namespace(self, namespace: dict[str, Any]) -> Entry:
        """A module's globals: a dictionary, but one that lives as long as its module."""
        key = id(namespace)
        entry = self.entries.get(key)
        if entry is None or (key not in self._references and OBJECT in entry):
            module = sys.modules.get(namespace.get("__name__", ""))
            is_its = issubclass(type(module), ModuleType) and own_fields(module) is namespace
            with self._registry.lock:
                entry = self.entries.get(key)
                if entry is None:
                    entry = self.entries[key] = self._new()
                if is_its and self._track_weakly(module, key):
                    entry.pop(OBJECT, None)
                else:
                    entry[OBJECT] = namespace
        return entry

    def _forget(self, reference: KeyedReference) -> None:
        """An object goes; what it held goes with it, unless others have it too."""
        try:
            self._drop(reference)
        except BaseException as error:  # Python lets none out of here
            self._drop(reference)
            (*_,) = self._handle_error(error)

    def _drop(self, reference: KeyedReference) -> None:
        self._references.pop(reference.key, None)
        entry = self.entries.pop(reference.key, None)
        if entry is not None and HELD in entry:
            for key in list(entry[HELD].values()):
                self._held.pop(key, None)
                self._discard_if_unused(key, by_holder=1)

    # -- containers that are held --------------------------------------------------------------------

    def is_known(self, container: Any) -> bool:
        return id(container) in self.entries or id(container) in self._old

    def hold(self, holder: Any, name: str, container: Any, entry: Entry) -> None:
        """An attribute holds a container, about which this is known; its holder has an entry."""
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
        """An attribute that held a container has another value now."""
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

    # -- the rest ------------------------------------------------------------------------------------

    def _sweep(self, generation: int = 0) -> None:
        """One thread at a time; whoever comes in between, a destructor say, leaves it to who is at it."""
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
        """Let go what nobody else has; what is left is loose."""
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
        """The young become the old: found there, they are young again. Those that were old are forgotten."""
        old, self._old = self._old, {}
        young, self._young = self._young, []
        for key in young:
            entry = self.entries.pop(key, None)
            if entry is not None and OBJECT in entry and sys.getrefcount(entry[OBJECT]) > SOLE_REFCOUNT:
                self._old[key] = entry
        old.clear()

    def on_gc(self, phase: str, info: dict[str, int]) -> None:
        """For `gc.callbacks`."""
        try:
            if phase == "start":
                self._sweep(info["generation"])
            elif self._parked:
                self._restore_parked()
        except BaseException as error:  # Python lets none out of here
            self._raised = error
        if self._raised is not None and phase == "stop":  # not before: this will be called once more
            raised, self._raised = self._raised, None
            (*_,) = self._handle_error(raised)

    def _handle_error(self, error: BaseException) -> Iterable[object]:
        """A fault of ours is told; what a handler of a signal has raised is the program's."""
        if isinstance(error, Exception):
            try:
                self._fail(error)
            except BaseException as raised:
                error = raised
            else:
                return ()
        return delivery(error)

    def _drop_strong_references(self) -> None:
        """Keep nothing: loose containers are forgotten, those that are held are found again at their holders."""
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
SOLE_REFCOUNT = sys.getrefcount(_entry[OBJECT])  # of an object that only its entry has
