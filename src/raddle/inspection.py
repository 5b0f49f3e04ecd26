"""Inspects objects and classes of the program without running any of its code.

`obj.__dict__`, `cls.__mro__` and `isinstance` can all run code of the program: a property, a `__getattribute__` of the
class or its metaclass, or a computed `__class__`. The functions here use only `type(obj)` and the descriptors of the
interpreter.

Classes are compared by identity and stored in tables by `id`, because a metaclass can define `__eq__` without
`__hash__`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import (
    BuiltinMethodType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    MethodWrapperType,
)
from typing import Any

_FIELDS: Mapping[str, Any] = type.__dict__

mro: Callable[[type], tuple[type, ...]] = _FIELDS["__mro__"].__get__
fields_of: Callable[[type], Mapping[str, Any]] = _FIELDS["__dict__"].__get__
name_of: Callable[[type], str] = _FIELDS["__name__"].__get__
qualname_of: Callable[[type], str] = _FIELDS["__qualname__"].__get__
weak_offset_of: Callable[[type], int] = _FIELDS["__weakrefoffset__"].__get__
dict_offset_of: Callable[[type], int] = _FIELDS["__dictoffset__"].__get__
MISSING = object()  # sentinel: the default to pass to `class_attribute` if None can be the value
_module_of: Callable[[type], Any] = _FIELDS["__module__"].__get__


def resource_kind(kind: type) -> str:
    """Return the name that reports show for the class of a resource: the name that `threading` uses for the class.

    >>> import threading
    >>> resource_kind(type(threading.Lock())), resource_kind(threading.Event)
    ('Lock', 'Event')
    """
    name = name_of(kind)
    return "Lock" if name == "lock" else name


def module_of(kind: type) -> str:
    """Return the name of the module that defines a class; "" if the class has none or `__module__` is not a string.

    >>> module_of(dict), module_of(type("Proxy", (), {"__module__": property(len)}))
    ('builtins', '')
    """
    try:
        module = _module_of(kind)
    except AttributeError:  # the class has no `__module__`, for example because the program deleted it
        return ""
    return module if type(module) is str else ""


def class_attribute(kind: type, name: str, default: Any = None) -> Any:
    """Return an attribute of a class or of its nearest base class that has it, without calling descriptors.

    >>> type(class_attribute(bool, "real")).__name__, class_attribute(dict, "missing")
    ('getset_descriptor', None)
    """
    for base in mro(kind):
        fields = fields_of(base)
        if name in fields:
            return fields[name]
    return default


def own_fields(obj: Any) -> Mapping[str, Any]:
    """Return the `__dict__` of an object; an empty dictionary if the object has none or hides it.

    >>> class Proxy:
    ...     __dict__ = property(lambda self: 1 / 0)
    >>> own_fields(Proxy()), own_fields(3)
    ({}, {})
    """
    for base in mro(type(obj)):
        found: Any = fields_of(base).get("__dict__")
        kind = type(found)
        if kind is GetSetDescriptorType or kind is MemberDescriptorType:
            try:
                fields = found.__get__(obj)
            except (AttributeError, TypeError):
                return {}
            return fields if issubclass(type(fields), (dict, MappingProxyType)) else {}
    return {}


def stored_attribute(obj: Any, name: str) -> Any:
    """Return an attribute that an object or class stores in its `__dict__` or in a slot; None if there is none.

    >>> class Point:
    ...     __slots__ = ("x",)
    >>> point = Point()
    >>> point.x = 3
    >>> stored_attribute(point, "x"), stored_attribute(Point, "y")
    (3, None)
    """
    if issubclass(type(obj), type):
        return class_attribute(obj, name)
    found: Any = class_attribute(type(obj), name)
    if type(found) is MemberDescriptorType:
        try:
            return found.__get__(obj)
        except AttributeError:  # the slot is empty
            return None
    return own_fields(obj).get(name)


def stored_fields(obj: Any) -> dict[str, Any]:
    """Return the attributes that an object stores in its `__dict__` and in slots.

    >>> class Point:
    ...     __slots__ = ("x", "y")
    >>> point = Point()
    >>> point.x = 3
    >>> stored_fields(point)
    {'x': 3}
    """
    fields = {}
    for base in reversed(mro(type(obj))):
        for name, member in fields_of(base).items():
            if type(member) is MemberDescriptorType:
                try:
                    fields[name] = member.__get__(obj)
                except AttributeError:  # the slot is empty
                    continue
    return {**fields, **{name: value for name, value in own_fields(obj).items() if type(name) is str}}


def attribute_of(obj: Any, name: str) -> Any:
    """Return an attribute from an object's `__dict__`, or one that the interpreter stores for it, like `__code__`.

    >>> attribute_of(len, "__qualname__"), attribute_of(attribute_of, "__name__"), attribute_of(3, "__name__")
    ('len', 'attribute_of', None)
    """
    found = class_attribute(type(obj), name)
    kind = type(found)
    if kind is GetSetDescriptorType or kind is MemberDescriptorType:
        try:
            return found.__get__(obj)
        except AttributeError:
            return None
    return own_fields(obj).get(name)


def is_method_of(obj: Any, found: Any) -> bool:
    """Return whether `found` is a method bound to `obj`.

    >>> items = []
    >>> is_method_of(items, items.append), is_method_of(items, items.__len__), is_method_of([], items.append)
    (True, True, False)
    """
    kind = type(found)
    bound = kind is BuiltinMethodType or kind is MethodType or kind is MethodWrapperType
    return bound and found.__self__ is obj


def unwrapped(called: Any) -> Any:
    """Return the function wrapped by partials and bound methods.

    >>> unwrapped(partial(partial(sorted), reverse=True))
    <built-in function sorted>
    """
    while True:
        if type(called) is partial:
            called = called.func
        elif type(called) is MethodType:
            called = called.__func__
        else:
            return called


def function_name(called: Any) -> str:
    """Return the qualified name of a callable, ignoring partials and bound methods around it.

    >>> function_name(partial(len)), function_name([].append), function_name(dict)
    ('len', 'list.append', 'dict')
    """
    called = unwrapped(called)
    name = qualname_of(called) if issubclass(type(called), type) else attribute_of(called, "__qualname__")
    return name if type(name) is str else qualname_of(type(called))
