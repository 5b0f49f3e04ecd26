"""Searches for the configuration whose executions cover the most, until coverage no longer grows.

An algorithm proposes configurations. Each configuration is evaluated once, with a few executions, and its fitness
measures what these executions covered. The search is saturated when enough evaluations in a row have covered nothing
new. The required number is a fixed minimum or a share of all evaluations, whichever is larger. The share makes a long
search wait longer, because coverage grows in steps with plateaus between them.
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

SHARE = 0.25  # a search is saturated only if at least this share of its evaluations came after coverage last grew
MAX_KNOWN_IN_A_ROW = 1000  # stop after this many proposals in a row that had already been evaluated
_monotonic = time.monotonic


class SearchEnd(Reason):
    """The reasons to stop searching for configurations."""

    SATURATED = "saturated", "saturated: no new coverage in the last {quiet}"
    EXHAUSTED = "exhausted", "exhausted: an evaluation ran every schedule of the scenario"
    EVALUATIONS = "evaluations", "reached the requested number of evaluations"
    SECONDS = "seconds", "reached the time limit"
    NO_OTHER = "no-other", "every proposed configuration had already been evaluated"
    UNFIT = "unfit", "the scenario cannot run again; see the finding"
    INTERRUPTED = "interrupted", "interrupted"


INCOMPLETE = (SearchEnd.INTERRUPTED, SearchEnd.UNFIT)  # stop reasons after which the last evaluation is incomplete


@dataclass(frozen=True, slots=True)
class Measured:
    """The result of the executions with one configuration."""

    tally: Tally
    failed: int = 0  # number of failed executions
    ended: SearchEnd | Literal[""] = ""  # the reason if the search has to stop: EXHAUSTED or one of INCOMPLETE


@dataclass(frozen=True, slots=True)
class Evaluation(Generic[C]):
    """One configuration and the result of its evaluation."""

    number: int
    configuration: C
    fitness: float
    covered: Mapping[str, int]  # maps each criterion to the number of requirements covered
    new: int  # number of requirements that no earlier evaluation covered
    executions: int
    failed: int
    whole: bool = True  # False if the evaluation is incomplete


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits after which a search stops.

    >>> Limits(saturation=10).quiet(20), Limits(saturation=10).quiet(80)
    (10, 20)
    """

    evaluations: int | None = None
    seconds: float | None = None
    saturation: int = 20  # minimum number of evaluations in a row without new coverage

    def quiet(self, evaluations: int) -> int:
        """Return the number of consecutive evaluations without new coverage that saturation requires.

        `evaluations` is the number of all evaluations so far.
        """
        return max(self.saturation, ceil(SHARE * evaluations))


@dataclass(frozen=True, slots=True)
class SearchResult(Generic[C]):
    """The result of a search."""

    evaluations: tuple[Evaluation[C], ...]
    tally: Tally = field(repr=False)  # coverage of all evaluations together
    stopped_because: SearchEnd
    seconds: float

    def best(self, most: int) -> list[Evaluation[C]]:
        """Return at most `most` evaluations, the fittest first; among equally fit ones, earlier ones come first."""
        return sorted([one for one in self.evaluations if one.whole], key=lambda one: -one.fitness)[:most]

    def quiet(self) -> int:
        """Return the number of evaluations since coverage last grew."""
        return quiet(self.evaluations)

    def chances(self) -> dict[str, float]:
        """Return, for each criterion, an upper bound on the probability that one more execution covers something new.

        The estimate assumes that further executions resemble the earlier ones, but a search deliberately tries
        different configurations. Use it only as a guide.
        """
        return {
            name: chance_of_new([seen.executions for seen in keys.values()], self.tally.executions)
            for name, keys in self.tally.covered.items()
        }


def quiet(evaluations: tuple[Evaluation[C], ...]) -> int:
    """Return the number of evaluations since coverage last grew."""
    for count, evaluation in enumerate(reversed(evaluations)):
        if evaluation.new:
            return count
    return len(evaluations)


class Search(Generic[C]):
    """Evaluates proposed configurations until a limit is reached.

    The seed is the only source of randomness. If evaluations depend only on their configurations, the same seed gives
    the same search.
    """

    def __init__(
        self,
        space: Space[C],
        evaluate: Callable[[C, float | None], Measured],  # its second argument is the number of seconds left, or None
        *,
        fitness: Callable[[Tally], float],
        algorithm: Algorithm,
        seed: int,
        limits: Limits,
        first: C | None = None,  # baseline, evaluated before any proposal
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

    def run(self) -> SearchResult[C]:
        """Search until there is a reason to stop. After an interrupt, keep the results so far."""
        self._start = _monotonic()
        try:
            reason = self._search()
        except KeyboardInterrupt:
            reason = SearchEnd.INTERRUPTED
        return SearchResult(tuple(self._evaluations.values()), self._tally, reason, _monotonic() - self._start)

    def _search(self) -> SearchEnd:
        for configuration in self._unevaluated():
            ended = self._try(configuration) or self._enough()
            if ended:
                return ended
        return SearchEnd.NO_OTHER

    def _unevaluated(self) -> Iterator[C]:
        """Yield configurations that have not been evaluated yet.

        The caller evaluates each configuration before it requests the next.
        """
        if self._first is not None:
            yield self._first
        point, known = next(self._proposals), 0
        while known < MAX_KNOWN_IN_A_ROW:
            configuration = self._space.configuration(point)
            known += 1
            if configuration not in self._evaluations:
                yield configuration
                known = 0
            point = self._proposals.send(self._evaluations[configuration].fitness)

    def _try(self, configuration: C) -> SearchEnd | Literal[""]:
        """Evaluate a configuration. Return the reason to stop, or "" to continue."""
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
            whole=measured.ended not in INCOMPLETE,
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
