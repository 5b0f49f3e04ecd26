"""The private state of an object, for the comparison of states that only its attributes show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from raddle.generation.signatures import package_of
from raddle.inspection import module_of, own_fields

_DEPTH = 3  # objects of the package are described down to this depth


def private_state(cls: type) -> Callable[[Any], object]:
    """Return an observer of tests, which returns the attributes of an object without running any of its code.

    Attributes that hold objects of the same package are described by their attributes in turn. Slots are left out.

    >>> class Node:
    ...     def __init__(self): self._items, self._next = [1], None
    >>> private_state(Node)(Node())
    {'_items': [1], '_next': None}
    """
    package = package_of(cls)

    def described(value: Any, seen: tuple[int, ...]) -> Any:
        is_own = module_of(type(value)).partition(".")[0] == package or not seen
        fields = own_fields(value) if is_own and not issubclass(type(value), type) else {}
        if not fields or id(value) in seen or len(seen) >= _DEPTH:
            return value
        return {name: described(field, (*seen, id(value))) for name, field in list(fields.items())}

    def state(shared: Any) -> object:
        return described(shared, ())

    return state
