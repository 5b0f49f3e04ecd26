"""Coverage by source file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from raddle.criteria.base import Criterion
from raddle.report.coverage import Row, criterion_of, requirements
from raddle.store.contents import Contents
from raddle.tally import EXACT, PRUNED, STATIC, Key

ELSEWHERE = "code without probes"
NO_ONE_FILE = "no single file"  # label for requirements that span files, such as an order of all accesses


@dataclass(frozen=True, slots=True)
class Cell:
    """The coverage of one criterion in one file."""

    covered: int
    total: int | None = None  # None if only the total over all files is known

    def __str__(self) -> str:
        if self.total == 0:
            return "-"
        return f"{self.covered:,}" if self.total is None else f"{self.covered:,} of {self.total:,}"


def by_file(
    contents: Contents, rows: Iterable[Row], *, criteria: Mapping[str, Criterion] | None = None
) -> dict[str, dict[str, Cell]]:
    """Return the coverage by file, then by criterion. Each requirement counts only in the file of its home site."""
    files: dict[str, dict[str, Cell]] = {}
    for row in rows:
        criterion = criterion_of(row.name, contents, criteria)
        home = _home(criterion, contents)
        covered = contents.tally.covered.get(row.name, {})
        counts = Counter(map(home, covered))
        totals = _totals(row, criterion, contents, home, counts)
        for file in counts.keys() | (totals or {}).keys():
            total = None if totals is None else totals.get(file, 0)
            files.setdefault(file, {})[row.name] = Cell(counts[file], total)
    return {file: files[file] for file in sorted(files, key=lambda file: (file in (ELSEWHERE, NO_ONE_FILE), file))}


def files_as_json(files: Mapping[str, Mapping[str, Cell]], paths: Mapping[str, str]) -> dict[str, Any]:
    """Return the coverage by file as JSON values."""
    return {
        file: {
            "path": paths.get(file),
            "criteria": {name: {"covered": cell.covered, "total": cell.total} for name, cell in cells.items()},
        }
        for file, cells in files.items()
    }


def _home(criterion: Criterion | None, contents: Contents) -> Callable[[Key], str]:
    """Return a function that maps a requirement to the file in which it counts."""

    def home(key: Key) -> str:
        number = criterion.home(key) if criterion is not None else 0
        site = contents.sites.get(number)
        return site.file if site is not None else ELSEWHERE if number else NO_ONE_FILE

    return home


def _totals(
    row: Row, criterion: Criterion | None, contents: Contents, home: Callable[[Key], str], counts: Counter[str]
) -> Mapping[str, int] | None:
    if row.total.kind == EXACT:
        return counts
    possible = requirements(criterion, contents) if row.total.kind in (STATIC, PRUNED) else None
    if possible is None:
        return None
    return Counter(map(home, contents.tally.covered.get(row.name, {}).keys() | possible))
