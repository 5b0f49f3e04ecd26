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
from raddle.native.recorder import Keyed
from raddle.native.signal_exceptions import delivery

MAX_LOOSE = 4000  # objects kept that cannot be referred to weakly, in two generations
LOOK_EVERY = 200  # new ones, after which those are let go that nobody else has

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
        self._tidying = _thread.allocate_lock()
        self.known: dict[int, Entry] = {}
        self._references: dict[int, Keyed] = {}
        self._recent: list[int] = []  # loose ones that came since somebody looked
        self._young: list[int] = []
        self._old: dict[int, Entry] = {}
        self._held: dict[int, tuple[Keyed, str]] = {}  # by container: holder and attribute
        self._parked: list[tuple[int, Entry]] = []  # during a full collection
        self._raised: BaseException | None = None  # while the collector was at work

    def begin_again(self) -> None:
        """In a process that was forked: nothing has a number yet."""
        self._tidying = _thread.allocate_lock()
        for table in (self.known, self._references, self._old, self._held):
            table.clear()
        for keys in (self._recent, self._young, self._parked):
            keys.clear()

    # -- entries ------------------------------------------------------------------------------------

    def entry(self, obj: Any, created: str = "") -> Entry:
        """What is known about an object; on first sight, only where it was made."""
        key = id(obj)
        entry = self.known.get(key)
        if entry is not None:
            return entry
        with self._registry.lock:
            entry = self.known.get(key) or self._old.pop(key, None) or self._new(created)
            if key not in self._references and not self._refer(obj, key):
                entry[OBJECT] = obj
                self._recent.append(key)
            self.known[key] = entry
        if len(self._recent) > LOOK_EVERY:
            self._tidy_up()
        return entry

    def _new(self, created: str = "") -> Entry:
        group = self._registry.group()
        return {GROUP: group, CREATED: created, OWNED: self._registry.owned(group)}

    def _refer(self, obj: Any, key: int) -> bool:
        """Weakly, so that we hear of its end; False if it can't be done."""
        if not weak_offset_of(type(obj)):
            return False
        reference = Keyed(obj, self._forget)
        reference.key = key
        self._references[key] = reference
        return True

    def namespace(self, namespace: dict[str, Any]) -> Entry:
        """A module's globals: a dictionary, but one that lives as long as its module."""
        key = id(namespace)
        entry = self.known.get(key)
        if entry is None or (key not in self._references and OBJECT in entry):
            module = sys.modules.get(namespace.get("__name__", ""))
            is_its = issubclass(type(module), ModuleType) and own_fields(module) is namespace
            with self._registry.lock:
                entry = self.known.get(key)
                if entry is None:
                    entry = self.known[key] = self._new()
                if is_its and self._refer(module, key):
                    entry.pop(OBJECT, None)
                else:
                    entry[OBJECT] = namespace
        return entry

    def _forget(self, reference: Keyed) -> None:
        """An object goes; what it held goes with it, unless others have it too."""
        try:
            self._drop(reference)
        except BaseException as error:  # Python lets none out of here
            self._drop(reference)
            (*_,) = self._after(error)

    def _drop(self, reference: Keyed) -> None:
        self._references.pop(reference.key, None)
        entry = self.known.pop(reference.key, None)
        if entry is not None and HELD in entry:
            for key in list(entry[HELD].values()):
                self._held.pop(key, None)
                self._let_go_unless_used(key, by_holder=1)

    # -- containers that are held --------------------------------------------------------------------

    def is_known(self, container: Any) -> bool:
        return id(container) in self.known or id(container) in self._old

    def hold(self, holder: Any, name: str, container: Any, entry: Entry) -> None:
        """An attribute holds a container, about which this is known; its holder has an entry."""
        key = id(container)
        with self._registry.lock:
            if key in self.known:
                return
            if not self._refer(container, key):
                entry[OBJECT] = container
            self.known[key] = entry
        if OBJECT not in entry:
            return
        owner, reference = self.known.get(id(holder)), self._references.get(id(holder))
        if owner is None or reference is None:
            self._recent.append(key)
            return
        self.let_go(owner, name, container)
        self._held[key] = (reference, name)
        owner.setdefault(HELD, {})[name] = key

    def let_go(self, holder: Entry, name: str, value: Any) -> None:
        """An attribute that held a container has another value now."""
        held = holder.get(HELD, {})
        key = held.get(name)
        if key is not None and key != id(value):
            del held[name]
            self._held.pop(key, None)
            self._let_go_unless_used(key, by_holder=0)

    def _let_go_unless_used(self, key: int, *, by_holder: int) -> None:
        entry = self.known.get(key)
        if entry is None or OBJECT not in entry:
            return
        if sys.getrefcount(entry[OBJECT]) <= ALONE + by_holder:
            self.known.pop(key, None)
        else:
            self._recent.append(key)

    # -- the rest ------------------------------------------------------------------------------------

    def _tidy_up(self, generation: int = 0) -> None:
        """One thread at a time; whoever comes in between, a destructor say, leaves it to who is at it."""
        if not self._tidying.acquire(False):
            return
        try:
            self._look_through_recent()
            if generation >= 1:
                self._recent += self._young
                self._young.clear()
                self._look_through_recent()
            if generation == 2:
                self._keep_nothing()
        finally:
            self._tidying.release()

    def _look_through_recent(self) -> None:
        """Let go what nobody else has; what is left is loose."""
        known, count = self.known, len(self._recent)
        keys = self._recent[:count]
        del self._recent[:count]
        for key in keys:
            entry = known.get(key)
            if entry is None or OBJECT not in entry:
                continue
            if sys.getrefcount(entry[OBJECT]) <= ALONE:
                known.pop(key, None)
            else:
                self._young.append(key)
        if len(self._young) > MAX_LOOSE // 2:
            self._grow_old()

    def _grow_old(self) -> None:
        """The young become the old: found there, they are young again. Those that were old are forgotten."""
        old, self._old = self._old, {}
        young, self._young = self._young, []
        for key in young:
            entry = self.known.pop(key, None)
            if entry is not None and OBJECT in entry and sys.getrefcount(entry[OBJECT]) > ALONE:
                self._old[key] = entry
        old.clear()

    def collecting(self, phase: str, info: dict[str, int]) -> None:
        """For `gc.callbacks`."""
        try:
            if phase == "start":
                self._tidy_up(info["generation"])
            elif self._parked:
                self._take_back()
        except BaseException as error:  # Python lets none out of here
            self._raised = error
        if self._raised is not None and phase == "stop":  # not before: this will be called once more
            raised, self._raised = self._raised, None
            (*_,) = self._after(raised)

    def _after(self, error: BaseException) -> Iterable[object]:
        """A fault of ours is told; what a handler of a signal has raised is the program's."""
        if isinstance(error, Exception):
            try:
                self._fail(error)
            except BaseException as raised:
                error = raised
            else:
                return ()
        return delivery(error)

    def _keep_nothing(self) -> None:
        """Keep nothing: loose containers are forgotten, those that are held are found again at their holders."""
        young, self._young = self._young, []
        for key in young:
            if OBJECT in self.known.get(key, ()):
                self.known.pop(key, None)
        self._old.clear()
        for key in list(self._held):
            entry = self.known.pop(key, None)
            if entry is not None:
                entry.pop(OBJECT, None)
                self._parked.append((key, entry))

    def _take_back(self) -> None:
        parked, self._parked = self._parked, []
        for key, entry in parked:
            reference, name = self._held.get(key, (None, ""))
            holder = reference() if reference is not None else None
            container = None if holder is None else stored_attribute(holder, name)
            if id(container) == key and key not in self.known:
                entry[OBJECT] = container
                self.known[key] = entry
            else:
                self._held.pop(key, None)

    def attach(self) -> None:
        gc.callbacks.append(self.collecting)

    def detach(self) -> None:
        if self.collecting in gc.callbacks:
            gc.callbacks.remove(self.collecting)


_entry: Entry = {OBJECT: []}
ALONE = sys.getrefcount(_entry[OBJECT])  # of an object that only its entry has
