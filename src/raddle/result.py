"""The result of an exploration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from raddle.corpus import CorpusEntry
from raddle.finding import Finding
from raddle.record import Record
from raddle.refusal import NotInstrumented
from raddle.stop_reason import StopReason
from raddle.tally import Tally

CORPUS_NOTE = "started with "  # beginning of the note about replayed schedules
# Keys of `Result.shares` for executions that the search's own scheduler did not control
WITHOUT_PREEMPTION = "without preemption"  # rehearsals that failed
KEPT_SCHEDULES = "kept schedules"  # executions replayed from the corpus
EVERY_ORDER = "reachability"  # the complete search that follows a saturated search without findings


@dataclass(frozen=True, slots=True)
class Result:
    """The result of exploring one scenario.

    >>> Result(outcome="passed", findings=(), executions=3, scheduling_points=12, seconds=0.1,
    ...        stopped_because=StopReason.EXHAUSTED, seed=1).failed
    False
    """

    outcome: str  # OutcomeKind.PASSED, or the kind of the first finding
    findings: tuple[Finding, ...]
    executions: int
    scheduling_points: int
    seconds: float
    stopped_because: StopReason
    seed: int
    scheduler: str = ""
    switches: str = "free-threaded"
    not_instrumented: tuple[NotInstrumented, ...] = ()
    notes: tuple[str, ...] = ()
    record: Record | None = field(default=None, repr=False, compare=False)  # None if nothing was measured
    warnings: tuple[Mapping[str, Any], ...] = ()  # suspicious behavior, even in executions that did not fail
    criteria: Mapping[str, Any] = field(default_factory=dict)  # coverage by criterion
    # maps schedulers to their numbers of executions, newly covered requirements and findings
    shares: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    # partial orders that were run, and further interleavings for criteria that distinguish them
    orders: Mapping[str, int] = field(default_factory=dict)
    # targets of a guided search: how many were tried, covered and given up, and sentences about those given up
    aims: Mapping[str, Any] = field(default_factory=dict)
    sequences: int | None = None  # number of different SYN-sequences that were executed; None for threads
    assumptions: tuple[str, ...] = ()  # what an exhausted search of a message-passing program takes for granted
    left_out: int = 0  # executions that were not measured because coverage was saturated
    not_stored: str = ""  # why the result could not be added to the data file; empty if there was no problem
    chance_of_new: float | None = None  # probability that 1,000 more executions cover anything new

    def __post_init__(self) -> None:
        # Raises a ValueError if the text is not a stop reason.
        object.__setattr__(self, "stopped_because", StopReason(self.stopped_because))

    @property
    def tally(self) -> Tally:
        """The covered requirements; empty if no criterion was measured."""
        return self.record.tally if self.record is not None else Tally()

    @property
    def corpus(self) -> tuple[CorpusEntry, ...]:
        """The executions that covered something new, if they are kept for a data file."""
        return self.record.corpus if self.record is not None else ()

    @property
    def failed(self) -> bool:
        return bool(self.findings)

    @property
    def exhausted(self) -> bool:
        """Whether every schedule was run and all code was controlled."""
        return self.stopped_because is StopReason.EXHAUSTED

    def _measured(self) -> dict[str, Any]:
        if self.record is None:
            return {}
        return {
            "criteria": dict(self.criteria),
            "aims": dict(self.aims),
            "executions_not_measured": self.left_out,
            "chance_of_new": None if self.chance_of_new is None else round(self.chance_of_new, 4),
            "warnings": [dict(warning) for warning in self.warnings],
        }

    def _messages(self) -> dict[str, Any]:
        return {
            "sequences": self.sequences,
            "assumptions": list(self.assumptions),
            "warnings": [dict(warning) for warning in self.warnings],
        }

    def as_json(self) -> dict[str, Any]:
        """Return the result in its JSON form."""
        return {
            "outcome": self.outcome,
            "executions": self.executions,
            "scheduling_points": self.scheduling_points,
            "seconds": round(self.seconds, 6),
            "stopped_because": self.stopped_because,
            "seed": self.seed,
            "scheduler": self.scheduler,
            "schedulers": {name: dict(share) for name, share in self.shares.items()},
            "orders": dict(self.orders),
            **({} if self.sequences is None else self._messages()),
            "switches": self.switches,
            "findings": [finding.as_json() for finding in self.findings],
            "not_instrumented": [refused.as_json() for refused in self.not_instrumented],
            "notes": list(self.notes),
            "not_stored": self.not_stored or None,
            **self._measured(),
        }
