"""Restores an object to the state before a call, in place.

Repeating the calls that lead to a state takes as long as these calls. Most objects consist of attributes and built-in
containers, whose contents can be saved and put back. The state of objects that are defined in C, such as iterators,
cannot. If there are any, the fingerprint shows whether they have changed.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from types import CellType, MemberDescriptorType
from typing import Any

from raddle.generation.autocontest.fingerprint import ObjectState, fingerprint
from raddle.inspection import class_attribute, fields_of, module_of, mro, own_fields


class Undo:
    """The contents of an object and of everything that can be reached from it, in one state."""

    def __init__(self, root: object, state: ObjectState) -> None:
        self._root, self.state = root, state
        self._restorers = [restore for obj in state.composite for restore in _restorers(obj)]
        # Whether restoring the contents always works, so that the state does not have to be compared afterwards.
        self.is_certain = state.is_accessible and not any(map(_is_hashed_with_code, state.composite))

    def restore(self) -> bool:
        """Restore the state; return whether that worked.

        >>> from raddle.generation.autocontest.fingerprint import state_of
        >>> class Box: pass
        >>> box = Box(); box.items = [1]
        >>> undo = Undo(box, state_of(box))
        >>> box.items.append(2); box.size = 2
        >>> undo.restore(), box.__dict__
        (True, {'items': [1]})
        """
        for restore in self._restorers:
            restore()
        return self.is_certain or fingerprint(self._root) == self.state.fingerprint


def _restorers(obj: Any) -> Iterator[Callable[[], object]]:
    """Yield functions that restore the contents of one object.

    No code of the program runs. Therefore dictionaries and sets are not restored if hashing an item would run code.
    """
    kind = type(obj)
    if _is_hashed_with_code(obj):
        pass
    elif issubclass(kind, dict):
        # The methods of `dict` would leave an `OrderedDict` with an order that lacks its keys.
        base: Any = OrderedDict if issubclass(kind, OrderedDict) else dict
        yield partial(_restore_dict, base, obj, list(base.items(obj)))
    elif issubclass(kind, list):
        yield partial(list.__setitem__, obj, slice(None), list(list.__iter__(obj)))
    elif issubclass(kind, deque):
        yield partial(_restore_deque, obj, list(deque.__iter__(obj)))
    elif issubclass(kind, set):
        yield partial(_restore_set, obj, list(set.__iter__(obj)))
    elif issubclass(kind, bytearray):
        yield partial(bytearray.__setitem__, obj, slice(None), bytes(obj))
    elif kind is CellType:
        yield from _cell_restorers(obj)
        return
    fields = own_fields(obj)
    if type(fields) is dict:
        yield partial(_restore_dict, dict, fields, list(fields.items()))
    for base in mro(kind):
        for name, slot in fields_of(base).items():
            if type(slot) is MemberDescriptorType and name not in ("__dict__", "__weakref__"):
                yield from _slot_restorers(slot, obj)


def _is_hashed_with_code(obj: Any) -> bool:
    """Return whether an object is a dictionary or set that cannot be filled without running code of the program."""
    kind = type(obj)
    items = dict.keys(obj) if issubclass(kind, dict) else set.__iter__(obj) if issubclass(kind, set) else ()
    return not all(map(_has_builtin_hash, items))


def _has_builtin_hash(item: Any) -> bool:
    kind = type(item)
    if kind is tuple or kind is frozenset:
        return all(map(_has_builtin_hash, item))
    return module_of(kind) == "builtins" or class_attribute(kind, "__hash__") is object.__hash__


def _restore_dict(base: Any, obj: Any, items: list[tuple[Any, Any]]) -> None:
    base.clear(obj)
    for key, value in items:
        base.__setitem__(obj, key, value)


def _restore_deque(obj: Any, items: list[Any]) -> None:
    deque.clear(obj)
    deque.extend(obj, items)


def _restore_set(obj: Any, items: list[Any]) -> None:
    set.clear(obj)
    set.update(obj, items)


def _cell_restorers(cell: CellType) -> Iterator[Callable[[], object]]:
    try:
        yield partial(CellType.cell_contents.__set__, cell, cell.cell_contents)
    except ValueError:  # the cell is empty
        return


def _slot_restorers(slot: MemberDescriptorType, obj: object) -> Iterator[Callable[[], object]]:
    try:
        value = slot.__get__(obj)
    except (AttributeError, TypeError):  # the slot is empty, or belongs to the interpreter
        yield partial(_empty_slot, slot, obj)
    else:
        yield partial(_set_slot, slot, obj, value)


def _set_slot(slot: MemberDescriptorType, obj: object, value: object) -> None:
    with suppress(AttributeError, TypeError):  # attributes of built-in classes cannot be set
        slot.__set__(obj, value)


def _empty_slot(slot: MemberDescriptorType, obj: object) -> None:
    with suppress(AttributeError, TypeError):  # the slot is still empty
        slot.__delete__(obj)
