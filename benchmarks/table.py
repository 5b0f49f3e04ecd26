"""Formats a comparison as text: one line for each tool, each ratio and each failure."""

from collections.abc import Iterable

from comparison import SUBJECT, Comparison


def text(comparison: Comparison) -> str:
    scenarios = comparison.scenarios
    rates = [
        [tool, *(_figure(comparison.best(scenario, tool), "{:,.0f}") for scenario in scenarios)]
        for tool in comparison.package_of
    ]
    parts = [aligned(["executions/s", *scenarios], rates)]
    if SUBJECT in comparison.package_of:
        ratios = [_ratios(comparison, peer) for peer in comparison.peers]
        parts.append(aligned(["ratio", *scenarios, "median"], ratios))
    parts += [
        f"{tool} failed {scenario} in {len(reasons)} round{'s' * (len(reasons) > 1)}: {reasons[-1]}"
        for (scenario, tool), reasons in comparison.failures.items()
    ]
    return "\n\n".join(parts)


def _ratios(comparison: Comparison, peer: str) -> list[str]:
    ratios = [comparison.ratio(scenario, peer) for scenario in comparison.scenarios]
    return [f"{SUBJECT} / {peer}", *(_figure(x, "{:.1f}") for x in [*ratios, comparison.median_ratio(peer)])]


def _figure(value: float | None, form: str) -> str:
    return "-" if value is None else form.format(value)


def aligned(header: list[str], rows: Iterable[list[str]]) -> str:
    lines = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines)
