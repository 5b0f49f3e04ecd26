"""Counts the interleavings of access sequences that are partially ordered by thread starts and joins.

A line is the sequence of accesses of one thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import comb
from typing import NamedTuple

from raddle.criteria.observed_accesses import Profile

# Maximum number of combinations of positions in the lines. If there are more, starts and joins are ignored.
MAX_STATES = 5_000

ClockOf = Callable[[str, int], Mapping[str, int]]  # returns the clock of a segment, given its thread label and number


class Block(NamedTuple):
    """The accesses of one thread in one segment."""

    accesses: int  # number of accesses
    needs: tuple[int, ...]  # for each line, the number of its accesses that always come before this block


Line = tuple[Block, ...]


def interleavings(lines: Sequence[tuple[str, Profile]], clock_of: ClockOf) -> int:
    """Return the number of interleavings of the lines; a line is given as (thread label, profile).

    In the example, T0 has one access before it starts T1, one while T1 runs, and one after it has joined T1. T1 has two
    accesses. Only the position of T0's second access varies: it can come before, between or after T1's accesses.

    >>> clocks = {("T1", 0): {"T0": 0}, ("T0", 2): {"T1": 0}}
    >>> interleavings([("T0", ((0, 1), (1, 1), (2, 1))), ("T1", ((0, 2),))], lambda *segment: clocks.get(segment, {}))
    3
    """
    return _count(tuple(_line(lines, label, profile, clock_of) for label, profile in lines))


def _line(lines: Sequence[tuple[str, Profile]], label: str, profile: Profile, clock_of: ClockOf) -> Line:
    blocks = []
    for segment, accesses in profile:
        clock = clock_of(label, segment)
        needs = (
            sum(number for before, number in other if before <= clock.get(name, -1)) if name != label else 0
            for name, other in lines
        )
        blocks.append(Block(accesses, tuple(needs)))
    return tuple(blocks)


@lru_cache(maxsize=4096)  # the same lines recur until an execution shows something new
def _count(lines: tuple[Line, ...]) -> int:
    begins, ends = _free_part(lines)
    rest = [end - begin for begin, end in zip(begins, ends, strict=True)]
    states = 1
    for length in rest:
        states *= length + 1
    needs = [[block.needs for block in line for _ in range(block.accesses)] for line in lines]
    ordered = any(
        need > begins[other]
        for line, begin, end in zip(needs, begins, ends, strict=True)
        for each in line[begin:end]
        for other, need in enumerate(each)
    )
    if not ordered or states > MAX_STATES:
        return multinomial(rest)
    ways = Counter({tuple(begins): 1})  # maps a position in each line to the number of ways to get there
    for _ in range(sum(rest)):
        further: Counter[tuple[int, ...]] = Counter()
        for done, number in ways.items():
            for line, at in enumerate(done):
                if at < ends[line] and all(map(int.__ge__, done, needs[line][at])):
                    further[*done[:line], at + 1, *done[line + 1 :]] += number
        ways = further
    return sum(ways.values())


def _free_part(lines: tuple[Line, ...]) -> tuple[list[int], list[int]]:
    """Return where the free part of each line begins and ends.

    The free part excludes blocks that always come before or after all other lines.
    """
    first, last = [0] * len(lines), [len(line) for line in lines]
    begins = [0] * len(lines)
    ends = [sum(block.accesses for block in line) for line in lines]
    found = True
    while found:
        found = False
        for own, line in enumerate(lines):
            others = [other for other in range(len(lines)) if other != own and first[other] < last[other]]
            if first[own] < last[own]:
                end = begins[own] + line[first[own]].accesses
                if all(lines[other][first[other]].needs[own] >= end for other in others):
                    first[own], begins[own], found = first[own] + 1, end, True
                elif all(line[last[own] - 1].needs[other] >= ends[other] for other in others):
                    ends[own] -= line[last[own] - 1].accesses
                    last[own], found = last[own] - 1, True
    return begins, ends


def multinomial(lengths: Sequence[int]) -> int:
    """Return the number of interleavings of lines with these lengths if nothing orders the lines.

    >>> multinomial([2, 2, 2])
    90
    """
    number, total = 1, 0
    for length in lengths:
        total += length
        number *= comb(total, length)
    return number
