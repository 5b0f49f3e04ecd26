"""Chooses the methods of a test that could cover a pattern (Algorithm 4, `selectMethods`, of the MAPTest paper).

The paper's text leaves three points open, and one contradicts Table I:

* `selectMethods` can be read as one long sequence for all patterns. Here it chooses one tuple, for one pattern.
* The paper gives the methods to the threads "in an alternating order". Patterns 9, 10 and 12 to 15 have two adjacent
  steps of one thread, so here each method goes to the thread of its step.
* Fig. 2 calls one method for two steps of one thread. Here a method that is chosen for both steps of a thread is called
  once if it has two accesses that fit.
* The first two methods come from CovCon's ranked list: the first pair that fits. The paper does not say how the third
  and fourth are found. They are drawn at random among the methods that fit, and a quarter of them are the method that
  its thread calls already, if it fits. MAPTest-Random draws all methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from raddle.criteria.patterns import Part
from raddle.generation.access_model import AccessModel
from raddle.generation.covcon_ranking import PairRanking
from raddle.generation.raw_patterns import Family
from raddle.generation.separable_steps import Run, SeparableSteps, runs_of
from raddle.generation.surface import Method

SEPARATED = 0.8  # share of the tests in which one call makes both steps of a thread, if there is such a method
NO_RUN: Run = (-1, -1)
REPEATED = 0.25  # share of the third and fourth methods that are the thread's other method, if that fits
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

    def __init__(
        self,
        model: AccessModel,
        random: Random,
        *,
        steps: SeparableSteps | None = None,
        ranking: PairRanking | None = None,
    ) -> None:
        self._model = model
        self._random = random
        self._steps = SeparableSteps() if steps is None else steps
        self._ranking = ranking

    def __call__(self, family: Family) -> Threads | None:
        """Return the methods of both threads; None if no methods fit."""
        fitting = [self._fitting(family, part) for part in family.parts]
        if not all(fitting):
            return None
        run, separating = self._separating(family)
        if separating:
            fitting[run[0]] = separating
        chosen = self._first_two(fitting[0], fitting[1])
        for place in range(2, len(fitting)):
            part, methods = family.parts[place], fitting[place]
            earlier = next(chosen[one] for one in range(place) if family.parts[one].thread == part.thread)
            is_same = place == run[1] or (earlier in methods and self._random.random() < REPEATED)
            chosen.append(earlier if is_same else self._random.choice(methods))
        threads: dict[str, list[Method]] = {"A": [], "B": []}
        steps: dict[str, list[Part]] = {"A": [], "B": []}
        for place, (part, method) in enumerate(zip(family.parts, chosen, strict=True)):
            calls = threads[part.thread]
            steps[part.thread].append(part)
            is_same = bool(calls) and calls[-1] == method
            if not (is_same and (place == run[1] or self._has_both(method, family, steps[part.thread]))):
                calls.append(method)
        return tuple(threads["A"]), tuple(threads["B"])

    def _separating(self, family: Family) -> tuple[Run, Sequence[Method]]:
        """Return a thread's steps and the methods that make both in one call, without a lock that keeps them together.

        There are none for some families, and they are not used for some of the other tests.
        """
        runs = [(run, methods) for run in runs_of(family.parts) if (methods := self._steps.methods(family, run))]
        if not runs or self._random.random() >= SEPARATED:
            return NO_RUN, ()
        return self._random.choice(runs)

    def _first_two(self, first: Sequence[Method], second: Sequence[Method]) -> list[Method]:
        """Return the best ranked pair, or a random one without a ranking."""
        if self._ranking is None:
            return [self._random.choice(first), self._random.choice(second)]
        one, other = self._ranking.best(first, second)
        # Pairs are unordered. If both methods fit both steps, either one can be the first.
        is_either = one in second and other in first
        return [other, one] if is_either and self._random.random() < 0.5 else [one, other]

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
