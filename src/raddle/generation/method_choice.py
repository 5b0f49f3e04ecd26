"""Chooses the methods of a test that could cover a pattern (Algorithm 4, `selectMethods`, of the MAPTest paper).

The paper's text leaves three points open, and one contradicts Table I:

* `selectMethods` can be read as one long sequence for all patterns. Here it chooses one tuple, for one pattern.
* The paper gives the methods to the threads "in an alternating order". Patterns 9, 10 and 12 to 15 have two adjacent
  steps of one thread, so here each method goes to the thread of its step.
* Fig. 2 calls one method for two steps of one thread. Here a method that is chosen for both steps of a thread is called
  once if it has two accesses that fit.
* The first two methods come from CovCon's ranked list: the first pair that fits. The paper does not say how the third
  and fourth are found. They are drawn at random among the methods that fit. MAPTest-Random draws all methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from raddle.criteria.patterns import Part
from raddle.generation.access_model import AccessModel
from raddle.generation.covcon_ranking import PairRanking
from raddle.generation.raw_patterns import Family
from raddle.generation.surface import Method

Threads = tuple[tuple[Method, ...], tuple[Method, ...]]  # the methods that threads A and B call


class MethodChoice:
    """Chooses methods for families of patterns. Without a ranking, all methods are drawn at random.

    >>> from raddle.generation.access_model import Access
    >>> from raddle.generation.expressions import Imported
    >>> from raddle.generation.surface import MethodKind
    >>> get, put = (Method(name, MethodKind.METHOD, Imported("log", "Log")) for name in ("get", "put"))
    >>> th = ("log.py:Log", "th")
    >>> model = AccessModel({get: [Access("read", th, 4), Access("read", th, 5)], put: [Access("write", th, 9)]})
    >>> choose = MethodChoice(model, Random(1))
    >>> [[str(method) for method in thread] for thread in choose(Family(4, th))]  # get reads twice: called once
    [['get'], ['put']]
    >>> [[str(method) for method in thread] for thread in choose(Family(8, th))]  # put writes once: called twice
    [['put', 'put'], ['put']]
    """

    def __init__(self, model: AccessModel, random: Random, ranking: PairRanking | None = None) -> None:
        self._model = model
        self._random = random
        self._ranking = ranking

    def __call__(self, family: Family) -> Threads | None:
        """Return the methods of both threads; None if no methods fit."""
        fitting = [self._fitting(family, part) for part in family.parts]
        if not all(fitting):
            return None
        ranked = None if self._ranking is None else self._ranking.best(fitting[0], fitting[1])
        chosen = list(ranked or [self._random.choice(methods) for methods in fitting[:2]])
        chosen += [self._random.choice(methods) for methods in fitting[2:]]
        threads: dict[str, list[Method]] = {"A": [], "B": []}
        steps: dict[str, list[Part]] = {"A": [], "B": []}
        for part, method in zip(family.parts, chosen, strict=True):
            calls = threads[part.thread]
            steps[part.thread].append(part)
            if not (calls and calls[-1] == method and self._has_both(method, family, steps[part.thread])):
                calls.append(method)
        return tuple(threads["A"]), tuple(threads["B"])

    def _fitting(self, family: Family, part: Part) -> Sequence[Method]:
        return self._model.methods_with(part.kind, family.variable(part))

    def _has_both(self, method: Method, family: Family, parts: Sequence[Part]) -> bool:
        """Return whether a method has different accesses for two steps."""
        accesses = self._model.of(method)
        found = [
            {access for access in accesses if (access.kind, access.variable) == (part.kind, family.variable(part))}
            for part in parts
        ]
        return len(set().union(*found)) > 1
