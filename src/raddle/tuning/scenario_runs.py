"""Evaluates schedulers: executes a scenario a few times under each, and records the coverage of the executions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from raddle.finding import Finding
from raddle.result import Result
from raddle.stop_reason import StopReason
from raddle.tuning.configurations import Configuration
from raddle.tuning.runs import Runs
from raddle.tuning.search import Measured, SearchEnd

# Evaluations continue after findings, so they stop for this reason only if the scenario cannot run again.
_CANNOT_CONTINUE = StopReason.FIRST_FINDING
_ENDED = {
    StopReason.INTERRUPTED: SearchEnd.INTERRUPTED,
    StopReason.EXHAUSTED: SearchEnd.EXHAUSTED,
    _CANNOT_CONTINUE: SearchEnd.UNFIT,
}


class ScenarioRuns(Runs):
    """Evaluates schedulers, and keeps one finding for each distinct failure.

    `explore` is `raddle.explore`, with the scenario and the options common to all configurations already bound.
    """

    def __init__(
        self, explore: Callable[..., Result], *, executions: int, data_file: str | None, shrink: bool = True
    ) -> None:
        super().__init__(data_file)
        self._explore = explore
        self._executions = executions
        self._shrink = shrink
        self.findings: dict[tuple[str, ...], tuple[Finding, Configuration]] = {}

    def __call__(self, configuration: Configuration, seconds: float | None) -> Measured:
        """Run a few executions with the given scheduler, and store their coverage."""
        result = self._run(configuration, seconds=seconds, shrink=False)
        new = self._new_findings(result, configuration)
        # If the scheduler ran out of schedules only within a bound or in part, the notes concern only this scheduler.
        if result.exhausted or not result.stopped_because.ran_out:
            self.notes.update(dict.fromkeys(result.notes))
        self.not_instrumented.update(dict.fromkeys(result.not_instrumented))
        if result.record is not None:
            self.record = result.record if self.record is None else self.record + result.record
            findings = tuple({**finding.as_json(), "origin": result.record.origin} for finding in new)
            self._store(replace(result.record, findings=findings))
        return Measured(result.tally, failed=len(result.findings), ended=_ENDED.get(result.stopped_because, ""))

    def _run(self, configuration: Configuration, *, seconds: float | None, shrink: bool) -> Result:
        if seconds is not None:
            seconds = max(seconds, 0.001)
        return self._explore(
            scheduler=configuration.value,
            seed=configuration.seed or 1,
            executions=self._executions,
            seconds=seconds,
            until="budget",
            shrink=shrink,
        )

    def _new_findings(self, result: Result, configuration: Configuration) -> list[Finding]:
        """Return the findings that no earlier configuration produced.

        Shrinking takes hundreds of executions, so only new findings are shrunk, by running the configuration again.
        """
        new = {finding.signature: finding for finding in result.findings if finding.signature not in self.findings}
        if (
            new
            and self._shrink
            and result.stopped_because not in (StopReason.INTERRUPTED, StopReason.SECONDS, _CANNOT_CONTINUE)
        ):
            again = self._run(configuration, seconds=None, shrink=True)
            new |= {finding.signature: finding for finding in again.findings if finding.signature in new}
        self.findings |= {key: (finding, configuration) for key, finding in new.items()}
        return list(new.values())
