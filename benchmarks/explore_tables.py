"""Formats the results of `explore` as text."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from statistics import median
from typing import Any

from comparison import Cell, Comparison
from table import aligned

# Pairs of searches whose speeds are compared: each search, and the random walk that measures the same criteria.
RATIOS = (
    ("pos", "random"),
    ("surw", "random"),
    ("pct", "random"),
    ("directed", "random"),
    ("pos+default", "random+default"),
    ("directed+default", "random+default"),
    ("portfolio+default", "random+default"),
)


def speeds(comparison: Comparison) -> str:
    """Return a table of executions per second, and a table of speeds relative to the random walk."""
    names = comparison.scenarios
    rates = [
        [search, *(_figure(comparison.best(name, search), "{:,.0f}") for name in names)]
        for search in comparison.package_of
    ]
    ratios = [
        [f"{one} / {other}", *(_figure(x, "{:.2f}") for x in _with_median(_ratios(comparison, one, other)))]
        for one, other in RATIOS
    ]
    return _parts(
        aligned(["executions/s", *names], rates), aligned(["ratio", *names, "median"], ratios), _failures(comparison)
    )


def spaces(
    seen: Mapping[str, Mapping[str, Any]],
    schedules: Sequence[Mapping[str, Any]],
    comparison: Comparison,
    waits: Mapping[Cell, float],
) -> str:
    """Return tables with the executions and the speed of each complete search, and the outcomes it missed."""
    tools = list(next(iter(seen.values())))
    executions = [[name, *(_space(by_tool[tool]) for tool in tools)] for name, by_tool in seen.items()]
    searches = list(comparison.package_of)
    rates = [
        [
            name,
            *(_figure(comparison.best(name, search), "{:,.0f}") for search in searches),
            _figure(ratio, "{:.1f}"),
            *(_figure(waits.get((name, search)), "{:.3f}") for search in searches),
        ]
        for name, ratio in zip(comparison.scenarios, _ratios(comparison, *searches), strict=True)
    ]
    missed_outcomes = [
        f"{tool} finished {name} but missed {len(own)} outcome{'s' * (len(own) > 1)}: "
        f"{own[0]['outcome']} is reached by\n    {own[0]['schedule']}"
        for (name, tool), group in groupby(schedules, key=lambda proof: (proof["scenario"], proof["tool"]))
        for own in [list(group)]
    ]
    return _parts(
        aligned(["executions (outcomes)", *tools], executions),
        aligned(["executions/s", *searches, "ratio", *(f"{search}: seconds" for search in searches)], rates),
        _failures(comparison),
        "\n".join(missed_outcomes),
    )


def traps(found: Mapping[str, Mapping[str, Any]], *, executions: int, seeds: int) -> str:
    """Return a table of how many executions each search needed to find each trap's failure."""
    tools = list(next(iter(found.values())))
    rows = [[name, *(_firsts(by_tool[tool], executions) for tool in tools)] for name, by_tool in found.items()]
    reasons = {
        f"{tool} failed {name}: {answer['failed']}"
        for name, by_tool in found.items()
        for tool, answer in by_tool.items()
        if "failed" in answer
    }
    title = (
        f"Executions until the failure, at most {executions:,}: the median of {seeds} seeds, and the worst. In "
        "parentheses: the number of seeds that found it, if not all did."
    )
    return _parts(title, aligned(["trap", *tools], rows), "\n".join(sorted(reasons)))


def _space(answer: Mapping[str, Any]) -> str:
    if "failed" in answer:
        return "failed"
    count = f"{answer['executions']:,} ({len(answer['outcomes'])})"
    return count if answer["done"] else f">{count}"


def _firsts(answer: Mapping[str, Any], executions: int) -> str:
    """Return the median and the maximum number of executions needed, as text.

    >>> _firsts({"firsts": [1, 3, None]}, 1000), _firsts({"firsts": [1, 2, 9]}, 1000)
    ('3, >1,000 (2/3)', '2, 9')
    """
    if "failed" in answer:
        return "failed"
    firsts = answer["firsts"]
    times = sorted(executions + 1 if first is None else first for first in firsts)
    middle, worst = (f">{executions:,}" if x > executions else f"{x:g}" for x in (median(times), times[-1]))
    found = sum(first is not None for first in firsts)
    text = middle if len(firsts) == 1 else f"{middle}, {worst}"
    return text if found == len(firsts) else f"{text} ({found}/{len(firsts)})"


def _ratios(comparison: Comparison, one: str, other: str = "") -> list[float | None]:
    pairs = [(comparison.best(name, one), comparison.best(name, other)) for name in comparison.scenarios]
    return [mine / theirs if mine and theirs else None for mine, theirs in pairs]


def _with_median(ratios: Sequence[float | None]) -> list[float | None]:
    known = [ratio for ratio in ratios if ratio is not None]
    return [*ratios, median(known) if len(known) == len(ratios) else None]


def _figure(value: float | None, form: str) -> str:
    return "-" if value is None else form.format(value)


def _failures(comparison: Comparison) -> str:
    return "\n".join(
        f"{search} failed {name}: {reasons[-1]}" for (name, search), reasons in comparison.failures.items()
    )


def _parts(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
