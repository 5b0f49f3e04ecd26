"""The seventeen memory-access patterns of Table I (Wang et al., ASE 2019), and which of them are equivalent.

As sequences, the patterns of two variables occur twice for each pair: once with x first and once with y first. The
paper's Algorithm 3 counts both sequences, but its formula for T_C counts each pair once. The two counts agree if a
pattern is regarded as a partial order. Adjacent steps of different threads on different variables commute, and no
program can observe their order. For two variables x and y, this means:

* Patterns 9, 12 and 14 are chains, in which no steps commute. Each counts twice: with x first and with y first.
* Patterns 10 and 11 are equivalent, regardless of which variable comes first, so together they count once.
* Pattern 13 is equivalent to 17, and to 15 and 16 with x and y exchanged. So together these four count twice: once with
  x first and once with y first.

That makes 2 + 1 = 3 times Wx² Wy² and 2 + 2 + 2 = 6 times Wx Rx Wy Ry for each unordered pair, exactly as in the
formula. So a requirement is counted under the lowest number of its equivalent patterns, and the number of covered
requirements never exceeds T_C.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from raddle.operation import READ, WRITE
from raddle.static_model import VariableName

V = TypeVar("V", str, VariableName)

_TABLE = {
    1: "ARx BWx",
    2: "AWx BRx",
    3: "AWx BWx",
    4: "ARx BWx ARx",
    5: "AWx BWx ARx",
    6: "AWx BRx AWx",
    7: "ARx BWx AWx",
    8: "AWx BWx AWx",
    9: "AWx BWx BWy AWy",
    10: "AWx BWy BWx AWy",
    11: "AWx BWy AWy BWx",
    12: "AWx BRx BRy AWy",
    13: "AWx BRy BRx AWy",
    14: "ARx BWx BWy ARy",
    15: "ARx BWy BWx ARy",
    16: "ARx BWy ARy BWx",
    17: "AWx BRy AWy BRx",
}


class Part(NamedTuple):
    """One step of a pattern."""

    thread: str  # "A" or "B"
    kind: str
    variable: str  # "x" or "y"


Order = tuple[int, ...]  # the parts of a pattern in some order, each given by its index


class EquivalentPattern(NamedTuple):
    """A pattern that is equivalent to another one."""

    number: int
    exchanged: bool  # True if x in this pattern is y in the other pattern
    order: Order  # for each part, the index of the same part in the other pattern


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern of the table."""

    number: int
    parts: tuple[Part, ...]
    equivalents: tuple[EquivalentPattern, ...]  # all equivalent patterns, including itself

    @property
    def pair(self) -> bool:
        """Whether the pattern is about two variables."""
        return len(self.parts) > 3

    @property
    def orders(self) -> tuple[Order, ...]:
        """All possible orders of the parts."""
        return tuple(equivalent.order for equivalent in self.equivalents)

    @property
    def counted_as(self) -> tuple[EquivalentPattern, ...]:
        """The equivalents with the lowest number; there are two if exchanging x and y gives an equivalent pattern."""
        least = min(self.equivalents).number
        return tuple(equivalent for equivalent in self.equivalents if equivalent.number == least)

    @property
    def counted(self) -> bool:
        """Whether requirements are counted under this pattern."""
        return self.counted_as[0].number == self.number

    @property
    def symmetric(self) -> bool:
        """Whether exchanging x and y gives an equivalent pattern."""
        return len({equivalent.exchanged for equivalent in self.counted_as}) > 1


def identify(number: int, x: V, y: V, sites: tuple[int, ...]) -> tuple[int, V, V, tuple[int, ...]]:
    """Return the pattern, variables and sites under which an occurrence of a pattern is counted.

    >>> identify(9, "y", "x", (1, 2, 3, 4))
    (9, 'y', 'x', (1, 2, 3, 4))
    >>> identify(11, "x", "y", (1, 2, 3, 4))  # the last two steps, A writes y and B writes x, commute
    (10, 'x', 'y', (1, 2, 4, 3))
    >>> identify(15, "x", "y", (1, 2, 3, 4))
    (13, 'y', 'x', (2, 1, 4, 3))
    """
    return min(
        (
            equivalent.number,
            y if exchanged else x,
            x if exchanged else y,
            tuple([sites[index] for index in equivalent.order]),
        )
        for equivalent, exchanged in _COUNTED_AS[number]
    )


def _parse(text: str) -> tuple[Part, ...]:
    kinds = {"R": READ, "W": WRITE}
    return tuple(Part(step[0], kinds[step[1]], step[2]) for step in text.split())


def _orders(parts: tuple[Part, ...]) -> Iterator[Order]:
    """Yield every order that results from exchanging adjacent steps that commute."""
    found = [tuple(range(len(parts)))]
    for order in found:
        yield order
        for left in range(len(order) - 1):
            one, other = parts[order[left]], parts[order[left + 1]]
            if one.thread != other.thread and one.variable != other.variable:
                changed = (*order[:left], order[left + 1], order[left], *order[left + 2 :])
                if changed not in found:
                    found.append(changed)


def _renamed(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the parts renamed so that the first thread is A and the first variable x."""
    first = parts[0]
    return tuple(
        Part("A" if part.thread == first.thread else "B", part.kind, "x" if part.variable == first.variable else "y")
        for part in parts
    )


def _equivalents(parts: tuple[Part, ...]) -> Iterator[EquivalentPattern]:
    for order in _orders(parts):
        reordered = tuple(parts[index] for index in order)
        yield EquivalentPattern(_NUMBERS[_renamed(reordered)], reordered[0].variable != "x", order)


_NUMBERS = {_parse(text): number for number, text in _TABLE.items()}
PATTERNS = {number: Pattern(number, parts, tuple(_equivalents(parts))) for parts, number in _NUMBERS.items()}
_COUNTED_AS = {
    p.number: tuple((equivalent, equivalent.exchanged) for equivalent in p.counted_as) for p in PATTERNS.values()
}
COUNTED = tuple(pattern for pattern in PATTERNS.values() if pattern.counted)
