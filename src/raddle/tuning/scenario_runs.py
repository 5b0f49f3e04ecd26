"""Runs of a scenario under control: what a scheduler with its parameters covers in a few executions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from raddle.finding import Finding
from raddle.record import Record
from raddle.refusal import NotInstrumented
from raddle.result import Result
from raddle.store import try_to_add
from raddle.tuning.configurations import Configuration
from raddle.tuning.search import Measured

_THE_END = "first-finding"  # although it was to go on: what was found keeps it from that
_ENDED = {"interrupted": "interrupted", "exhausted": "exhausted", _THE_END: "unfit"}
_PLACE = re.compile(r'([^\s"/\\]+\.py)(?:", line |:)(\d+)')


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
        self.findings: dict[tuple[object, ...], tuple[Finding, Configuration]] = {}
        self.record: Record | None = None  # of all of them, without findings
        self.notes: dict[str, None] = {}
        self.not_stored = ""  # why the last that could not be stored was not
        self.not_instrumented: dict[NotInstrumented, None] = {}

    def __call__(self, configuration: Configuration, seconds: float | None) -> Measured:
        """A few executions with that scheduler; what they covered goes to the data file."""
        result = self._run(configuration, seconds=seconds, shrink=False)
        new = self._new_findings(result, configuration)
        if not result.stopped_because.startswith("exhausted-"):  # what is said then is about this scheduler only
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
        """Those not met before. Shrinking takes hundreds of executions, so only they are shrunk: by doing the same
        again."""
        new = {failure(finding): finding for finding in result.findings if failure(finding) not in self.findings}
        if new and self._shrink and result.stopped_because not in ("interrupted", "seconds", _THE_END):
            again = self._run(configuration, seconds=None, shrink=True)
            new |= {failure(finding): finding for finding in again.findings if failure(finding) in new}
        self.findings |= {key: (finding, configuration) for key, finding in new.items()}
        return list(new.values())


def failure(finding: Finding) -> tuple[object, ...]:
    """What two findings have in common that are the same failure: their kind, and the places that they name."""
    return finding.kind, tuple(sorted({place for line in finding.details for place in _PLACE.findall(line)}))
