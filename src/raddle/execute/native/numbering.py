"""Numbers for variables, found by the object that they are a part of; objects live no longer than without us.

An `id` names an object while it lives, so what is known about it must go before it does:

* Most objects can be referred to weakly, and tell when they go.
* Lists, dictionaries and others cannot. Those are kept, and let go as soon as somebody notices that nobody else
  has them: when the garbage collector runs, and whenever some new ones have come. A full collection meets none of
  them, so cycles that one is part of are found. There are at most a few thousand, the rest is forgotten: seen again,
  a container is a new variable. Never do two objects have one number.
* A container that was seen as the value of an attribute is its holder's: kept as long as the holder lives, and let
  go with it.

`known` is what probes look into: by the object's `id`, by name, the variable's number. Negative ones are no
variables of the object's own: NOTHING is code, what is below it a class's variable, see `inherited`.
"""

from __future__ import annotations

import _thread
import gc
import sys
from collections.abc import Callable
from types import FrameType, FunctionType, ModuleType
from typing import Any

from raddle.execute.kinds import CONTENT, attribute_owner, container_base
from raddle.execute.native.names import Unnamed
from raddle.execute.native.places import Places
from raddle.execute.native.recorder import Keyed, Me, Recorder
from raddle.site import SiteTable

NOTHING = -1
MOST_LOOSE = 4000  # objects kept that cannot be referred to weakly, in two generations
LOOK_EVERY = 200  # new ones, after which those are let go that nobody else has

# Besides names, entries have:
GROUP = 0  # the object's own number
CREATED = 1  # where it was made
OBJECT = 2  # itself, if it is kept
HELD = 3  # by attribute: the keys of containers that it holds

Entry = dict[Any, Any]


def inherited(number: int) -> int:
    """A class's variable, seen through an object of the class; its own inverse."""
    return -2 - number


class Numbering:
    """The table of objects."""

    def __init__(self, recorder: Recorder, table: SiteTable) -> None:
        self._recorder = recorder
        self._roster = recorder.roster
        self._places = Places(table)
        self._tidying = _thread.allocate_lock()
        self.known: dict[int, Entry] = {}
        self.code_names: dict[type, set[str]] = {}  # by class: methods, properties and so on
        self._references: dict[int, Keyed] = {}
        self._functions: dict[str, Entry] = {}  # cells of functions that have no tokens
        self._recent: list[int] = []  # loose ones that came since somebody looked
        self._young: list[int] = []
        self._old: dict[int, Entry] = {}
        self._held: dict[int, tuple[Keyed, str]] = {}  # by container: holder and attribute
        self._parked: list[tuple[int, Entry]] = []  # during a full collection

    def begin_again(self) -> None:
        """In a process that was forked: nothing has a number yet."""
        self._tidying = _thread.allocate_lock()
        for table in (self.known, self._references, self._functions, self._old, self._held):
            table.clear()
        for keys in (self._recent, self._young, self._parked):
            keys.clear()

    # -- what probes ask on first sight -------------------------------------------------------------

    def read(self, obj: Any, name: str, value: Any, site: int) -> int:
        """The number of `obj.name`, which was just read."""
        return self._guarded(self._read, obj, name, value, site)

    def written(self, obj: Any, name: str, value: Any, site: int) -> int:
        """The number of `obj.name`, which was just written."""
        return self._guarded(self._written, obj, name, value, site)

    def content(self, container: Any, site: int) -> int:
        """The number of what is in a container."""
        return self._guarded(self._content, container, site)

    def global_name(self, namespace: dict[str, Any], name: str, site: int) -> int:
        return self._guarded(self._global_name, namespace, name, site)

    def cell(self, numbers: Entry, name: str, site: int) -> int:
        """Of a variable that a function shares with functions inside it."""
        return self._guarded(self._cell, numbers, name, site)

    def group(self, obj: Any) -> int:
        """The number of an object, 0 if it gets none now."""
        return max(0, self._guarded(lambda obj: self._entry(obj)[GROUP], obj))

    def made(self, obj: Any, frame: FrameType) -> None:
        """A constructor of the object begins, in this frame."""
        self._guarded(self._made, obj, frame)

    def hold(self, holder: Any, name: str, container: Any) -> None:
        """A container was written to an attribute."""
        self._guarded(self._hold, holder, name, container)

    def cells_of(self, function: str) -> Entry:
        """The cells of a function whose calls are not told apart."""
        return self._functions.setdefault(function, {})

    def _guarded(self, find: Callable[..., Any], *args: Any) -> int:
        """Whatever happens, the program goes on."""
        me: Me = self._recorder.here.me
        if me.busy or not self._recorder.stream.recording:
            return NOTHING
        me.busy = True
        try:
            return find(*args) or 0
        except RecursionError:
            return NOTHING
        except Exception as error:
            self._recorder.stream.fail(error)
            return NOTHING
        finally:
            me.busy = False

    # -- variables ----------------------------------------------------------------------------------

    def _read(self, obj: Any, name: str, value: Any, site: int) -> int:
        cls = type(obj)
        if name in self.code_names.get(cls, ()):
            return self._note(obj, name, NOTHING)
        owner = attribute_owner(obj, name)
        if owner is None:
            if not issubclass(cls, (ModuleType, type)) and container_base(cls) is None:
                self.code_names.setdefault(cls, set()).add(name)
            return self._note(obj, name, NOTHING)
        if owner is obj:
            return self._own(obj, name, value)
        if issubclass(cls, ModuleType):
            return self._note(obj, name, self._global_name(owner, name, site))
        return self._note(obj, name, inherited(self._own(owner, name, value)))

    def _written(self, obj: Any, name: str, value: Any, site: int) -> int:
        cls = type(obj)
        if hasattr(type(getattr(cls, name, None)), "__set__") and attribute_owner(obj, name) is not obj:
            return NOTHING  # a property takes it
        if issubclass(cls, ModuleType):
            return self._note(obj, name, self._global_name(obj.__dict__, name, site))
        self.code_names.get(cls, set()).discard(name)
        return self._own(obj, name, value)

    def _own(self, obj: Any, name: str, value: Any) -> int:
        entry = self._entry(obj)
        cls = obj if isinstance(obj, type) else type(obj)
        with self._roster.lock:
            number: int = entry.get(name, NOTHING)
            if number < 0:
                unnamed: Unnamed = ("attribute", cls, name, entry[CREATED])
                number = entry[name] = self._roster.variable(unnamed, entry[GROUP])
        if container_base(type(value)) is not None:
            self._hold(obj, name, value)
        return number

    def _note(self, obj: Any, name: str, number: int) -> int:
        """Spare the next one the search, if the object is known anyway."""
        entry = self.known.get(id(obj))
        if entry is None and (number != NOTHING or issubclass(type(obj), (ModuleType, type))):
            entry = self._entry(obj)
        if entry is not None:
            entry[name] = number
        return number

    def _content(self, container: Any, site: int) -> int:
        entry = self._entry(container)
        with self._roster.lock:
            number: int | None = entry.get(CONTENT)
            if number is None:
                unnamed: Unnamed = ("content", type(container).__name__, "", site)
                number = entry[CONTENT] = self._roster.variable(unnamed, entry[GROUP])
        return number

    def _global_name(self, namespace: dict[str, Any], name: str, site: int) -> int:
        entry = self._namespace(namespace)
        path = namespace.get("__file__")
        with self._roster.lock:
            number: int | None = entry.get(name)
            if number is None:
                file = self._places.label(path) if type(path) is str else ""
                number = entry[name] = self._roster.variable(("name", file, name, site), entry[GROUP])
        return number

    def _cell(self, numbers: Entry, name: str, site: int) -> int:
        with self._roster.lock:
            number: int | None = numbers.get(name)
            if number is None:
                if GROUP not in numbers:
                    numbers[GROUP] = self._roster.group()
                number = numbers[name] = self._roster.variable(("name", "", name, site), numbers[GROUP])
        return number

    # -- entries ------------------------------------------------------------------------------------

    def _entry(self, obj: Any, created: str = "") -> Entry:
        key = id(obj)
        entry = self.known.get(key)
        if entry is not None:
            return entry
        cls = type(obj)
        if not created and isinstance(cls.__new__, FunctionType):
            created = self._places.made_in_new()
        with self._roster.lock:
            entry = self.known.get(key) or self._old.pop(key, None) or {GROUP: self._roster.group(), CREATED: created}
            if key not in self._references and not self._refer(obj, key):
                entry[OBJECT] = obj
                self._recent.append(key)
            self.known[key] = entry
        if len(self._recent) > LOOK_EVERY:
            self._tidy_up()
        return entry

    def _made(self, obj: Any, frame: FrameType) -> None:
        if id(obj) not in self.known:
            self._entry(obj, self._places.made_by(frame))

    def _refer(self, obj: Any, key: int) -> bool:
        """Weakly, so that we hear of its end; False if it can't be done."""
        if not type(obj).__weakrefoffset__:
            return False
        reference = Keyed(obj, self._forget)
        reference.key = key
        self._references[key] = reference
        return True

    def _namespace(self, namespace: dict[str, Any]) -> Entry:
        """A module's globals: a dictionary, but one that lives as long as its module."""
        key = id(namespace)
        entry = self.known.get(key)
        if entry is None or (key not in self._references and OBJECT in entry):
            module = sys.modules.get(namespace.get("__name__", ""))
            is_its = isinstance(module, ModuleType) and module.__dict__ is namespace
            with self._roster.lock:
                entry = self.known.get(key)
                if entry is None:
                    entry = self.known[key] = {GROUP: self._roster.group(), CREATED: ""}
                if is_its and self._refer(module, key):
                    entry.pop(OBJECT, None)
                else:
                    entry[OBJECT] = namespace
        return entry

    def _forget(self, reference: Keyed) -> None:
        """An object goes; what it held goes with it, unless others have it too."""
        self._references.pop(reference.key, None)
        entry = self.known.pop(reference.key, None)
        if entry is not None and HELD in entry:
            for key in list(entry[HELD].values()):
                self._held.pop(key, None)
                self._let_go_unless_used(key, by_holder=1)

    # -- containers that are held --------------------------------------------------------------------

    def _hold(self, holder: Any, name: str, container: Any) -> None:
        key = id(container)
        if key in self.known or key in self._old:
            return
        owner = self._entry(holder)
        cls = holder if isinstance(holder, type) else type(holder)
        reference = self._references.get(id(holder))
        with self._roster.lock:
            if key in self.known:
                return
            number = self._roster.variable(("held", cls, name, owner[CREATED]), owner[GROUP])
            entry: Entry = {GROUP: owner[GROUP], CREATED: "", CONTENT: number}
            if not self._refer(container, key):
                entry[OBJECT] = container
            self.known[key] = entry
        if OBJECT not in entry:
            return
        if reference is None:
            self._recent.append(key)
            return
        self._held[key] = (reference, name)
        held = owner.setdefault(HELD, {})
        before, held[name] = held.get(name), key
        if before is not None and before != key and self._held.pop(before, None) is not None:
            self._let_go_unless_used(before, by_holder=0)

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
                self._let_go()
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
        if len(self._young) > MOST_LOOSE // 2:
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
        except Exception as error:
            self._recorder.stream.fail(error)

    def _let_go(self) -> None:
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
            try:
                container = object.__getattribute__(holder, name) if holder is not None else None
            except Exception:  # it has another class by now, say
                container = None
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
