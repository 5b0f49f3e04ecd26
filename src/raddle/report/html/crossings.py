"""Which sites met in different threads, by what a covered requirement says about threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from raddle.criteria.patterns import PATTERNS
from raddle.tally import Key

Pair = tuple[int, int]
_Pairs = Callable[[Key], Iterator[Pair]]


def crossings(criterion: str, key: Key) -> set[Pair]:
    """Pairs of sites that two threads were at; none where the requirement is about one thread, or does not tell.

    >>> sorted(crossings("map", (4, "log.py:Log", "th", "", 70004, 70009, 70005)))  # A reads, B writes, A reads
    [(70004, 70009), (70009, 70005)]
    >>> crossings("goodlock", (70001, 70002, ("Lock", "m.py:1"), ("Lock", "m.py:2")))
    set()
    """
    pairs = _PAIRS.get(criterion.removesuffix("*"))
    return set(pairs(key)) if pairs is not None else set()


def _by_pattern(key: Key) -> Iterator[Pair]:
    number, _, _, _, *sites = key
    steps = zip(PATTERNS[number].parts, sites, strict=True)
    for (one, here), (other, there) in combinations(steps, 2):
        if one.thread != other.thread:
            yield here, there


def _last_between(key: Key) -> Iterator[Pair]:
    """Avio: the first two sites are one thread's, the third another's."""
    yield from ((key[0], key[2]), (key[1], key[2]))


def _both(key: Key) -> Iterator[Pair]:
    """Happens-before: one thread gave, another took."""
    yield key[0], key[1]


def _if_switched(key: Key) -> Iterator[Pair]:
    """Concurrent pairs tell whether the thread was another one."""
    if key[2]:
        yield key[0], key[1]


def _by_thread(key: Key) -> Iterator[Pair]:
    """Lu et al. name the thread of each access: (thread, kind, site, occurrence)."""
    accesses = [part for part in key if isinstance(part, tuple) and len(part) == 4 and isinstance(part[2], int)]
    for one, other in combinations(accesses, 2):
        if one[0] != other[0]:
            yield one[2], other[2]


_PAIRS: dict[str, _Pairs] = {
    "map": _by_pattern,
    "avio": _last_between,
    "hbpair": _both,
    "concur-pairs": _if_switched,
    "def-use": _by_thread,
    "pinv": _by_thread,
}
