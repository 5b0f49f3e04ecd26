"""What the probes do while a program runs natively: what the source says, and then one step.

The way of an access that was seen before is as short as it can be: its number is looked up by the object's `id`
and the name, and a step appended. Everything else is done on first sight, by `Numbering`. What the source does not say
is found out by way of `raddle.inspection`, so that no code of the program runs.
"""

from __future__ import annotations

import builtins
import gc
import operator
import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

from raddle import env
from raddle.inspection import is_method_of, own_fields
from raddle.native.functions import Functions
from raddle.native.numbering import NOTHING, Numbering, inherited
from raddle.native.objects import HELD, RECEIVER
from raddle.native.recorder import Recorder
from raddle.operation import BLOCK, ENTER, LEAVE, READ, WRITE
from raddle.threads.data_model.call_effects import LAZY, ON_DISK, Effects
from raddle.threads.data_model.deferred import BoundMethod
from raddle.threads.data_model.variables import (
    CONTENT,
    VIEW_TYPES,
    container_base,
    effect_of_method,
    fills,
    is_iterator,
)

__tracebackhide__ = True  # frames of this module, in what pytest shows

# Methods that read what is in the containers that they are given.
_LOOKING_INTO_ARGUMENTS = frozenset({
    "extend", "extendleft", "update", "union", "intersection", "difference", "symmetric_difference", "issubset",
    "issuperset", "isdisjoint", "intersection_update", "difference_update", "symmetric_difference_update", "join",
    "__eq__", "__add__", "__iadd__", "__or__", "__ior__",
})  # fmt: skip
_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    name: operation for name, operation in vars(operator).items() if f"__{name}__" in vars(operator)
}
_SCALARS = frozenset(map(id, (int, bool, str, float, type(None), bytes)))  # classes, by id


class Cells:
    """A token for the cells of one call of a function; has their numbers."""

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        self.numbers: dict[Any, Any] = {}


def make_probes(
    recorder: Recorder,
    numbering: Numbering,
    functions: Functions,
    is_primitive: Callable[[type, str], bool],
) -> dict[str, Callable[..., Any]]:
    """The probes to attach; `is_primitive` says which methods of which classes make steps of their own."""
    here = recorder.here
    stream = recorder.stream
    steps, most_steps = stream.steps, stream.most_steps
    append = steps.append
    hand_over = recorder.hand_over
    known = numbering.known
    code_names = numbering.code_names
    read_first, written_first, content_first = numbering.read, numbering.written, numbering.content
    hold, let_go = numbering.hold, numbering.let_go
    # By id of a class, which `kept` keeps alive: the built-in container it is or extends, and whether a lookup of what
    # is missing stores it.
    bases: dict[int, type | None] = dict.fromkeys(_SCALARS)
    filling: dict[int, bool] = {}
    kept: list[type] = []
    receivers, constructors = functions.receivers, functions.constructors
    frame_of = sys._getframe
    effect_of = Effects().of

    def base_of(cls: type) -> type | None:
        kept.append(cls)
        filling[id(cls)] = fills(cls)
        base = bases[id(cls)] = container_base(cls)
        return base

    # -- attributes ---------------------------------------------------------------------------------

    def read(obj: Any, name: str, site: int) -> Any:
        value = getattr(obj, name)
        try:
            number = known[id(obj)][name]
        except KeyError:
            number = read_first(obj, name, value, site)
        if number >= 0:
            append((here.number, READ, number, site))
            if len(steps) > most_steps:
                hand_over()
        elif number != NOTHING:
            append((here.number, READ, inherited(number), site))
        elif container_of(obj) is obj:
            return handed_on(obj, name, site, value)
        return value

    def tell_read(obj: Any, name: str, value: Any, site: int) -> None:
        """That it was read already."""
        try:
            number = known[id(obj)][name]
        except KeyError:
            number = read_first(obj, name, value, site)
        if number != NOTHING:
            append((here.number, READ, number if number >= 0 else inherited(number), site))

    def handed_on(obj: Any, name: str, site: int, found: Any) -> Any:
        """A method of a container that somebody else will call: `Thread(target=items.append)`."""
        base = bases[id(type(obj))]
        if base is None or not is_method_of(obj, found):
            return found
        kind = effect_of_method(type(obj), base, found, name)
        return BoundMethod(found, called_later(obj, kind, name, site, found)) if kind else found

    def write(value: Any, obj: Any, name: str, site: int) -> None:
        setattr(obj, name, value)
        try:
            fields = known[id(obj)]
            number = fields[name]
        except KeyError:
            number = NOTHING
        if number < 0:
            number = written_first(obj, name, value, site)
            if number < 0:
                return
        else:
            held = fields.get(HELD)
            if held is not None and name in held:
                let_go(fields, name, value)
            if bases.get(id(type(value))) is not None and id(value) not in known:
                hold(obj, name, value)
        append((here.number, WRITE, number, site))
        if len(steps) > most_steps:
            hand_over()

    def delete(obj: Any, name: str, site: int) -> None:
        delattr(obj, name)
        fields = known.get(id(obj), {})
        if name in fields.get(HELD, ()):
            let_go(fields, name, None)
        number = fields.get(name, NOTHING)
        if number < 0:
            number = written_first(obj, name, None, site)
        if number >= 0:
            append((here.number, WRITE, number, site))

    def method(obj: Any, name: str, site: int) -> Any:
        found = getattr(obj, name)
        cls = type(obj)
        if cls is super:
            return of_super(obj.__self__, name, site, found)
        codes = code_names.get(id(cls))
        if codes is not None and name in codes:
            return found
        return other_method(obj, cls, name, site, found)

    def of_super(obj: Any, name: str, site: int, found: Any) -> Any:
        """`super().append(1)`, in a class that extends a container."""
        cls = type(obj)
        base = None if issubclass(cls, type) else bases[id(cls)] if id(cls) in bases else base_of(cls)
        kind = effect_of_method(cls, base, found, name) if base is not None else ""
        return called_later(obj, kind, name, site, found) if kind else found

    def other_method(obj: Any, cls: type, name: str, site: int, found: Any) -> Any:
        """One that may be data, or do something worth telling."""
        base = bases[id(cls)] if id(cls) in bases else base_of(cls)
        if base is not None:
            kind = effect_of_method(cls, base, found, name) if name not in own_fields(obj) else ""
            if kind:
                return called_later(obj, kind, name, site, found)
        elif is_primitive(cls, name):
            here.me.site = site
            return found
        tell_read(obj, name, found, site)
        return function(found, site) if cls is ModuleType else found

    # -- contents -----------------------------------------------------------------------------------

    def tell(kind: str, container: Any, site: int) -> None:
        try:
            number = known[id(container)][CONTENT]
        except KeyError:
            number = content_first(container, site)
            if number < 0:
                return
        append((here.number, kind, number, site))
        if len(steps) > most_steps:
            hand_over()

    def called_later(obj: Any, kind: str, name: str, site: int, found: Any) -> Callable[..., Any]:
        """A method of a container: told when it has been called."""
        return partial(call_with if name in _LOOKING_INTO_ARGUMENTS else call, found, obj, kind, site)

    def call(found: Any, obj: Any, kind: str, site: int, /, *args: Any, **kwargs: Any) -> Any:
        result = found(*args, **kwargs)
        tell(kind, obj, site)
        return result

    def call_with(found: Any, obj: Any, kind: str, site: int, /, *args: Any, **kwargs: Any) -> Any:
        result = found(*args, **kwargs)
        for arg in args:
            content(arg, site)
        tell(kind, obj, site)
        return result

    def container_of(obj: Any) -> Any:
        """The container that is looked at when `obj` is: itself, or what it is a view of; else None."""
        cls = type(obj)
        base = bases[id(cls)] if id(cls) in bases else base_of(cls)
        if base is not None:
            return obj
        if id(cls) in VIEW_TYPES:
            viewed = gc.get_referents(obj)
            return viewed[0] if viewed else None
        return None

    def getitem(obj: Any, key: Any, site: int) -> Any:
        value = obj[key]
        cls = type(obj)
        if (bases[id(cls)] if id(cls) in bases else base_of(cls)) is None:
            return value
        try:
            number = known[id(obj)][CONTENT]
        except KeyError:
            number = content_first(obj, site)
        if number >= 0:
            append((here.number, WRITE if filling[id(cls)] else READ, number, site))
            if len(steps) > most_steps:
                hand_over()
        return value

    def setitem(value: Any, obj: Any, key: Any, site: int) -> None:
        obj[key] = value
        cls = type(obj)
        if (bases[id(cls)] if id(cls) in bases else base_of(cls)) is not None:
            tell(WRITE, obj, site)

    def delitem(obj: Any, key: Any, site: int) -> None:
        del obj[key]
        if container_of(obj) is not None:
            tell(WRITE, obj, site)

    def contains(key: Any, obj: Any, site: int) -> bool:
        found = key in obj
        container = container_of(obj)
        if container is not None:
            tell(READ, container, site)
        return found

    def content(obj: Any, site: int) -> Any:
        cls = type(obj)
        if id(cls) in bases and bases[id(cls)] is None and id(cls) not in VIEW_TYPES:
            return obj
        container = container_of(obj)
        if container is not None:
            tell(READ, container, site)
        return obj

    def iterate(obj: Any, site: int) -> Any:
        container = container_of(obj)
        return obj if container is None else each(iter(obj), container, site)

    def each(iterator: Iterator[Any], container: Any, site: int) -> Iterator[Any]:
        """Every next is a look into the container, the one that finds nothing included."""
        for value in iterator:
            tell(READ, container, site)
            yield value
        tell(READ, container, site)

    def inplace(operation: str, obj: Any, value: Any, site: int) -> Any:
        result = _IN_PLACE[operation](obj, value)
        cls = type(obj)
        if (bases[id(cls)] if id(cls) in bases else base_of(cls)) is not None:
            content(value, site)
            tell(WRITE, obj, site)
        return result

    # -- built-in functions -------------------------------------------------------------------------

    def function(called: Any, site: int) -> Any:
        handler = handlers.get(id(called))
        if handler is not None:
            return partial(handler, called, site)
        kind = effect_of(called)
        if kind in ON_DISK:
            kind = READ  # nobody decides here who comes first on the disk; containers are only looked into
        return partial(touching, called, kind, site) if kind else called

    def touching(called: Any, kind: str, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Something without probes works on a container that it is given, and may look into others."""
        result = called(*args, **kwargs)
        for arg in (*args, *kwargs.values()):
            container = container_of(arg)
            if container is not None:
                tell(kind, container, site)
                kind = READ
        return result

    def looking(called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """len(x), sorted(x)...: looks into its arguments at once."""
        result = called(*args, **kwargs)
        for arg in args:
            content(arg, site)
        return result

    def lazily(called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """enumerate(x), zip(x, y)...: looks into its arguments later, step by step."""
        return called(*[iterate(arg, site) for arg in args], **kwargs)

    def iterating(called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        result = called(*args, **kwargs)
        container = container_of(args[0]) if len(args) == 1 else None
        return result if container is None else each(result, container, site)

    def advancing(called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """next(x): an iterator of C's, or a generator, is a datum that two threads can share."""
        value = called(*args, **kwargs)
        if is_iterator(args[0]):
            tell(WRITE, args[0], site)
        return value

    def getting(called: Any, site: int, /, obj: Any, name: str, *default: Any) -> Any:
        value = called(obj, name, *default)
        if not default or value is not default[0]:
            tell_read(obj, name, value, site)
        return value

    def having(called: Any, site: int, /, obj: Any, name: str) -> bool:
        result: bool = called(obj, name)
        if result:
            tell_read(obj, name, None, site)
        return result

    def setting(called: Any, site: int, /, obj: Any, name: str, value: Any) -> None:
        write(value, obj, name, site)

    def deleting(called: Any, site: int, /, obj: Any, name: str) -> None:
        delete(obj, name, site)

    handlers: dict[int, Callable[..., Any]] = {
        id(getattr(builtins, name)): handler
        for names, handler in (
            ("len list dict set tuple sorted sum min max any all bool str repr print format", looking),
            ("enumerate zip map filter", lazily),
            ("iter reversed", iterating),
            ("next", advancing),
            ("getattr", getting),
            ("hasattr", having),
            ("setattr", setting),
            ("delattr", deleting),
        )
        for name in names.split()
    }
    handlers.update((id(kind), lazily) for kind in LAZY)
    handlers.update((id(kind), looking) for kind in env.FROZEN_TYPES)

    # -- names --------------------------------------------------------------------------------------

    def tell_name(kind: str, owner: Any, name: str, site: int) -> None:
        if issubclass(type(owner), dict):  # the globals of a module
            fields = known.get(id(owner))
            number = fields.get(name) if fields is not None else None
            if number is None:
                number = numbering.global_name(owner, name, site)
        else:
            numbers = owner.numbers if type(owner) is Cells else numbering.cells_of(str(owner))
            number = numbers.get(name)
            if number is None:
                number = numbering.cell(numbers, name, site)
        if number >= 0:
            append((here.number, kind, number, site))
            if len(steps) > most_steps:
                hand_over()

    def read_name(owner: Any, name: str, site: int) -> None:
        tell_name(READ, owner, name, site)

    def write_name(value: Any, owner: Any, name: str, site: int) -> Any:
        tell_name(WRITE, owner, name, site)
        return value

    def delete_name(owner: Any, name: str, site: int) -> None:
        tell_name(WRITE, owner, name, site)

    # -- functions and blocks -----------------------------------------------------------------------

    def guard(manager: Any, site: int) -> Any:
        if is_primitive(type(manager), "__enter__"):
            here.me.site = site
        return manager

    def enter(site: int) -> None:
        try:
            parameter = receivers[site]
        except KeyError:
            parameter = functions.introduce(site, frame_of(1))
        number = 0
        if parameter:
            receiver = functions.receiver(site, parameter, frame_of(1))
            if receiver is None:
                pass
            elif site in constructors:
                if id(receiver) not in known:
                    numbering.made(receiver, frame_of(1))
            else:
                try:
                    number = known[id(receiver)][RECEIVER]
                except KeyError:
                    number = numbering.receiver(receiver)
        me = here.me
        append((me.number, ENTER, number, site))
        if me.room:
            me.room -= 1
            me.actor.methods.append(functions.name(site))
        if len(steps) > most_steps:
            hand_over()

    def leave(site: int) -> None:
        append((here.number, LEAVE, 0, site))

    def block(site: int) -> None:
        append((here.number, BLOCK, 0, site))
        if len(steps) > most_steps:
            hand_over()

    return {
        "read": read, "write": write, "delete": delete, "method": method,
        "getitem": getitem, "setitem": setitem, "delitem": delitem,
        "contains": contains, "content": content, "iterate": iterate, "inplace": inplace, "function": function,
        "cells": Cells, "read_name": read_name, "write_name": write_name, "delete_name": delete_name,
        "guard": guard, "enter": enter, "leave": leave, "block": block,
    }  # fmt: skip
