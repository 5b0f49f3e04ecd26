"""The summary of a data file: the content of a report, independent of its format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raddle.checks.warning_texts import warning_sentence
from raddle.criteria.base import Criterion
from raddle.finding import Finding
from raddle.outcome import OutcomeKind
from raddle.report.coverage import Row, as_json
from raddle.report.files import Cell, by_file, files_as_json
from raddle.report.missing import LIMIT, Missing, missing
from raddle.report.patterns import PatternRow, pattern_rows
from raddle.report.source import Sources
from raddle.report.warning_groups import WarningGroup, group_warnings
from raddle.store.contents import Contents
from raddle.warning import ReportedWarning
from raddle.wording import count

SEQUENTIAL = frozenset({"blocks"})  # criteria whose requirements a single thread can cover


@dataclass(frozen=True, slots=True)
class Summary:
    """The warnings, findings and notes of a data file, and the coverage of the selected criteria."""

    rows: tuple[Row, ...]
    files: Mapping[str, Mapping[str, Cell]]
    paths: Mapping[str, str]
    missing: tuple[Missing, ...]
    warnings: tuple[tuple[ReportedWarning, str], ...]  # each warning with its sentence
    warning_groups: tuple[WarningGroup, ...]  # the same warnings, one group per variable
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    outdated: tuple[str, ...]  # notes about source files that have changed since they were measured
    runs: int
    executions: int
    patterns: tuple[PatternRow, ...]  # patterns of the criterion `map`, if it is selected
    met: bool  # True if threads interacted: something was covered that a single thread cannot cover

    def warning_lines(self, *, verbose: bool) -> list[str]:
        """Return the warnings for a terminal: one line per variable or, if verbose, every distinct sentence."""
        if verbose:
            return list(dict.fromkeys(sentence for _, sentence in self.warnings))
        return list(map(str, self.warning_groups))

    @property
    def nothing(self) -> str:
        """Why nothing was covered, or why there is nothing to cover; "" if something was covered."""
        concurrent = [row for row in self.rows if row.name not in SEQUENTIAL] or self.rows
        if not concurrent:
            return "nothing to cover: no criterion was measured"
        if self.met or any(row.covered for row in concurrent):
            return ""
        if any(finding.kind == OutcomeKind.UNCONTROLLED for finding in self.findings):
            return "nothing was covered: executions ended at a call that raddle does not control; see the findings"
        if not self.executions:
            return f"nothing was covered: no execution was measured{'; see the findings' if self.findings else ''}"
        possible = any(row.total.number for row in concurrent)
        return (
            f"{'nothing was covered' if possible else 'nothing to cover'}: "
            f"no threads interacted in {count(self.executions, 'execution')}; "
            "none were started, or they share nothing in the measured code"
        )

    def criterion_as_json(self, row: Row) -> dict[str, Any]:
        """Return the coverage of a criterion in its JSON form."""
        return {**as_json(row), "patterns": [one.as_json() for one in self.patterns if one.row.name == row.name]}

    def as_json(self) -> dict[str, Any]:
        """Return the summary in its JSON form."""
        return {
            "criteria": {row.name: self.criterion_as_json(row) for row in self.rows},
            "files": files_as_json(self.files, self.paths),
            "missing": [gap.as_json() for some in self.missing for gap in some.gaps],
            "not_listed": {some.criterion: {"more": some.more, "remarks": list(some.remarks)} for some in self.missing},
            "warnings": [{**warning.as_json(), "sentence": sentence} for warning, sentence in self.warnings],
            "findings": len(self.findings),
            "notes": list(self.notes),
            "runs": self.runs,
            "executions": self.executions,
        }


def summarize(
    contents: Contents,
    rows: Sequence[Row],
    *,
    missing_of: Iterable[Row] = (),
    limit: int = LIMIT,
    criteria: Mapping[str, Criterion] | None = None,
) -> Summary:
    """Return the summary of these criteria, with the missing requirements of those in `missing_of`."""
    outdated = Sources(contents).notes()
    return Summary(
        rows=tuple(rows),
        files=by_file(contents, rows, criteria=criteria),
        paths=contents.paths,
        missing=tuple(missing(contents, row, limit=limit, criteria=criteria) for row in missing_of),
        warnings=tuple((warning, warning_sentence(warning, contents.sites)) for warning in contents.warnings),
        warning_groups=group_warnings(contents.warnings, contents.sites),
        findings=tuple(map(Finding.from_json, contents.findings)),
        notes=(*contents.notes, *outdated),
        outdated=outdated,
        runs=len(contents.runs),
        executions=sum(run.executions for run in contents.runs),
        patterns=tuple(one for row in rows for one in pattern_rows(contents, row, criteria)),
        met=any(keys for name, keys in contents.tally.covered.items() if name not in SEQUENTIAL),
    )
