"""The interpreter's messages about a value that does not suit, as a table, and the uses that they reveal."""

from __future__ import annotations

import collections.abc as abc
import datetime
import decimal
import fractions
import os
import re
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

from raddle.generation.usage import Fact, Use

# The types that messages ask for, by the words that the messages use.
_WANTED: dict[str, Any] = {
    "str": str, "string": str, "bytes": bytes, "bytes-like": bytes, "int": int, "integer": int, "integers": int,
    "float": float, "real": float, "bool": bool, "dict": dict, "list": list, "tuple": tuple, "set": set,
    "frozenset": frozenset, "datetime.timedelta": datetime.timedelta, "datetime.datetime": datetime.datetime,
    "datetime.date": datetime.date, "decimal.Decimal": decimal.Decimal, "Fraction": fractions.Fraction,
}  # fmt: skip
_NUMBERS = (int, float, bool)
# The types that suit as the other operand, by the operators as a pattern, and by the type of one operand.
_ADDENDS: dict[str, dict[str, Any]] = {
    r"\+=?": {"str": str, "bytes": bytes, "list": list, "tuple": tuple},
    r"[-|&^]=?": {"set": set, "frozenset": frozenset},
    r"[-+]=?": {name: datetime.timedelta for name in _WANTED if name.startswith("datetime.")},
    r".*": {"decimal.Decimal": decimal.Decimal, "Fraction": fractions.Fraction},
}
_SIMPLE = frozenset(  # the classes of the values that raddle guesses when it knows nothing
    {"str", "bytes", "int", "float", "bool", "NoneType", "list", "tuple", "set", "dict", "function", "SimpleNamespace"}
)
_INTEGERS = frozenset({"int", "bool"})
_CALLABLES = frozenset({"function", "type"})
_TYPE = r"['\"]?(?P<type>[\w.]+)['\"]?"  # the type of the value that does not suit
_WORD = r"(?P<wanted>str|string|bytes-like|bytes|int|integer|float|real|bool|dict|list|tuple|set|frozenset)"


@dataclass(frozen=True, slots=True)
class Message:
    """A kind of message.

    The pattern has up to four groups. `type` is the type of the value that does not suit, and `value` is its `repr`.
    `wanted` names the type that would suit, and `detail` completes the fact.
    """

    pattern: re.Pattern[str]
    facts: Callable[[re.Match[str]], tuple[Fact, ...]]
    suspects: Set[str] = _SIMPLE  # the types of the values to blame if the message names neither type nor value

    def blames(self, found: re.Match[str], kind: str, value: object) -> bool:
        """Return whether this message, found in an error, is about a value of a type."""
        groups = found.groupdict()
        if "wanted" in groups and _WANTED[groups["wanted"]].__name__ == _last(kind):
            return False  # the value is of the right type
        if "type" in groups:
            return _last(groups["type"]) == _last(kind)
        if "value" in groups:
            return groups["value"] == repr(value)
        return _last(kind) in self.suspects


def facts_in(message: str, kind: str, value: object) -> tuple[Fact, ...]:
    """Return the uses that an error message reveals about a value of a type; none if the value is not to blame.

    >>> [str(fact.use) for fact in facts_in("'int' object is not callable", "int", 1)]
    ['called']
    >>> facts_in("'int' object is not callable", "str", "a")
    ()
    """
    for one in _MESSAGES:
        found = one.pattern.search(message)
        if found is not None and one.blames(found, kind, value):
            return one.facts(found)
    return ()


def _last(name: str) -> str:
    """Return the name of a class without that of its module, which only some messages contain."""
    return name.rpartition(".")[2]


def _message(pattern: str, *facts: Fact | Use, suspects: Set[str] = _SIMPLE) -> Message:
    known = tuple(fact if isinstance(fact, Fact) else Fact((), fact) for fact in facts)
    return Message(re.compile(pattern), lambda found: known, suspects)


def _wanted(pattern: str) -> Message:
    """Return a message that names the type of a suitable value."""
    return Message(re.compile(pattern), lambda found: (Fact((), Use.INSTANCE, _WANTED[found["wanted"]]),))


def _rows() -> Iterator[Message]:
    """Yield the kinds of messages; the first that matches counts, so the most specific ones come first."""
    integer = Fact((), Use.INSTANCE, int)
    pairs = (Fact((), Use.ITERATED), Fact(("item",), Use.UNPACKED, 2))
    yield from _attributes_and_parts()
    # -- numbers
    yield _message(rf"{_TYPE} object cannot be interpreted as an integer", integer)
    yield _message(r"int\(\) argument must be .*, not " + _TYPE, Fact((), Use.PASSED, "int"))
    yield _message(r"float\(\) argument must be .*, not " + _TYPE, Fact((), Use.PASSED, "float"))
    yield _message(r"invalid literal for int\(\) with base \d+: (?P<value>.+)", Fact((), Use.PASSED, "int"))
    yield _message(r"could not convert string to float: (?P<value>.+)", Fact((), Use.PASSED, "float"))
    yield _message(rf"can't multiply sequence by non-int of type {_TYPE}", integer)
    yield _message(r"string indices must be integers, not '(?P<type>str)'", Use.MAPPING, integer)
    yield _message(r"(?P<type>list|tuple|range) indices must be integers or slices, not str", Use.MAPPING)
    yield _message(rf"ind(?:ex|ices) must be integers?(?: or slices)?, not {_TYPE}", integer)
    yield _message(
        r"slice indices must be integers or None|an integer is required$|argument is not an integer",
        integer,
        suspects=_SIMPLE - _INTEGERS,
    )
    yield _message(rf"unsupported type for timedelta \w+ component: {_TYPE}", Fact((), Use.INSTANCE, float))
    # -- paths and classes
    yield _message(rf"os\.PathLike\b.*, not {_TYPE}", Fact((), Use.INSTANCE, os.PathLike))
    yield _message(rf"argument \d+ must be a type, not {_TYPE}", Use.SUBCLASS)
    yield _message(r"is(?:instance|subclass)\(\) arg \d must be a (?:type|class)|^catching classes", Use.SUBCLASS)
    yield _message(r"^exception(?:s| causes) must derive from BaseException", Use.RAISED)
    # -- containers
    yield _message(rf"object of type {_TYPE} has no len\(\)", Fact((), Use.PASSED, "len"))
    yield _message(rf"{_TYPE} object is not an iterator", Fact((), Use.INSTANCE, abc.Iterator))
    yield _message(rf"{_TYPE} object is not reversible", Fact((), Use.INSTANCE, list))
    yield _message(rf"{_TYPE} object is not iterable", Use.ITERATED)
    yield _message(rf"after \* must be an iterable, not {_TYPE}", Use.ITERATED)
    yield _message(r"(?:can only (?:join|assign)|must assign) (?:an )?iterable", Use.ITERATED)
    yield _message(rf"argument of type {_TYPE} is not (?:iterable|a container)", Use.CONTAINER)
    yield _message(rf"{_TYPE} object is not subscriptable", Use.INDEXED)
    yield _message(rf"{_TYPE} object (?:does not|doesn't) support item", Use.INDEXED)
    yield _message(rf"{_TYPE} object is not a mapping", Use.MAPPING)
    yield _message(rf"after \*\* must be a mapping, not {_TYPE}", Use.MAPPING)
    yield _message(r"dictionary update sequence element #0", *pairs, suspects=frozenset({"list", "tuple", "set"}))
    yield _message(rf"unhashable type: {_TYPE}", Use.KEY)
    # -- what a value can do
    yield _message(rf"{_TYPE} object is not callable", Use.CALLED)
    yield _message(r"first argument must be callable", Use.CALLED, suspects=_SIMPLE - _CALLABLES)
    yield _message(rf"{_TYPE} object does not support the context manager", Use.CONTEXT)
    yield from _types_named()
    yield from _operands()


def _attributes_and_parts() -> Iterator[Message]:
    """Yield the messages about missing attributes and about unpacking."""

    def attribute(found: re.Match[str]) -> tuple[Fact, ...]:
        return (Fact((), Use.ATTRIBUTE, found["detail"]),)

    def count(found: re.Match[str]) -> tuple[Fact, ...]:
        return (Fact((), Use.UNPACKED, int(found["detail"])),)

    yield Message(re.compile(rf"{_TYPE} object has no attribute '(?P<detail>\w+)'"), attribute)
    # The message does not say how many parts there must be. Pairs are the most frequent ones.
    yield _message(rf"cannot unpack non-iterable {_TYPE} object", Fact((), Use.UNPACKED, 2))
    counted = re.compile(r"values to unpack \(expected (?:at least )?(?P<detail>\d+)")
    yield Message(counted, count, frozenset({"str", "bytes", "tuple"}))


def _types_named() -> Iterator[Message]:
    """Yield the messages that name the type of a suitable value."""
    needs = rf"(?:must be|expected|requires|needs?) (?:an? )?{_WORD}\b"
    yield _wanted(rf"{needs}[^:]*?,? (?:not|got|but got) {_TYPE}$")
    yield _wanted(rf"{needs}[^:]*, (?:but )?{_TYPE} found")
    yield _wanted(rf"{needs}(?: or [\w ]+)?$")
    yield _wanted(rf"\ban? {_WORD}\b[\w ]* is required, not {_TYPE}")
    yield _wanted(rf"\b{_WORD}(?: argument)? expected, (?:not|got) {_TYPE}")
    yield _wanted(rf"can only concatenate {_WORD} \(not {_TYPE}\) to ")
    yield _wanted(rf"can't concat {_TYPE} to {_WORD}")
    yield _wanted(rf"for '{_WORD}' objects doesn't apply to an? {_TYPE} object")
    yield _wanted(rf"cannot convert {_TYPE} object to {_WORD}")
    yield _message(r"string argument without an encoding", Fact((), Use.INSTANCE, bytes), suspects=frozenset({"str"}))
    yield _message(rf"Unknown format code '[bcdeEfFgGnoxX%]' for object of type {_TYPE}", Use.ARITHMETIC)
    yield _message(r"unsupported format string passed to (?P<type>\w+)\.__format__", Use.KEY)


def _operands() -> Iterator[Message]:
    """Yield the messages about operators. The other operand shows what would suit, unless that is a number."""
    compared = r"not supported between instances of"
    yield from _other_operand(compared, {name: cls for name, cls in _WANTED.items() if cls not in _NUMBERS})
    yield from _either_operand(compared, Use.ORDERED)
    for operators, suitable in _ADDENDS.items():
        yield from _other_operand(rf"unsupported operand type\(s\) for (?:{operators}):", suitable)
    yield from _either_operand(r"unsupported operand type\(s\) for .*:", Use.ARITHMETIC)
    yield _message(rf"bad operand type for .*: {_TYPE}", Use.ARITHMETIC)
    yield _message(rf"type {_TYPE} doesn't define __\w+__ method", Use.ARITHMETIC)


def _other_operand(begin: str, suitable: Mapping[str, Any]) -> Iterator[Message]:
    for name, cls in suitable.items():
        fact = Fact((), Use.INSTANCE, cls)
        yield _message(rf"{begin} '{re.escape(name)}' and (?!'{re.escape(name)}'){_TYPE}", fact)
        yield _message(rf"{begin} (?!'{re.escape(name)}'){_TYPE} and '{re.escape(name)}'", fact)


def _either_operand(begin: str, use: Use) -> Iterator[Message]:
    yield _message(rf"{begin} '[\w.]+' and {_TYPE}", use)
    yield _message(rf"{begin} {_TYPE} and '[\w.]+'", use)


_MESSAGES = tuple(_rows())
