"""A search for the configuration whose executions cover most, until nothing new comes any more.

An algorithm proposes configurations, each is evaluated once (a few executions), its fitness is what they
covered. What all of them covered together grows; where it has stopped growing, the search is saturated: none of
the last evaluations, so many or a share of all, whichever is more, covered anything that was not covered before.
The share makes it wait longer the longer it took to come so far, for coverage grows in shoulders.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from random import Random
from typing import Generic, Literal, TypeVar

from raddle.analysis.richness import chance_of_new
from raddle.stop_reason import Reason
from raddle.tally import Tally
from raddle.tuning.algorithms import Algorithm, Proposals
from raddle.tuning.configurations import Space

C = TypeVar("C", bound=Hashable)

SHARE = 0.25  # of all evaluations that have to bring nothing new
KNOWN_IN_A_ROW = 1000  # proposals; then an algorithm is taken to have no others
_monotonic = time.monotonic


class SearchEnd(Reason):
    """The reasons to stop searching for configurations."""

    SATURATED = "saturated", "saturated: none of the last {quiet} evaluations covered anything new"
    EXHAUSTED = "exhausted", "exhausted: an evaluation ran every schedule that there is"
    EVALUATIONS = "evaluations", "the number of evaluations is reached"
    SECONDS = "seconds", "the time asked for is over"
    NO_OTHER = "no-other", "no configuration was proposed that had not been evaluated"
    UNFIT = "unfit", "the scenario cannot be run on, as the finding says"
    INTERRUPTED = "interrupted", "interrupted"


CUT = (SearchEnd.INTERRUPTED, SearchEnd.UNFIT)  # ends of evaluations that are not whole


@dataclass(frozen=True, slots=True)
class Measured:
    """What the executions with one configuration came to."""

    tally: Tally
    failed: int = 0  # of the executions
    ended: SearchEnd | Literal[""] = ""  # why no other evaluation is of use: EXHAUSTED, or one of CUT


@dataclass(frozen=True, slots=True)
class Evaluation(Generic[C]):
    """One configuration, and what it is worth."""

    number: int
    configuration: C
    fitness: float
    covered: Mapping[str, int]  # how many requirements, by criterion
    new: int  # of them that no evaluation before it had covered
    executions: int
    failed: int
    whole: bool = True  # False where it was interrupted


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop.

    >>> Limits(saturation=10).quiet(20), Limits(saturation=10).quiet(80)
    (10, 20)
    """

    evaluations: int | None = None
    seconds: float | None = None
    saturation: int = 20  # evaluations that have to bring nothing new, at least

    def quiet(self, evaluations: int) -> int:
        """How many of so many evaluations, the last ones, have to bring nothing new."""
        return max(self.saturation, ceil(SHARE * evaluations))


@dataclass(frozen=True, slots=True)
class Found(Generic[C]):
    """What a search came to."""

    evaluations: tuple[Evaluation[C], ...]
    tally: Tally = field(repr=False)  # what all of them covered
    stopped_because: SearchEnd
    seconds: float

    def best(self, most: int) -> list[Evaluation[C]]:
        """The fittest; of those that are equally fit, those that were found first."""
        return sorted([one for one in self.evaluations if one.whole], key=lambda one: -one.fitness)[:most]

    def quiet(self) -> int:
        """Evaluations since the last that covered anything new."""
        return quiet(self.evaluations)

    def chances(self) -> dict[str, float]:
        """By criterion: how probable it is, at most, that one more execution covers something new.

        That supposes that it is like those before it, which a search sees to that they are not: it is a guide.
        """
        return {
            name: chance_of_new([seen.executions for seen in keys.values()], self.tally.executions)
            for name, keys in self.tally.covered.items()
        }


def quiet(evaluations: tuple[Evaluation[C], ...]) -> int:
    """How many of them came after the last that covered anything new."""
    for count, evaluation in enumerate(reversed(evaluations)):
        if evaluation.new:
            return count
    return len(evaluations)


class Search(Generic[C]):
    """One search: proposals evaluated, until a limit is reached.

    Nothing but the seed is drawn from, so where an evaluation depends on its configuration alone, the same
    seed gives the same search.
    """

    def __init__(
        self,
        space: Space[C],
        evaluate: Callable[[C, float | None], Measured],  # the seconds are those left, where they are limited
        *,
        fitness: Callable[[Tally], float],
        algorithm: Algorithm,
        seed: int,
        limits: Limits,
        first: C | None = None,  # evaluated before anything is proposed, to compare with
        progress: Callable[[Evaluation[C]], None] | None = None,
    ) -> None:
        self._space = space
        self._evaluate = evaluate
        self._fitness = fitness
        self._proposals: Proposals = algorithm(space, Random(seed))
        self._limits = limits
        self._first = first
        self._progress = progress
        self._tally = Tally()
        self._evaluations: dict[C, Evaluation[C]] = {}
        self._quiet = 0

    def run(self) -> Found[C]:
        """Search until there is a reason to stop; an interrupt leaves what was found until then."""
        self._start = _monotonic()
        try:
            reason = self._search()
        except KeyboardInterrupt:
            reason = SearchEnd.INTERRUPTED
        return Found(tuple(self._evaluations.values()), self._tally, reason, _monotonic() - self._start)

    def _search(self) -> SearchEnd:
        for configuration in self._new_ones():
            ended = self._try(configuration) or self._enough()
            if ended:
                return ended
        return SearchEnd.NO_OTHER

    def _new_ones(self) -> Iterator[C]:
        """Configurations that were not evaluated yet; after each, the evaluation must be known."""
        if self._first is not None:
            yield self._first
        point, known = next(self._proposals), 0
        while known < KNOWN_IN_A_ROW:
            configuration = self._space.configuration(point)
            known += 1
            if configuration not in self._evaluations:
                yield configuration
                known = 0
            point = self._proposals.send(self._evaluations[configuration].fitness)

    def _try(self, configuration: C) -> SearchEnd | Literal[""]:
        """Evaluate; the reason to stop, if the executions gave one."""
        measured = self._evaluate(configuration, self._seconds_left())
        before = sum(self._tally.counts().values())
        self._tally = self._tally + measured.tally
        evaluation = Evaluation(
            number=len(self._evaluations) + 1,
            configuration=configuration,
            fitness=self._fitness(measured.tally),
            covered=measured.tally.counts(),
            new=sum(self._tally.counts().values()) - before,
            executions=measured.tally.executions,
            failed=measured.failed,
            whole=measured.ended not in CUT,
        )
        self._evaluations[configuration] = evaluation
        self._quiet = 0 if evaluation.new else self._quiet + 1
        if self._progress is not None:
            self._progress(evaluation)
        return measured.ended

    def _enough(self) -> SearchEnd | None:
        limits, done = self._limits, len(self._evaluations)
        left = self._seconds_left()
        if left is not None and left <= 0:
            return SearchEnd.SECONDS
        if self._quiet >= limits.quiet(done):
            return SearchEnd.SATURATED
        if limits.evaluations is not None and done >= limits.evaluations:
            return SearchEnd.EVALUATIONS
        return None

    def _seconds_left(self) -> float | None:
        seconds = self._limits.seconds
        return None if seconds is None else self._start + seconds - _monotonic()
