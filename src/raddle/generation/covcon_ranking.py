"""CovCon's ranking of method pairs (Choudhary, Lu, Pradel, ICSE 2017), as the published code computes it.

Every pair is tried once, in random order. Then pairs are scored by max(1, |tried - covered|) * max(1, tried). The pairs
with the lowest scores are drawn at random without replacement: the first 100, or a quarter if there are fewer than 400
pairs. When these are used up, all pairs are scored again.

A pair is covered when one method starts while the other is active in another thread. The ranking counts every start,
including the starts of nested calls, so a pair can be covered more often than it was tried. It does not matter on which
objects the methods are called: `a.equals(b)` and `b.equals(a)` cover the pair (equals, equals).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement, product
from random import Random

from raddle.generation.surface import Method
from raddle.operation import END, ENTER, LEAVE
from raddle.site import SiteTable
from raddle.static_model import class_and_method
from raddle.step import Step

Pair = tuple[Method, Method]
CallEvent = tuple[int, str, bool]  # a thread, the name of a method, and whether the method starts rather than ends
BATCH = 100  # maximum number of pairs between two scorings


class PairRanking:
    """Ranks the unordered pairs of methods, including pairs of a method with itself.

    >>> from raddle.generation.expressions import Imported
    >>> from raddle.generation.surface import MethodKind
    >>> methods = [Method(name, MethodKind.METHOD, Imported("log", "Log")) for name in ("get", "put")]
    >>> ranking = PairRanking(methods, Random(1))
    >>> drawn = {ranking.draw() for _ in range(3)}  # each of the 3 pairs once
    >>> len(drawn), ranking.score((methods[0], methods[1]))
    (3, 1)
    """

    def __init__(self, methods: Sequence[Method], random: Random) -> None:
        self.pairs: list[Pair] = list(combinations_with_replacement(methods, 2))
        self._random = random
        self._numbers = {method: number for number, method in enumerate(methods)}
        self._first = [0]  # maps the number of a method to the place of the first pair that begins with it
        for number in range(len(methods)):
            self._first.append(self._first[-1] + len(methods) - number)
        self._tried = [0] * len(self.pairs)  # by place
        self._covered = [0] * len(self.pairs)
        self._order = random.sample(range(len(self.pairs)), len(self.pairs))  # the order of untried pairs, by place
        self._batch = sorted(range(len(self.pairs)), key=lambda place: -self._order[place])  # the first round

    def draw(self) -> Pair:
        """Return the pair to try next, and count it as tried."""
        if not self._batch:
            size = BATCH if len(self.pairs) >= 4 * BATCH else max(1, len(self.pairs) // 4)
            best = sorted(range(len(self.pairs)), key=self._score)[:size]
            self._batch = self._random.sample(best, len(best))
        place = self._batch.pop()
        self._tried[place] += 1
        return self.pairs[place]

    def ranked(self) -> list[Pair]:
        """Return all pairs, the best first: untried pairs in random order, then the others by score."""
        return [self.pairs[place] for place in sorted(range(len(self.pairs)), key=self._rank)]

    def best(self, first: Sequence[Method], second: Sequence[Method]) -> Pair:
        """Return the best ranked pair of a method in `first` and a method in `second`, of which none is empty.

        This takes much less time than to walk through `ranked`, because few methods fit a pattern.
        """
        pairs = product(first, second)
        return min(pairs, key=lambda pair: self._rank(self._place(pair)))

    def tried(self, pair: Pair) -> int:
        """Return how often a pair has been tried."""
        return self._tried[self._place(pair)]

    def covered(self, pair: Pair) -> int:
        """Return how many starts have covered a pair."""
        return self._covered[self._place(pair)]

    def score(self, pair: Pair) -> int:
        """Return the score of a pair; pairs with low scores are preferred."""
        return self._score(self._place(pair))

    def add_tried(self, pair: Pair) -> None:
        """Count a test that calls both methods of a pair concurrently."""
        self._tried[self._place(pair)] += 1

    def add_covered(self, starts: Mapping[Pair, int]) -> None:
        """Count the starts that covered pairs in one execution."""
        for pair, times in starts.items():
            self._covered[self._place(pair)] += times

    def _place(self, pair: Pair) -> int:
        one, other = sorted((self._numbers[pair[0]], self._numbers[pair[1]]))
        return self._first[one] + other - one

    def _score(self, place: int) -> int:
        tried = self._tried[place]
        return max(1, abs(tried - self._covered[place])) * max(1, tried)

    def _rank(self, place: int) -> tuple[int, int]:
        return (self._score(place), place) if self._tried[place] else (0, self._order[place])


class OverlapCounter:
    """Counts how often each pair of methods overlapped.

    >>> from raddle.generation.expressions import Imported
    >>> from raddle.generation.surface import MethodKind
    >>> methods = [Method(name, MethodKind.METHOD, Imported("log", "Log")) for name in ("get", "put")]
    >>> counter = OverlapCounter(methods)
    >>> starts = counter.count([(1, "get", True), (2, "put", True), (1, "get", False), (2, "put", True)])
    >>> [(str(one), str(other), times) for (one, other), times in starts.items()]
    [('put', 'get', 1)]
    """

    def __init__(self, methods: Sequence[Method]) -> None:
        self._methods = {method.name: method for method in methods}

    def count(self, events: Iterable[CallEvent]) -> Counter[Pair]:
        """Count overlaps; the method that starts comes first in a pair."""
        active: dict[int, list[str]] = {}  # by thread, innermost last
        starts: Counter[Pair] = Counter()
        for thread, name, begins in events:
            if name not in self._methods:
                continue
            own = active.setdefault(thread, [])
            if not begins:
                if name in own:
                    del own[len(own) - 1 - own[::-1].index(name)]
                continue
            for other, names in active.items():
                if other != thread:
                    starts.update((self._methods[name], self._methods[that]) for that in names)
            own.append(name)
        return starts


def call_events(steps: Iterable[Step], table: SiteTable, owners: Container[str]) -> Iterator[CallEvent]:
    """Yield the starts and ends of calls in a measured execution, except in the first thread.

    `owners` contains the names of the class under test and of its bases. A method whose thread is thrown out of the
    execution ends with its thread.
    """
    running: dict[int, list[str]] = {}
    for thread, kind, _, site in steps:
        if thread and kind in (ENTER, LEAVE) and site in table:
            method = class_and_method(f"{table[site].file}:{table[site].function}")
            if method is not None and method[0] in owners:
                if kind == ENTER:
                    running.setdefault(thread, []).append(method[1])
                yield thread, method[1], kind == ENTER
        elif kind == END:
            for name in running.pop(thread, ()):
                yield thread, name, False
