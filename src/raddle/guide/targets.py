"""What is aimed at: requirements that no execution has covered yet, and how each is to be reached.

Executions in which the threads did something new are kept; from them it is predicted what another order would cover
(see `raddle.guide.prediction`). The order that promises most is tried first. What was aimed at a few times and did not
come is given up, and can be told.
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
from raddle.guide.prediction import MAX_STEPS, Candidate, Prediction, Way, shape_of
from raddle.schedulers.plan import Plan
from raddle.site import Site
from raddle.step import Step
from raddle.tally import Key

TRIES = 3  # at one requirement
INITIAL_STEPS = 40_000  # steps of predicted executions looked at in the beginning
MAX_LISTED = 50  # requirements that were given up
STEPS_PER_EXECUTION = 20  # the same for every execution, or half its steps: predicting is not to cost more than running
MAX_KEPT = 32  # executions to predict from


@dataclass(frozen=True, slots=True)
class TargetsMemory:
    """What one unit tried, for later ones."""

    tried_digests: frozenset[int] = frozenset()  # what reads saw in the plans
    tries: Mapping[tuple[str, Key], int] = field(default_factory=dict)
    shapes: frozenset[int] = frozenset()  # of executions that there is nothing left to predict from
    plans: int = 0  # executions of this unit that had one

    def __add__(self, other: TargetsMemory) -> TargetsMemory:
        """Return what was tried in either; each unit counted the tries before it, so they are not summed."""
        tries = dict(self.tries)
        for goal, times in other.tries.items():
            tries[goal] = max(times, tries.get(goal, 0))
        return TargetsMemory(
            self.tried_digests | other.tried_digests, tries, self.shapes | other.shapes, self.plans + other.plans
        )

    def given_up(self, covered: Mapping[str, Container[Key]]) -> list[tuple[str, Key]]:
        """Return what was tried as often as is sensible and not covered: (criterion, requirement)."""
        return [
            goal for goal, tries in self.tries.items() if tries >= TRIES and goal[1] not in covered.get(goal[0], ())
        ]

    def reached(self, covered: Mapping[str, Container[Key]]) -> TargetsSummary:
        """Return what came of aiming."""
        reached = sum(key in covered.get(name, ()) for name, key in self.tries)
        return TargetsSummary(len(self.tries), reached, len(self.given_up(covered)), self.plans)


@dataclass(frozen=True, slots=True)
class TargetsSummary:
    """What came of aiming."""

    aimed: int  # at so many requirements
    covered: int  # of them, by now
    given_up: int  # of them: tried as often as is sensible
    plans: int  # executions that had one


class CoverageTargets:
    """Where a search wants to go.

    >>> targets = CoverageTargets(["map"], seed=1)
    >>> targets.next_plan()  # no execution has been recorded yet
    ()
    """

    def __init__(self, criteria: Iterable[str], *, seed: int, settings: CriterionSettings = DEFAULT_SETTINGS) -> None:
        self.share = 0, 1  # which of the orders that can be predicted are its own, out of how many parts
        # Its own: what is only predicted must not be counted.
        self._criteria = make_criteria(list(criteria), settings)
        self._seed = seed
        self.covered: dict[str, set[Key]] = {criterion.name: set() for criterion in self._criteria}
        self._shapes: set[int] = set()
        self._predicted_ways: dict[Way, int] = {}  # at which plans, in how many executions
        self._predictions: list[Prediction] = []
        self._covering_candidates: list[Candidate] = []  # those that promise to cover something
        self._other_candidates: list[Candidate] = []
        self._tried_digests: set[int] = set()  # what reads saw in the plans that were tried
        self._tries: dict[tuple[str, Key], int] = {}
        self._step_allowance = INITIAL_STEPS
        self._plans = 0

    def remember(self, covered: Mapping[str, Iterable[Key]], memory: TargetsMemory) -> None:
        """What others covered and tried before."""
        self._cover(covered)
        self._tried_digests |= memory.tried_digests
        self._tries.update(memory.tries)
        self._shapes |= memory.shapes

    def memory(self) -> TargetsMemory:
        """What was tried, also before."""
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
        """An execution was run: what it did, and what it covered."""
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
                        predicted_ways=self._predicted_ways,
                    )
                )

    def _cover(self, covered: Mapping[str, Iterable[Key]]) -> None:
        for name, keys in covered.items():
            if name in self.covered:
                self.covered[name].update(keys)

    def next_plan(self) -> Plan:
        """The most promising one; nothing, where nothing is known to be within reach.

        In turn, one that promises coverage, and one whose reads would see what they have not seen.
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
        """Return how it went so far."""
        return self.memory().reached(self.covered)

    @property
    def empty(self) -> bool:
        """Is there nothing left to try?"""
        return not self._covering_candidates and not self._other_candidates and not any(self._predictions)

    def given_up(self) -> list[tuple[str, Key]]:
        """Return what was tried as often as is sensible and not covered: (criterion, requirement)."""
        return self.memory().given_up(self.covered)

    def given_up_lines(self, sites: Mapping[int, Site]) -> list[str]:
        """The first of these as sentences."""
        return given_up_lines(self.given_up(), self._criteria, sites)

    def _without_settled(self, candidate: Candidate) -> Candidate:
        """Without what was covered in the meantime, or given up."""
        goals = {}
        for name, keys in candidate.goals.items():
            known = self.covered[name]
            left = frozenset(key for key in keys if key not in known and self._tries.get((name, key), 0) < TRIES)
            if left:
                goals[name] = left
        return replace(candidate, goals=goals)

    def _predict(self) -> None:
        """Predict more, as far as that is allowed by now."""
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
    """The first of the requirements that were given up, as sentences.

    >>> given_up_lines([("method-pairs", ("m.py:C", "f", "g"))], make_criteria("method-pairs"), {})
    ['not covered yet: thread A starts `C.f` while thread B is in `C.g`']
    """
    keys: dict[str, list[Key]] = {}
    told = list(islice(goals, MAX_LISTED))
    for name, key in told:
        keys.setdefault(name, []).append(key)
    by_name = {one.name: Sentences(one, sites, among=keys[one.name]) for one in criteria if one.name in keys}
    return [f"not covered yet: {by_name[name].explain(key)}" for name, key in told]
