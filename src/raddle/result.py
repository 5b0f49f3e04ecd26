"""What an exploration found out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from raddle.finding import Finding


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of many executions of one scenario.

    >>> Result(outcome="passed", findings=(), executions=3, scheduling_points=12, seconds=0.1,
    ...        stopped_because="exhausted", seed=1).failed
    False
    """

    outcome: str  # "passed", or the kind of the first finding
    findings: tuple[Finding, ...]
    executions: int
    scheduling_points: int
    seconds: float
    stopped_because: str  # first-finding, exhausted, executions, seconds, interrupted
    seed: int
    scheduler: str = ""
    switches: str = "free-threaded"
    not_instrumented: tuple[tuple[str, str], ...] = ()  # what was left as it is, and why
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        return bool(self.findings)

    @property
    def exhausted(self) -> bool:
        """Was every schedule tried, with everything under control?"""
        return self.stopped_because == "exhausted"

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "outcome": self.outcome,
            "executions": self.executions,
            "scheduling_points": self.scheduling_points,
            "seconds": round(self.seconds, 6),
            "stopped_because": self.stopped_because,
            "seed": self.seed,
            "scheduler": self.scheduler,
            "switches": self.switches,
            "findings": [finding.as_json() for finding in self.findings],
            "not_instrumented": [{"what": what, "why": why} for what, why in self.not_instrumented],
            "notes": list(self.notes),
        }
