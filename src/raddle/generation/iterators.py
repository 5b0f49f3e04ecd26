"""Results that are iterators. A call consumes them, because a generator function does its work only then."""

from __future__ import annotations

from collections.abc import Iterator

from raddle.generation.package_classes import attributes_of
from raddle.generation.signatures import package_of
from raddle.inspection import module_of, mro

_STREAMS = frozenset({"io", "_io", "codecs", "socket", "tempfile"})  # their iterators read files and sockets


def is_consumable(kind: type, cls: type) -> bool:
    """Return whether results of a class are iterators that are good for nothing else.

    An iterator of the package of `cls`, the class under test, may have further methods, which later calls can use.

    >>> is_consumable(type(iter([])), str), is_consumable(list, str)
    (True, False)
    """
    if not issubclass(kind, Iterator) or any(module_of(base) in _STREAMS for base in mro(kind)):
        return False
    if package_of(kind) != package_of(cls):
        return True
    return not any(_is_method(name) for name in attributes_of(kind))


def _is_method(name: str) -> bool:
    return not name.startswith("_") and name != "close"
