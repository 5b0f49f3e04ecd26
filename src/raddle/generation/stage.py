"""A stage: an object in a known state, with calls whose accesses are known from sequential runs.

A method makes an access only with some arguments and in some states of the object. A stage remembers what calls really
did after one prefix, so that a test can be put together from calls that perform the steps of a pattern. Observing calls
takes time, so a stage serves several tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from raddle.criteria.patterns import Part
from raddle.generation.access_model import AccessModel
from raddle.generation.covcon_ranking import PairRanking
from raddle.generation.method_choice import MethodChoice
from raddle.generation.raw_patterns import Family
from raddle.generation.separable_steps import SeparableSteps
from raddle.generation.sequential_accesses import SequentialAccesses
from raddle.generation.strategy import Observed, Prefix, TestBuilder
from raddle.generation.surface import Method
from raddle.generation.testcase import Call
from raddle.static_model import VariableName

CALLS = 2  # calls of each method that are observed, if it has parameters
MAX_USES = 8  # times that one stage is used

_Step = tuple[str, VariableName]  # a kind and a variable


class _KnownCall(NamedTuple):
    """A call, with what it did when it ran alone."""

    call: Call
    steps: frozenset[_Step]
    sequences: frozenset[tuple[_Step, _Step]]  # steps that the call made one after the other
    separable: frozenset[tuple[_Step, _Step]]  # of these, the ones that no lock keeps together

    def fit(self, steps: Sequence[_Step]) -> int:
        """Return how well the call performs these one or two steps; 0 if it does not."""
        if len(steps) == 1:
            return int(steps[0] in self.steps)
        pair = steps[0], steps[1]
        return 2 if pair in self.separable else int(pair in self.sequences)


class Stage:
    """One prefix, with calls that were observed after it."""

    def __init__(self, prefix: Prefix, builder: TestBuilder, random: Random, ranking: PairRanking | None) -> None:
        self.prefix = prefix
        self.uses = 0
        self._builder = builder
        self._random = random
        self._calls: dict[Method, list[_KnownCall]] = {}
        self._model = AccessModel({})
        self._steps = SeparableSteps()
        self._families: list[Family] | None = None  # see `families`
        self._choose = MethodChoice(self._model, random, steps=self._steps, ranking=ranking)

    def observe(self, method: Method) -> list[Observed]:
        """Draw some calls of a method, and run each of them alone; return what the calls did."""
        found: list[Observed] = []
        known = self._calls.setdefault(method, [])
        drawn = (self._builder.call(self.prefix, method) for _ in range(CALLS if method.parameters else 1))
        for call in dict.fromkeys(drawn):
            observed = None if call is None else self._builder.observe(self.prefix, [call])
            if call is not None and observed is not None:
                run = SequentialAccesses(*observed)
                known.append(_known(call, run))
                self._model.learn(method, *observed)
                self._steps.learn_run(method, run)
                found.append(observed)
        self._families = None
        return found

    @property
    def is_used_up(self) -> bool:
        """Whether it is time for another state of the object."""
        return self.uses >= MAX_USES

    def families(self) -> list[Family]:
        """Return the families whose steps the calls can make, with both steps of some thread in one call."""
        if self._families is None:
            fitting = self._model.methods_with
            self._families = [
                family
                for family in self._steps.families()
                if all(fitting(part.kind, family.variable(part)) for part in family.parts)
            ]
        return self._families

    def threads(self, family: Family) -> tuple[tuple[Call, ...], tuple[Call, ...]] | None:
        """Return calls of two threads that perform the steps of a family; None if there are none."""
        methods = self._choose(family)
        if methods is None:
            return None
        calls = [
            self._calls_of(chosen, [_step(family, part) for part in family.parts if part.thread == thread])
            for thread, chosen in zip("AB", methods, strict=True)
        ]
        return (calls[0], calls[1]) if all(calls) else None

    def _calls_of(self, methods: Sequence[Method], steps: Sequence[_Step]) -> tuple[Call, ...]:
        """Return one call of each method, which together perform the steps; empty if there are none."""
        shares = [steps] if len(methods) == 1 else [steps[:1], steps[1:]]
        chosen = [self._best(method, share) for method, share in zip(methods, shares, strict=True)]
        found = tuple(call for call in chosen if call is not None)
        return found if len(found) == len(chosen) else ()

    def _best(self, method: Method, steps: Sequence[_Step]) -> Call | None:
        """Return one of the calls that perform the steps best."""
        calls = self._calls.get(method, ())
        best = max((call.fit(steps) for call in calls), default=0)
        return self._random.choice([one.call for one in calls if one.fit(steps) == best]) if best else None


def _step(family: Family, part: Part) -> _Step:
    return str(part.kind), family.variable(part)


def _known(call: Call, run: SequentialAccesses) -> _KnownCall:
    steps: set[_Step] = set()
    sequences: set[tuple[_Step, _Step]] = set()
    separable: set[tuple[_Step, _Step]] = set()
    for accesses in run.threads.values():
        steps.update((kind, run.name(variable)) for kind, variable in accesses.by_variable)
        for first, second, kept in accesses.ordered():
            pair = (first.kind, run.name(first.variable)), (second.kind, run.name(second.variable))
            # Steps on variables of one name belong to one pattern only if they access one object.
            if (pair[0][1] == pair[1][1]) == (first.variable == second.variable):
                sequences.add(pair)
                if not kept:
                    separable.add(pair)
    return _KnownCall(call, frozenset(steps), frozenset(sequences), frozenset(separable))
