"""Assigns numbers to variables when probes first see them.

The numbers are stored by name in the entries of `TrackedObjects`. A negative number means that the name is not a
variable of the object itself: NO_VARIABLE marks code such as a method, and lower numbers encode variables of the class
(see `inherited`).
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
from raddle.threads.data_model.creation_rules import CreationRules
from raddle.threads.data_model.places import Places
from raddle.threads.data_model.variables import attribute_owner, container_base, is_iterator, written_owner

P = ParamSpec("P")
NO_VARIABLE = -1


def inherited(number: int) -> int:
    """Encode or decode the number of a class variable that is read through an instance.

    The function is its own inverse.
    """
    return -2 - number


def _guarded(find: Callable[Concatenate[VariableNumbers, P], int]) -> Callable[Concatenate[VariableNumbers, P], int]:
    """Wrap a method for use by probes.

    The wrapper returns NO_VARIABLE if the method fails, the thread is busy or recording is off.
    """

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
    """Finds or assigns the numbers of variables. Probes call the guarded methods, which call the others."""

    def __init__(self, recorder: Recorder, table: SiteTable) -> None:
        self._recorder = recorder
        self._registry = recorder.registry
        self._places = Places(table)
        self.creation_rules = CreationRules()
        self.objects = TrackedObjects(recorder.registry, recorder.stream.fail)
        self.entries = self.objects.entries
        self.code_names: dict[int, set[str]] = {}  # maps the id of a class to the names of its methods and properties
        self._classes: list[type] = []  # keeps the classes in `code_names` alive
        self._functions: dict[str, Entry] = {}  # closure variables shared by all calls to a function

    def reset_after_fork(self) -> None:
        """Clear all numbers in a forked process."""
        self.objects.reset_after_fork()
        self._functions.clear()

    # -- called by probes when a variable is first seen -------------------------------------------------------------

    @_guarded
    def global_name(self, namespace: dict[str, Any], name: str, site: int) -> int:
        return self._global_name(namespace, name, site)

    @_guarded
    def hold(self, holder: Any, name: str, container: Any) -> int:
        """Record that a container was assigned to an attribute."""
        self._hold(holder, name, container)
        return 0

    @_guarded
    def release_held(self, holder: Entry, name: str, value: Any) -> int:
        """Record that an attribute that held a container has a new value."""
        self.objects.release_held(holder, name, value)
        return 0

    def receiver(self, obj: Any) -> int:
        """Return the number of an object whose method was entered; 0 if no number can be assigned now."""
        return max(0, self._receiver(obj))

    def cells_of(self, function: str) -> Entry:
        """Return the closure variables that all calls to a function share."""
        return self._functions.setdefault(function, {})

    @_guarded
    def attribute_read(self, obj: Any, name: str, value: Any, site: int) -> int:
        """Return the number of `obj.name`, which was just read."""
        cls = type(obj)
        if name in self.code_names.get(id(cls), ()):
            return self._cache_number(obj, name, NO_VARIABLE)
        owner = attribute_owner(obj, name)
        if owner is None:
            # A class is not added to `code_names`: calls to it create objects, so they must be wrapped.
            is_class = issubclass(type(value), type)
            if not is_class and not issubclass(cls, (ModuleType, type)) and container_base(cls) is None:
                if id(cls) not in self.code_names:
                    self._classes.append(cls)
                self.code_names.setdefault(id(cls), set()).add(name)
            return self._cache_number(obj, name, NO_VARIABLE)
        if owner is obj:
            number = self._own(obj, name, value)
            if id(value) not in self.entries and self.creation_rules.holds_variables(type(value)):
                # Code without probes created the value.
                self.objects.entry(value, self._entry(obj)[CREATED])
            return number
        if issubclass(cls, ModuleType):
            return self._cache_number(obj, name, self._global_name(owner, name, site))
        return self._cache_number(obj, name, inherited(self._own(owner, name, value)))

    @_guarded
    def attribute_written(self, obj: Any, name: str, value: Any, site: int) -> int:
        """Return the number of `obj.name`, which was just written."""
        cls = type(obj)
        if written_owner(obj, name) is None:
            return NO_VARIABLE  # either a property handles the write, or the attribute is thread-local
        if issubclass(cls, ModuleType):
            names: Any = own_fields(obj)
            return self._cache_number(obj, name, self._global_name(names, name, site))
        self.code_names.get(id(cls), set()).discard(name)
        return self._own(obj, name, value)

    def _own(self, obj: Any, name: str, value: Any) -> int:
        entry = self._entry(obj)
        number = self._number(entry, name, ("attribute", *_named_by(obj, name, entry)))
        if container_base(type(value)) is not None:
            self._hold(obj, name, value)
        return number

    def _number(self, entry: Entry, name: str, unnamed: Unnamed) -> int:
        """Return the number stored under a name in the entry; assign one if there is none."""
        with self._registry.lock:
            number: int = entry.get(name, NO_VARIABLE)
            if number < 0:
                number = entry[name] = self._registry.variable(unnamed, entry[GROUP], entry[OWNED])
        return number

    def _cache_number(self, obj: Any, name: str, number: int) -> int:
        """Store the number in the object's entry, so that the next access takes the fast path; return the number.

        If the object has no entry, NO_VARIABLE is stored only for modules and classes.
        """
        entry = self.entries.get(id(obj))
        if entry is None and (number != NO_VARIABLE or issubclass(type(obj), (ModuleType, type))):
            entry = self._entry(obj)
        if entry is not None:
            entry[name] = number
        return number

    @_guarded
    def content(self, container: Any, site: int) -> int:
        """Return the number of the content of a container."""
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
        """Return the number of a closure variable, which a function shares with its nested functions."""
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
        # An object without an entry may still be under construction: a constructor without probes may be on the stack.
        may_be_new = self.creation_rules.has_unprobed_constructor(type(obj))
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
    def note_constructed(self, obj: Any, frame: FrameType) -> int:
        """Record that this frame begins to run a constructor of the object."""
        if id(obj) not in self.entries:
            self.objects.entry(obj, self._places.creation_line(frame))
        return 0

    @_guarded
    def note_created(self, obj: Any) -> int:
        """Record that code without probes, called by the innermost frame of the program, created an object."""
        if id(obj) not in self.entries and self.creation_rules.holds_variables(type(obj)):
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
    """Return the values needed to find the name of an attribute (see `Unnamed`)."""
    return (obj, name, None) if issubclass(type(obj), type) else (type(obj), name, entry[CREATED])
