"""Runs of a scenario under control: what a scheduler with its parameters covers in a few executions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from raddle.finding import Finding
from raddle.record import Record
from raddle.refusal import NotInstrumented
from raddle.result import Result
from raddle.stop_reason import StopReason
from raddle.store import try_to_add
from raddle.tuning.configurations import Configuration
from raddle.tuning.search import Measured, SearchEnd

_THE_END = StopReason.FIRST_FINDING  # although it was to continue: the finding prevents that
_ENDED = {
    StopReason.INTERRUPTED: SearchEnd.INTERRUPTED,
    StopReason.EXHAUSTED: SearchEnd.EXHAUSTED,
    _THE_END: SearchEnd.UNFIT,
}


class ScenarioRuns:
    """Evaluates schedulers, and keeps each failure once.

    `explore` is `raddle.explore` of the scenario, with everything that is the same for all configurations.
    """

    def __init__(
        self, explore: Callable[..., Result], *, executions: int, data_file: str | None, shrink: bool = True
    ) -> None:
        self._explore = explore
        self._executions = executions
        self._data_file = data_file
        self._shrink = shrink
        self.findings: dict[tuple[str, ...], tuple[Finding, Configuration]] = {}
        self.record: Record | None = None  # of all of them, without findings
        self.notes: dict[str, None] = {}
        self.not_stored = ""  # why the last that could not be stored was not
        self.not_instrumented: dict[NotInstrumented, None] = {}

    def __call__(self, configuration: Configuration, seconds: float | None) -> Measured:
        """A few executions with that scheduler; what they covered goes to the data file."""
        result = self._run(configuration, seconds=seconds, shrink=False)
        new = self._new_findings(result, configuration)
        if result.exhausted or not result.stopped_because.ran_out:  # else the notes are about this scheduler only
            self.notes.update(dict.fromkeys(result.notes))
        self.not_instrumented.update(dict.fromkeys(result.not_instrumented))
        if result.record is not None:
            self.record = result.record if self.record is None else self.record + result.record
        if result.record is not None and self._data_file is not None:
            record = replace(
                result.record, findings=tuple({**finding.as_json(), "origin": result.record.origin} for finding in new)
            )
            added = try_to_add(self._data_file, record)
            self.not_stored = added.trouble or self.not_stored
            self.notes.update(dict.fromkeys(added.notes))
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
        """Return the findings that no earlier configuration showed.

        Shrinking takes hundreds of executions, so only these are shrunk, by running the same configuration again.
        """
        new = {finding.signature: finding for finding in result.findings if finding.signature not in self.findings}
        if (
            new
            and self._shrink
            and result.stopped_because not in (StopReason.INTERRUPTED, StopReason.SECONDS, _THE_END)
        ):
            again = self._run(configuration, seconds=None, shrink=True)
            new |= {finding.signature: finding for finding in again.findings if finding.signature in new}
        self.findings |= {key: (finding, configuration) for key, finding in new.items()}
        return list(new.values())
