"""Coverage progress: what the executions of a unit cover, and whether that is enough.

Without a measurement nothing is ever covered, and nothing is ever enough.
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

CHECKED_EVERY = 16  # executions between two looks at whether it is enough


class CoverageProgress:
    """What the executions of a unit cover."""

    def __init__(
        self, session: Session, measurement: Measurement | None, *, keep: bool, measure_all: bool, saturated: bool
    ) -> None:
        self._session = session
        self._measurement = measurement
        self._corpus_writer = CorpusWriter(session) if keep else None
        self._saturation = Saturation()
        self._measurement_sampling = MeasurementSampling(always=measure_all, saturated=saturated)
        self.chance: float | None = None  # that something new is covered, as estimated before a complete search
        self.new = 0  # requirements that the last execution was the first to cover
        self.left_out = 0  # executions that were not measured
        self.firsts: dict[int, int] = {}  # by number of a measured execution that covered something new: its own

    @property
    def measures(self) -> bool:
        """Is anything measured at all?"""
        return self._measurement is not None

    # -- executions ---------------------------------------------------------------------------------

    def wants(self, number: int) -> bool:
        """Is the execution of that number to be measured?"""
        return self._measurement_sampling.wants(number)

    def add(self, execution: Execution, number: int, known: KnownPoints | None) -> dict[str, frozenset[Key]] | None:
        """What an execution covered, by criterion; None where it was not measured.

        `known` is what had been learnt before: given where the execution may be kept.
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

    # -- what came of it ----------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """How many requirements of each criterion were covered."""
        return {} if self._measurement is None else self._measurement.counts()

    @property
    def covered(self) -> int:
        """The same for all criteria together."""
        return sum(self.counts().values())

    def corpus(self) -> tuple[CorpusEntry, ...]:
        """Executions that covered something new, for a later search."""
        return () if self._corpus_writer is None else self._corpus_writer.corpus()

    def told_apart(self) -> frozenset[str]:
        """The criteria that tell executions of one partial order apart."""
        criteria = () if self._measurement is None else self._measurement.criteria
        return frozenset(criterion.name for criterion in criteria if not criterion.by_order)

    def leave_open(self) -> frozenset[str]:
        """Every partial order was run, but not every interleaving: the criteria that more can be covered of."""
        if self._measurement is not None:
            self._measurement.incomplete = self.told_apart()
            return self._measurement.incomplete
        return frozenset()

    # -- is it enough? ------------------------------------------------------------------------------

    def reached(self, goal: str, *, targets: bool) -> bool:
        """Is it saturated, or is everything covered? `targets`: the scheduler has targets left.

        It is looked at now and then only: that takes a while.
        """
        measurement, saturation = self._measurement, self._saturation
        if measurement is None or (saturation.executions % CHECKED_EVERY and saturation.executions > CHECKED_EVERY):
            return False
        enough = saturation.reached and not targets and saturated(measurement.tally())
        if goal == "saturated":
            return enough
        return measurement.all_covered(self._session.model(), if_unknown=enough)

    def go_on(self, *, targets: bool) -> None:
        """The search is for failures and does not end now; once coverage is saturated, a sample will do."""
        if not self._measurement_sampling.saturated:
            self._measurement_sampling.saturated = self.reached("saturated", targets=targets)

    def keep_chance(self) -> None:
        """Keep the estimate made so far: a complete search, which comes next, runs no execution twice."""
        if self._measurement is not None:
            self.chance = chance_of_anything_new(self._measurement.tally())

    def forget_chance(self) -> None:
        """Drop that estimate: the complete search covered more, so it was wrong."""
        self.chance = None
