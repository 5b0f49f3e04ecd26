"""Numbers for variables, given on first sight of the object that they are a part of.

Numbers are in the entries of `TrackedObjects`, by name. Negative ones are no variables of the object's own: NOTHING is
code, what is below it a class's variable, see `inherited`.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any, Concatenate, ParamSpec

from raddle.inspection import own_fields
from raddle.native.ids.names import Unnamed
from raddle.native.ids.objects import CREATED, GROUP, OWNED, RECEIVER, Entry, TrackedObjects
from raddle.native.recorder import Recorder, ThreadRecord
from raddle.operation import CONTENT
from raddle.site import SiteTable
from raddle.threads.data_model.making import CreationRules
from raddle.threads.data_model.places import Places
from raddle.threads.data_model.variables import attribute_owner, container_base, is_iterator, written_owner

P = ParamSpec("P")
NO_VARIABLE = -1


def inherited(number: int) -> int:
    """A class's variable, seen through an object of the class; its own inverse."""
    return -2 - number


def _guarded(find: Callable[Concatenate[VariableNumbers, P], int]) -> Callable[Concatenate[VariableNumbers, P], int]:
    """Let the program go on whatever happens: return NOTHING if the search fails or is not wanted now."""

    def guarded(self: VariableNumbers, /, *args: P.args, **kwargs: P.kwargs) -> int:
        thread: ThreadRecord = self._recorder.local.thread
        if thread.busy or not self._recorder.stream.recording:
            return NO_VARIABLE
        thread.busy = True
        try:
            return find(self, *args, **kwargs)
        except RecursionError:
            return NO_VARIABLE
        except Exception as error:
            self._recorder.stream.fail(error)
            return NO_VARIABLE
        finally:
            thread.busy = False

    return guarded


class VariableNumbers:
    """Finds numbers. Guarded methods are for probes, the others are what guarded ones call."""

    def __init__(self, recorder: Recorder, table: SiteTable) -> None:
        self._recorder = recorder
        self._registry = recorder.registry
        self._places = Places(table)
        self.makers = CreationRules()
        self.objects = TrackedObjects(recorder.registry, recorder.stream.fail)
        self.entries = self.objects.entries
        self.code_names: dict[int, set[str]] = {}  # by id of a class: methods, properties and so on
        self._kept: list[type] = []  # classes that are known by id
        self._functions: dict[str, Entry] = {}  # cells of functions that have no tokens

    def reset_after_fork(self) -> None:
        """In a process that was forked: nothing has a number yet."""
        self.objects.reset_after_fork()
        self._functions.clear()

    # -- what probes ask on first sight -------------------------------------------------------------

    @_guarded
    def global_name(self, namespace: dict[str, Any], name: str, site: int) -> int:
        return self._global_name(namespace, name, site)

    @_guarded
    def hold(self, holder: Any, name: str, container: Any) -> int:
        """Note that a container was written to an attribute."""
        self._hold(holder, name, container)
        return 0

    @_guarded
    def release_held(self, holder: Entry, name: str, value: Any) -> int:
        """Note that an attribute that held a container has another value now."""
        self.objects.release_held(holder, name, value)
        return 0

    def receiver(self, obj: Any) -> int:
        """Return the number of an object whose method was entered, 0 if it gets none now."""
        return max(0, self._receiver(obj))

    def cells_of(self, function: str) -> Entry:
        """Return the cells of a function whose calls are not told apart."""
        return self._functions.setdefault(function, {})

    @_guarded
    def read(self, obj: Any, name: str, value: Any, site: int) -> int:
        """Return the number of `obj.name`, which was just read."""
        cls = type(obj)
        if name in self.code_names.get(id(cls), ()):
            return self._note(obj, name, NO_VARIABLE)
        owner = attribute_owner(obj, name)
        if owner is None:
            is_class = issubclass(type(value), type)  # to be looked at where it is called: it may be silent
            if not is_class and not issubclass(cls, (ModuleType, type)) and container_base(cls) is None:
                if id(cls) not in self.code_names:
                    self._kept.append(cls)
                self.code_names.setdefault(id(cls), set()).add(name)
            return self._note(obj, name, NO_VARIABLE)
        if owner is obj:
            number = self._own(obj, name, value)
            if id(value) not in self.entries and self.makers.holds_variables(
                type(value)
            ):  # made by code without probes
                self.objects.entry(value, self._entry(obj)[CREATED])
            return number
        if issubclass(cls, ModuleType):
            return self._note(obj, name, self._global_name(owner, name, site))
        return self._note(obj, name, inherited(self._own(owner, name, value)))

    @_guarded
    def written(self, obj: Any, name: str, value: Any, site: int) -> int:
        """Return the number of `obj.name`, which was just written."""
        cls = type(obj)
        if written_owner(obj, name) is None:
            return NO_VARIABLE  # a property takes it, or each thread has its own
        if issubclass(cls, ModuleType):
            names: Any = own_fields(obj)
            return self._note(obj, name, self._global_name(names, name, site))
        self.code_names.get(id(cls), set()).discard(name)
        return self._own(obj, name, value)

    def _own(self, obj: Any, name: str, value: Any) -> int:
        entry = self._entry(obj)
        number = self._number(entry, name, ("attribute", *_named_by(obj, name, entry)))
        if container_base(type(value)) is not None:
            self._hold(obj, name, value)
        return number

    def _number(self, entry: Entry, name: str, unnamed: Unnamed) -> int:
        """Return the number that an entry has by a name, a new one if it has none."""
        with self._registry.lock:
            number: int = entry.get(name, NO_VARIABLE)
            if number < 0:
                number = entry[name] = self._registry.variable(unnamed, entry[GROUP], entry[OWNED])
        return number

    def _note(self, obj: Any, name: str, number: int) -> int:
        """Spare the next one the search, if the object is known anyway."""
        entry = self.entries.get(id(obj))
        if entry is None and (number != NO_VARIABLE or issubclass(type(obj), (ModuleType, type))):
            entry = self._entry(obj)
        if entry is not None:
            entry[name] = number
        return number

    @_guarded
    def content(self, container: Any, site: int) -> int:
        """Return the number of what is in a container."""
        entry = self._entry(container)
        if is_iterator(container):
            with self._registry.lock:
                self._registry.iterator(entry[GROUP])
        return self._number(entry, CONTENT, ("content", type(container), "", site))

    def _global_name(self, namespace: dict[str, Any], name: str, site: int) -> int:
        entry = self.objects.namespace(namespace)
        path = namespace.get("__file__")
        file = self._places.label(path) if type(path) is str else ""
        return self._number(entry, name, ("name", file, name, site))

    @_guarded
    def cell(self, numbers: Entry, name: str, site: int) -> int:
        """Return the number of a variable that a function shares with functions inside it."""
        with self._registry.lock:
            if GROUP not in numbers:
                group = self._registry.group()
                numbers.update({GROUP: group, OWNED: self._registry.owned(group)})
        return self._number(numbers, name, ("name", "", name, site))

    # -- objects ---------------------------------------------------------------------------------------

    def _entry(self, obj: Any) -> Entry:
        entry = self.entries.get(id(obj))
        if entry is not None:
            return entry
        # Only code without probes can run before the object is known, and only such code in Python is on the stack.
        may_be_new = self.makers.has_unprobed_constructor(type(obj))
        return self.objects.entry(obj, self._places.creation_line_of(obj) if may_be_new else "")

    @_guarded
    def _receiver(self, obj: Any) -> int:
        entry = self._entry(obj)
        with self._registry.lock:
            number: int = entry[GROUP]
            entry[RECEIVER] = number
            self._registry.receiver(number, type(obj))
        return number

    @_guarded
    def made(self, obj: Any, frame: FrameType) -> int:
        """Note that a constructor of the object begins, in this frame."""
        if id(obj) not in self.entries:
            self.objects.entry(obj, self._places.creation_line(frame))
        return 0

    @_guarded
    def called(self, obj: Any) -> int:
        """Note that code without probes, called by the innermost code of the program, has made an object."""
        if id(obj) not in self.entries and self.makers.holds_variables(type(obj)):
            self.objects.entry(obj, self._places.creation_line())
        return 0

    def _hold(self, holder: Any, name: str, container: Any) -> None:
        if self.objects.is_known(container):
            return
        owner = self._entry(holder)
        owned = self._registry.owned()
        with self._registry.lock:
            number = self._registry.variable(("held", *_named_by(holder, name, owner)), owner[GROUP], owned)
        entry = {GROUP: owner[GROUP], CREATED: "", OWNED: owned, CONTENT: number}
        self.objects.hold(holder, name, container, entry)


def _named_by(obj: Any, name: str, entry: Entry) -> tuple[type, str, str | None]:
    """Return what the name of an attribute is found from, see `Unnamed`."""
    return (obj, name, None) if issubclass(type(obj), type) else (type(obj), name, entry[CREATED])
