"""The targets of a search: requirements that no execution has covered yet, with plans to cover them.

Executions in which the threads did something new are kept. For each kept execution, `raddle.guide.prediction` computes
what other orders of its steps would cover. The most promising order is tried first. A requirement that stays uncovered
after `TRIES` attempts is given up and reported.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from raddle.criteria import make_criteria
from raddle.criteria.base import Criterion
from raddle.criteria.sentences import Sentences
from raddle.criterion_settings import DEFAULT_SETTINGS, CriterionSettings
from raddle.entities import Entities
from raddle.guide.prediction import MAX_STEPS, Candidate, LegPair, Prediction, shape_of
from raddle.schedulers.plan import Plan
from raddle.site import Site
from raddle.step import Step
from raddle.tally import Key

TRIES = 3  # attempts per requirement before it is given up
INITIAL_STEPS = 40_000  # initial allowance of simulated steps
MAX_LISTED = 50  # maximum number of given-up requirements listed as sentences
# Each execution adds half of its own steps to the allowance of simulated steps, but at least this many. This keeps
# prediction cheaper than running the scenario.
STEPS_PER_EXECUTION = 20
MAX_KEPT = 32  # maximum number of executions kept for prediction


@dataclass(frozen=True, slots=True)
class TargetsMemory:
    """The attempts of one unit, for use by later units."""

    tried_digests: frozenset[int] = frozenset()  # reads-from digests of the plans tried
    tries: Mapping[tuple[str, Key], int] = field(default_factory=dict)
    shapes: frozenset[int] = frozenset()  # shapes of executions with no orders left to simulate
    plans: int = 0  # number of executions of this unit that followed a plan

    def __add__(self, other: TargetsMemory) -> TargetsMemory:
        """Merge the attempts of two units.

        Tries are not summed, because each unit's tries include those of earlier units.
        """
        tries = dict(self.tries)
        for goal, times in other.tries.items():
            tries[goal] = max(times, tries.get(goal, 0))
        return TargetsMemory(
            self.tried_digests | other.tried_digests, tries, self.shapes | other.shapes, self.plans + other.plans
        )

    def given_up(self, covered: Mapping[str, Container[Key]]) -> list[tuple[str, Key]]:
        """Return the requirements that stayed uncovered after `TRIES` attempts, as (criterion, requirement)."""
        return [
            goal for goal, tries in self.tries.items() if tries >= TRIES and goal[1] not in covered.get(goal[0], ())
        ]

    def reached(self, covered: Mapping[str, Container[Key]]) -> TargetsSummary:
        """Return how many targets were covered and how many were given up."""
        reached = sum(key in covered.get(name, ()) for name, key in self.tries)
        return TargetsSummary(len(self.tries), reached, len(self.given_up(covered)), self.plans)


@dataclass(frozen=True, slots=True)
class TargetsSummary:
    """The numbers of requirements targeted, covered and given up."""

    aimed: int  # number of requirements targeted
    covered: int  # number of targeted requirements covered by now
    given_up: int  # number of targeted requirements given up after `TRIES` attempts
    plans: int  # number of executions that followed a plan


class CoverageTargets:
    """The requirements a search tries to cover, and the plans that should cover them.

    >>> targets = CoverageTargets(["map"], seed=1)
    >>> targets.next_plan()  # no execution has been recorded yet
    ()
    """

    def __init__(self, criteria: Iterable[str], *, seed: int, settings: CriterionSettings = DEFAULT_SETTINGS) -> None:
        self.share = 0, 1  # the part of the candidate orders to simulate: (index, number of parts)
        # A separate set of criteria, because predicted coverage must not be counted as real coverage.
        self._criteria = make_criteria(list(criteria), settings)
        self._seed = seed
        self.covered: dict[str, set[Key]] = {criterion.name: set() for criterion in self._criteria}
        self._shapes: set[int] = set()
        self._predicted_pairs: dict[LegPair, int] = {}  # number of executions from which each pair was predicted
        self._predictions: list[Prediction] = []
        self._covering_candidates: list[Candidate] = []  # candidates that should cover something new
        self._other_candidates: list[Candidate] = []
        self._tried_digests: set[int] = set()  # reads-from digests of the plans tried
        self._tries: dict[tuple[str, Key], int] = {}
        self._step_allowance = INITIAL_STEPS
        self._plans = 0

    def remember(self, covered: Mapping[str, Iterable[Key]], memory: TargetsMemory) -> None:
        """Restore the coverage and the attempts of earlier units."""
        self._cover(covered)
        self._tried_digests |= memory.tried_digests
        self._tries.update(memory.tries)
        self._shapes |= memory.shapes

    def memory(self) -> TargetsMemory:
        """Return the attempts so far, including those of earlier units."""
        done = frozenset(self._shapes) if self.empty else frozenset()
        return TargetsMemory(frozenset(self._tried_digests), dict(self._tries), done, self._plans)

    def learn(
        self,
        steps: Sequence[Step],
        entities: Entities,
        covered: Mapping[str, frozenset[Key]],
        *,
        early: frozenset[int] = frozenset(),
    ) -> None:
        """Record an execution's steps and coverage. `early` holds sites reached before their variable is shared."""
        self._cover(covered)
        self._step_allowance += max(STEPS_PER_EXECUTION, len(steps) // 2)
        if len(self._predictions) < MAX_KEPT and len(steps) <= MAX_STEPS:
            shape = shape_of(steps)
            if shape not in self._shapes:
                self._shapes.add(shape)
                number = self._seed + len(self._shapes)
                self._predictions.append(
                    Prediction(
                        steps,
                        entities,
                        self._criteria,
                        early=early,
                        seed=number,
                        share=self.share,
                        predicted_pairs=self._predicted_pairs,
                    )
                )

    def _cover(self, covered: Mapping[str, Iterable[Key]]) -> None:
        for name, keys in covered.items():
            if name in self.covered:
                self.covered[name].update(keys)

    def next_plan(self) -> Plan:
        """Return the most promising plan, or an empty plan if no candidate is left.

        Plans that should cover something new alternate with plans whose reads would see a new set of writes.
        """
        self._predict()
        self._plans += 1
        choose = (
            (self._best_covering, self._best_unseen) if self._plans % 2 else (self._best_unseen, self._best_covering)
        )
        candidate = choose[0]() or choose[1]()
        if candidate is None:
            self._plans -= 1
            return ()
        for name, keys in candidate.goals.items():
            for key in keys:
                self._tries[name, key] = self._tries.get((name, key), 0) + 1
        return candidate.plan

    def _best_covering(self) -> Candidate | None:
        self._covering_candidates = [
            left for candidate in self._covering_candidates if (left := self._without_settled(candidate)).worth
        ]
        if not self._covering_candidates:
            return None
        best = max(self._covering_candidates, key=lambda candidate: candidate.worth)
        self._covering_candidates.remove(best)
        return best

    def _best_unseen(self) -> Candidate | None:
        self._other_candidates = [
            candidate for candidate in self._other_candidates if candidate.reads_digest not in self._tried_digests
        ]
        if not self._other_candidates:
            return None
        best = max(self._other_candidates, key=lambda candidate: candidate.mixed)
        self._other_candidates.remove(best)
        self._tried_digests.add(best.reads_digest)
        return self._without_settled(best)

    def reached(self) -> TargetsSummary:
        """Return the numbers of targets covered and given up so far."""
        return self.memory().reached(self.covered)

    @property
    def empty(self) -> bool:
        """Whether there is nothing left to try."""
        return not self._covering_candidates and not self._other_candidates and not any(self._predictions)

    def given_up(self) -> list[tuple[str, Key]]:
        """Return the requirements that stayed uncovered after `TRIES` attempts, as (criterion, requirement)."""
        return self.memory().given_up(self.covered)

    def given_up_lines(self, sites: Mapping[int, Site]) -> list[str]:
        """Return the first `MAX_LISTED` given-up requirements as sentences."""
        return given_up_lines(self.given_up(), self._criteria, sites)

    def _without_settled(self, candidate: Candidate) -> Candidate:
        """Return the candidate without the goals that have been covered or given up since it was predicted."""
        goals = {}
        for name, keys in candidate.goals.items():
            known = self.covered[name]
            left = frozenset(key for key in keys if key not in known and self._tries.get((name, key), 0) < TRIES)
            if left:
                goals[name] = left
        return replace(candidate, goals=goals)

    def _predict(self) -> None:
        """Simulate more orders, within the step allowance."""
        for prediction in self._predictions:
            if self._step_allowance <= 0:
                return
            if prediction:
                before = prediction.simulated
                candidates = prediction.candidates(self.covered, self._step_allowance)
                self._covering_candidates += [candidate for candidate in candidates if candidate.worth]
                self._other_candidates += [candidate for candidate in candidates if any(candidate.mixed)]
                self._step_allowance -= prediction.simulated - before


def given_up_lines(
    goals: Iterable[tuple[str, Key]], criteria: Iterable[Criterion], sites: Mapping[int, Site]
) -> list[str]:
    """Return the first `MAX_LISTED` given-up requirements as sentences.

    >>> given_up_lines([("method-pairs", ("m.py:C", "f", "g"))], make_criteria("method-pairs"), {})
    ['not covered yet: thread A starts `C.f` while thread B is in `C.g`']
    """
    keys: dict[str, list[Key]] = {}
    listed = list(islice(goals, MAX_LISTED))
    for name, key in listed:
        keys.setdefault(name, []).append(key)
    by_name = {one.name: Sentences(one, sites, among=keys[one.name]) for one in criteria if one.name in keys}
    return [f"not covered yet: {by_name[name].explain(key)}" for name, key in listed]
