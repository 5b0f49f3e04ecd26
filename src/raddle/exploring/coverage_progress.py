"""Coverage progress: what the executions of a unit cover, and whether coverage is saturated or complete.

If nothing is measured, nothing counts as covered and no coverage goal is ever reached.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from raddle.analysis.saturation import Saturation, chance_of_anything_new, saturated
from raddle.corpus import CorpusEntry
from raddle.engine.points import KnownPoints
from raddle.execute.session import Execution, Session
from raddle.exploring.corpus_writer import CorpusWriter
from raddle.exploring.measure_sampling import MeasurementSampling
from raddle.tally import Key

if TYPE_CHECKING:
    from raddle.measuring.measurement import Measurement

CHECKED_EVERY = 16  # number of executions between checks for saturation; a check is slow


class CoverageProgress:
    """Measures the executions of a unit, and decides when coverage is sufficient."""

    def __init__(
        self, session: Session, measurement: Measurement | None, *, keep: bool, measure_all: bool, saturated: bool
    ) -> None:
        self._session = session
        self._measurement = measurement
        self._corpus_writer = CorpusWriter(session) if keep else None
        self._saturation = Saturation()
        self._measurement_sampling = MeasurementSampling(always=measure_all, saturated=saturated)
        self.chance: float | None = None  # probability of new coverage, estimated before a complete search
        self.new = 0  # number of requirements that the last execution was the first to cover
        self.left_out = 0  # number of executions that were not measured
        # Maps the position of an execution among the measured ones to its number, if it covered something new.
        self.firsts: dict[int, int] = {}

    @property
    def measures(self) -> bool:
        """Whether anything is measured."""
        return self._measurement is not None

    # -- executions ---------------------------------------------------------------------------------

    def should_measure(self, number: int) -> bool:
        """Return whether to measure the execution with this number."""
        return self._measurement_sampling.should_measure(number)

    def add(self, execution: Execution, number: int, known: KnownPoints | None) -> dict[str, frozenset[Key]] | None:
        """Add an execution; return the requirements it covered, by criterion, or None if it was not measured.

        `known` holds the points known before the execution, or is None if the execution must not be kept in the corpus.
        """
        measurement, self.new = self._measurement, 0
        if measurement is None:
            return None
        if execution.observed is None:
            self.left_out += 1
            return None
        measurement.early = self._session.model().early
        covered = measurement.add(*execution.observed)
        self.new = measurement.new
        self._saturation.add(self.new)
        if self.new:
            self._measurement_sampling.saturated = False
            self.firsts[measurement.executions] = number
            if known is not None and self._corpus_writer is not None:
                self._corpus_writer.keep(measurement.executions, self.new, execution.decisions, known)
        return covered

    # -- results ----------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """Return the number of covered requirements for each criterion."""
        return {} if self._measurement is None else self._measurement.counts()

    @property
    def covered(self) -> int:
        """The number of covered requirements over all criteria."""
        return sum(self.counts().values())

    def corpus(self) -> tuple[CorpusEntry, ...]:
        """Return the executions that covered something new, for later searches to replay."""
        return () if self._corpus_writer is None else self._corpus_writer.corpus()

    def interleaving_criteria(self) -> frozenset[str]:
        """Return the criteria that distinguish interleavings of the same partial order."""
        criteria = () if self._measurement is None else self._measurement.criteria
        return frozenset(criterion.name for criterion in criteria if not criterion.by_order)

    def leave_open(self) -> frozenset[str]:
        """Return the criteria for which further interleavings could increase coverage, and mark them as incomplete."""
        if self._measurement is not None:
            self._measurement.incomplete = self.interleaving_criteria()
            return self._measurement.incomplete
        return frozenset()

    # -- goals ------------------------------------------------------------------------------

    def reached(self, goal: str, *, targets: bool) -> bool:
        """Return whether coverage is saturated or, for the goal "covered", complete.

        `targets` is True if the scheduler still has targets. The check is slow, so most calls skip it and return False.
        """
        measurement, saturation = self._measurement, self._saturation
        if measurement is None or (saturation.executions % CHECKED_EVERY and saturation.executions > CHECKED_EVERY):
            return False
        is_saturated = saturation.reached and not targets and saturated(measurement.tally())
        if goal == "saturated":
            return is_saturated
        return measurement.all_covered(self._session.model(), if_unknown=is_saturated)

    def check_saturation(self, *, targets: bool) -> None:
        """If coverage is saturated, measure only a sample of the remaining executions."""
        if not self._measurement_sampling.saturated:
            self._measurement_sampling.saturated = self.reached("saturated", targets=targets)

    def save_chance(self) -> None:
        """Estimate the chance of new coverage now, because the executions of a complete search are no random sample."""
        if self._measurement is not None:
            self.chance = chance_of_anything_new(self._measurement.tally())

    def drop_chance(self) -> None:
        """Drop the saved estimate, which is outdated once the complete search has increased coverage."""
        self.chance = None
