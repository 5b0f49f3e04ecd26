"""Guesses: expressions that may suit a parameter, with weights; and the values that make threads collide.

Threads interfere only if they use the same keys, so the values are few. Each value has a meaning of its own: an empty
container or text, a negative number, a number that exceeds a small capacity.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from raddle.generation.expressions import Callback, Container, Expression, Imported, Literal, New, Stub
from raddle.generation.usage import Usage


@dataclass(frozen=True, slots=True)
class Guess:
    """An expression, and how likely it is to be drawn compared with other guesses."""

    expression: Expression
    weight: float = 1.0

    def times(self, factor: float) -> Guess:
        """Return the guess with another weight."""
        return replace(self, weight=self.weight * factor)


class Guessing(Protocol):
    """Guesses by one source of knowledge, which may need those of another one."""

    def by_hint(self, hint: Any, name: str, depth: int = 0) -> list[Guess]:
        """Return guesses for a type hint; none if the hint says nothing."""

    def by_usage(self, usage: Usage, name: str, depth: int = 0) -> list[Guess]:
        """Return guesses for a value that is used in this way; none if the usage says nothing."""

    def instances(self, cls: type, depth: int = 0) -> list[Guess]:
        """Return guesses for an instance of a class."""

    def with_attributes(self, names: frozenset[str]) -> list[type]:
        """Return classes whose instances have all of these attributes."""


def weighted(values: dict[Any, float]) -> list[Guess]:
    """Return the guesses for constants, given with their weights."""
    return [Guess(Literal(value), weight) for value, weight in values.items()]


NONE = Guess(Literal(None), 2)
STRINGS = weighted({"a": 8, "b": 6, "c": 3, "": 1, "1": 2, "10": 1, "a b": 1})
INTS = weighted({1: 8, 2: 5, 0: 4, 3: 2, 10: 2, -1: 2, 100: 0.5})
FLOATS = weighted(
    {1.0: 5, 0.0: 3, -1.0: 4, 2.0: 3, 0.1: 2, -2.0: 2, 3.0: 1, -0.1: 1, -3.0: 1, 100.0: 1, -100.0: 1},
)
BYTES = weighted({b"a": 6, b"b": 4, b"": 1})
BOOLS = weighted({True: 3, False: 3})
EXCEPTIONS = [Guess(New(Imported("builtins", name), (Literal("a"),)), 3) for name in ("ValueError", "KeyError")]
STREAMS = [
    Guess(New(Imported("io", "BytesIO"), (Literal(b"ab"),)), 3),
    Guess(New(Imported("io", "StringIO"), (Literal("ab"),)), 3),
]
SOCKETS = [Guess(New(Imported("socket", "socket")), 6)]
LOCKS = [Guess(New(Imported("threading", "RLock")), 3), Guess(New(Imported("threading", "Lock")), 2)]
KEYS = [*STRINGS[:3], *(guess.times(0.5) for guess in INTS[:3])]
SIZES = {1: 3, 2: 3, 0: 2, 3: 1}  # the weights of the sizes of containers


def callbacks(name: str, returned: Sequence[Guess] = ()) -> list[Guess]:
    """Return guesses for a function with this name that returns one of the guessed values.

    >>> [guess.expression for guess in callbacks("on_done", [Guess(Literal(1))])]
    [Callback(name='on_done', returns=Literal(value=1))]
    """
    values = [guess.expression for guess in merged(returned)[:2]] or [Literal(None), Literal(1)]
    name = name if name.isidentifier() else "callback"
    return [
        Guess(Callback(name if not number else f"{name}_{number + 1}", value), 6 / (number + 1))
        for number, value in enumerate(values)
    ]


def containers(kind: str, items: Sequence[Guess]) -> list[Guess]:
    """Return guesses for containers of 0 to 3 items.

    >>> [guess.expression for guess in containers("list", STRINGS)][0]
    Container(kind='list', items=(Literal(value='a'),))
    """
    values = [guess.expression for guess in merged(items)]
    found = []
    for size, weight in SIZES.items():
        chosen = values[:size]
        if values and len(chosen) < size and kind not in ("set", "frozenset"):
            chosen = [values[number % len(values)] for number in range(size)]
        if len(chosen) == size:
            found.append(Guess(Container(kind, tuple(chosen)), weight))
    return found


def mappings(keys: Sequence[Guess], values: Sequence[Guess]) -> list[Guess]:
    """Return guesses for dictionaries of 0 to 3 items.

    >>> [len(guess.expression.items) // 2 for guess in mappings(STRINGS, INTS)]
    [1, 2, 0, 3]
    """
    some = [guess.expression for guess in merged(keys)]
    others = [guess.expression for guess in merged(values)] or [Literal(1)]
    pairs = [(key, others[number % len(others)]) for number, key in enumerate(some)]
    return [
        Guess(Container("dict", tuple(part for pair in pairs[:size] for part in pair)), weight)
        for size, weight in SIZES.items()
        if len(pairs) >= size
    ]


def merged(guesses: Iterable[Guess]) -> list[Guess]:
    """Return the guesses without repetitions, those with the greatest weight first."""
    best: dict[Expression, Guess] = {}
    for guess in guesses:
        known = best.get(guess.expression)
        if known is None or guess.weight > known.weight:
            best[guess.expression] = guess
    return sorted(best.values(), key=lambda guess: -guess.weight)


def stub(attributes: dict[str, Expression], *, hashable: bool = False) -> Guess:
    """Return a guess for an object that has only these attributes."""
    return Guess(Stub(tuple(sorted(attributes.items(), key=lambda pair: pair[0])), hashable), 3)


_ITEMS = containers("list", STRINGS)
_BY_NAME: tuple[tuple[str, list[Guess] | None], ...] = (  # None stands for a callback
    (r"callback|cb|func|function|fn|f|handler|hook|listener|observer|factory|predicate|action|loader|creator|on", None),
    (r"timeout|delay|interval|seconds|secs|ttl|age|duration|rate|factor", [*INTS, *FLOATS[:5]]),
    (
        r"size|maxsize|max|min|count|n|num|number|limit|capacity|maxlen|index|idx|i|j|x|y|amount|priority|port|level",
        INTS,
    ),
    (r"depth|width|height|step|offset|start|stop|end|length|position|pos|total|hits", INTS),
    (r"key|k|name|id|user|host|topic|event|label|tag|word|text|string|s|message|msg|title|prefix", STRINGS),
    (r"items|values|iterable|sequence|seq|elements|args|list|keys|names|others|entries", _ITEMS),
    (r"mapping|dict|kwargs|options|opts|config|params|headers|env|properties|attributes", mappings(STRINGS, INTS)),
    (r"is|has|force|flag|enabled|block|blocking|wait|daemon|strict", BOOLS),
    (r"exc|exception|error|err|e", EXCEPTIONS),
    (r"lock|mutex", LOCKS),
    (r"sock|socket", SOCKETS),
    (r"stream|file|fp|fileobj|out|output|writer|reader|buffer|buf", STREAMS),
    (r"data|payload|body|chunk", [*STRINGS[:2], *BYTES[:2]]),
)


def by_name(name: str) -> list[Guess]:
    """Return guesses for a parameter with a common name; none if the name says nothing.

    >>> by_name("max_size") == INTS, by_name("banana")
    (True, [])
    """
    words = name.lower().strip("_").split("_")
    # The last word says most: "user_count" is a number. "on_close" and "is_open" begin with the telling word.
    for word in (words[-1], words[0]):
        for pattern, guesses in _BY_NAME:
            if re.fullmatch(pattern, word) and (word == words[-1] or word in ("on", "is", "has", "max", "min")):
                return callbacks(name) if guesses is None else list(guesses)
    return []


def anything() -> list[Guess]:
    """Return guesses for a parameter about which nothing is known."""
    few = (*STRINGS[:3], *(guess.times(0.6) for guess in INTS[:4]), NONE)
    rare = (*_ITEMS[:3], *mappings(STRINGS, INTS)[:2], *callbacks("callback")[:1])
    return [*few, *(guess.times(0.3) for guess in rare)]
