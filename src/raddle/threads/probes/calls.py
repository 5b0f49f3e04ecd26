"""Probes for calls to code that has no probes of its own: built-in functions, C code and uninstrumented modules.

Such code accesses its arguments without calling a probe. The effects of widely used functions are known, and those of
other functions are assumed (see `raddle.threads.data_model.call_effects`). Each call is a single step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from typing import Any

from greenlet import getcurrent

from raddle import env
from raddle.engine.carrier import Carrier
from raddle.operation import READ, WRITE, Kind
from raddle.threads.data_model.builtin_functions import BuiltinRole, handlers_by_function
from raddle.threads.data_model.call_effects import (
    EffectCache,
    attribute_names,
    copies_objects,
    reads_attributes,
    reads_deeply,
    with_nested,
)
from raddle.threads.data_model.filesystem import CONTENTS, DISK, effect_of_opening
from raddle.threads.data_model.filesystem import effect_of_method as effect_on_files
from raddle.threads.data_model.variables import UNKNOWN, container_base, is_iterator
from raddle.threads.patches import NAMES
from raddle.threads.probes.accesses import Accesses
from raddle.threads.probes.attributes import Attributes
from raddle.threads.probes.items import Items

_NESTED_TYPES = frozenset(map(id, (list, tuple, dict)))  # ids of classes that can hold other containers
# Functions that exhaust an iterator.
_DRAINING_FUNCTIONS = frozenset(
    {list, dict, set, *env.FROZEN_TYPES, tuple, sorted, sum, min, max, any, all, bytes, bytearray}
)
_DEEP_READERS = frozenset(filter(reads_deeply, (all, any, format, max, min, print, repr, sorted, str)))


class Calls:
    """Wraps uninstrumented functions so that their accesses are steps of the calling thread."""

    __slots__ = (
        "_accesses", "_attributes", "_cold", "_creation_rules", "_effects", "_hot", "_items", "_observing",
        "_variables",
    )  # fmt: skip

    def __init__(self, accesses: Accesses, items: Items, attributes: Attributes) -> None:
        self._accesses = accesses
        self._items = items
        self._attributes = attributes
        self._variables = accesses.variables
        self._cold, self._hot = accesses.cold, accesses.hot
        self._observing = accesses.observing
        self._effects = EffectCache()
        self._creation_rules = accesses.creation_rules if accesses.measuring else None

    def function(self, called: Any, site: int) -> Any:
        if type(getcurrent()) is not Carrier:
            return called
        handler = _HANDLERS.get(id(called))
        if handler is not None:
            return partial(handler, self, called, site)
        if type(called) is partial:
            inner = self.function(called.func, site)
            return called if inner is called.func else partial(inner, *called.args, **called.keywords)
        effect = self._effects.of(called)
        if self._creation_rules is not None and type(called) is not FunctionType:
            called = self.probed_constructor(called, site)
        if effect is None:
            return called
        return partial(self.call_external if effect.on_disk else self.call_with_effect, called, effect.kind, site)

    def probed_constructor(self, called: Any, site: int) -> Any:
        """Wrap a callable whose new objects no constructor probe reports; return any other callable unchanged."""
        if self._creation_rules is None or not self._creation_rules.creates_object(called):
            return called
        return partial(self._call_constructor, called, site)

    def _call_constructor(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call a class that has no instrumented constructor, and report the new object."""
        made = called(*args, **kwargs)
        me: Any = getcurrent()
        if type(me) is Carrier:
            self._accesses.report_created(me, made, site)
        return made

    # -- any function -------------------------------------------------------------------------------

    def call_with_effect(self, called: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call uninstrumented code as one step.

        The step is an access of this `kind` to the first container argument and a read of every other one.
        """
        me: Any = getcurrent()
        target, original = None, called
        arguments: Sequence[Any] = (*args, *kwargs.values()) if type(me) is Carrier else ()
        reads_all = arguments and reads_attributes(called)
        if arguments and self._creation_rules is not None and copies_objects(called):
            called = partial(self._call_constructor, called, site)
        for arg in with_nested(arguments) if arguments and reads_deeply(original) else arguments:
            if effect_on_files(arg, "write"):  # the callee writes to a file argument
                called = partial(self.call_external, called, WRITE, site)
            elif target is not None:
                self._items.read_nested(me, arg, site)
            elif (target := self._variables.container_of(arg)) is not None:
                self._touch(me, target, kind, site)
        if reads_all:
            self._read_all(me, arguments, site)
        return called(*args, **kwargs)

    def call_external(self, called: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call code that accesses files or databases, as one step."""
        me: Any = getcurrent()
        if type(me) is Carrier:
            variable = self._variables.variable(DISK, CONTENTS)
            self._accesses.step(me, variable, kind, site)
            if self._observing and not self._accesses.engine.measuring:  # criteria do not measure this variable
                self._accesses.report(me, kind, variable, site, UNKNOWN)
        return called(*args, **kwargs)

    def _read_all(self, me: Carrier, arguments: Sequence[Any], site: int) -> None:
        """Read all attributes of objects in one step, for example because the objects are copied."""
        accesses = self._accesses
        found = [self._variables.find(obj, name) for obj in arguments for name in attribute_names(obj)]
        for number, variable in enumerate(variable for variable in found if variable is not None):
            if not number:
                accesses.step(me, variable, READ, site)
            elif accesses.sampling.tracking:
                accesses.note_nested_read(me, variable, site)
            if self._observing:
                accesses.report(me, READ, variable, site, UNKNOWN)

    def _touch(self, me: Carrier, container: Any, kind: Kind, site: int) -> None:
        cls = type(container)
        if self._cold.get(site) is cls:
            return
        if self._hot.get(site) is cls:
            self._accesses.arrive(me, container, kind, site)
            return
        variable = self._variables.find_content(container)
        self._accesses.step(me, variable, kind, site)
        if self._observing:
            self._accesses.report(me, kind, variable, site, UNKNOWN)

    # -- built-in functions -------------------------------------------------------------------------

    def call_reader(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function that reads the content of its arguments in one step, as `len(x)` and `sorted(x)` do."""
        if len(args) != 1 or (called in _DEEP_READERS and id(type(args[0])) in _NESTED_TYPES):
            return self.call_with_effect(called, READ, site, *args, **kwargs)
        if is_iterator(args[0]) and called in _DRAINING_FUNCTIONS:
            return self._items.advance(args[0], site, partial(called, *args, **kwargs))
        self._items.content(args[0], site)
        return called(*args, **kwargs)

    def call_print(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        me: Any = getcurrent()
        file = kwargs.get("file")
        if type(me) is Carrier and container_base(type(file)) is not None:
            self._touch(me, file, WRITE, site)
        elif effect_on_files(file, "write"):
            return self.call_external(partial(self.call_reader, called, site), WRITE, site, *args, **kwargs)
        return self.call_reader(called, site, *args, **kwargs)

    def call_open(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        mode = args[1] if len(args) > 1 else kwargs.get("mode", "r")
        return self.call_external(called, effect_of_opening(mode), site, *args, **kwargs)

    def call_lazy(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function that reads the content of its arguments later, step by step, as `zip(x, y)` does."""
        if called is map and args:
            args = (self.function(args[0], site), *args[1:])
        return called(*[self._items.iterate(arg, site) for arg in args], **kwargs)

    def call_iter(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        me: Any = getcurrent()
        container = self._variables.container_of(args[0]) if len(args) == 1 and type(me) is Carrier else None
        if container is None:
            return called(*args, **kwargs)
        self._items.read_content(me, container, site)
        return self._items.iterate_stepwise(called(*args), container, site)

    def call_next(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        if args and is_iterator(args[0]):
            return self._items.advance(args[0], site, partial(called, *args, **kwargs))
        return called(*args, **kwargs)

    def call_getattr(self, called: Any, site: int, /, obj: Any, name: str, *default: Any) -> Any:
        if not default:
            return self._attributes.read(obj, name, site)
        try:
            return self._attributes.read(obj, name, site)
        except AttributeError:
            return default[0]

    def call_hasattr(self, called: Any, site: int, /, obj: Any, name: str) -> bool:
        try:
            self._attributes.read(obj, name, site)
        except AttributeError:
            return False
        return True

    def call_setattr(self, called: Any, site: int, /, obj: Any, name: str, value: Any) -> None:
        self._attributes.write(value, obj, name, site)

    def call_delattr(self, called: Any, site: int, /, obj: Any, name: str) -> None:
        self._attributes.delete(obj, name, site)

    def call_twin(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call the twin of a function, such as a clock, that was stored before the twins were installed."""
        return NAMES[called](*args, **kwargs)


_HANDLERS: dict[int, Callable[..., Any]] = handlers_by_function(
    {
        BuiltinRole.READ_CONTENT: Calls.call_reader,
        BuiltinRole.COPY_BYTES: Calls.call_reader,
        BuiltinRole.PRINT: Calls.call_print,
        BuiltinRole.OPEN: Calls.call_open,
        BuiltinRole.LAZY: Calls.call_lazy,
        BuiltinRole.ITERATE: Calls.call_iter,
        BuiltinRole.ADVANCE: Calls.call_next,
        BuiltinRole.GETATTR: Calls.call_getattr,
        BuiltinRole.HASATTR: Calls.call_hasattr,
        BuiltinRole.SETATTR: Calls.call_setattr,
        BuiltinRole.DELATTR: Calls.call_delattr,
    }
)
_HANDLERS.update((id(real), Calls.call_twin) for real in NAMES)
