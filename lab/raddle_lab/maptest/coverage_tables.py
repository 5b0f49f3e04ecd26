"""The tables of research questions 2 and 3: coverage over time (Fig. 5), and Table IV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any

from scipy.stats import kendalltau

from raddle.criteria import THREADS as CRITERIA
from raddle.wording import count
from raddle_lab.maptest.cell import POINTS, SAMPLES, Part
from raddle_lab.maptest.experiment import CORRELATION_FACTOR, COVCON, COVERAGE_FACTOR, MAPTEST, RANDOM
from raddle_lab.maptest.published import TABLE_4, Row4
from raddle_lab.maptest.section import Section, number
from raddle_lab.maptest.study import Study
from raddle_lab.published import KENDALL

SHARES = (1, 5, 10, 15, 20, 30)  # thirtieths of the time at which the table shows coverage
MODERATE, HIGH = 0.4, 0.7  # Guilford's limits
Curve = Sequence[float]


# -- research question 2 -----------------------------------------------------------------------------


def curves(study: Study) -> dict[str, tuple[Curve, Curve]]:
    """Map each class to MAPTest's and Random's shares of the patterns at each sample, averaged over the seeds.

    The shares are of the patterns that MAPTest covers in longer runs.
    """
    found = {}
    for name in study.plan.subjects:
        total = _pattern_total(study, name)
        both = [_mean_curve(study.sampled(Part.COVERAGE, name, method), total) for method in (MAPTEST, RANDOM)]
        if all(both):
            found[name] = both[0], both[1]
    return found


def _pattern_total(study: Study, name: str) -> float:
    runs = study.sampled(Part.COVERAGE_TOTAL, name, MAPTEST)
    return fmean(run.result["samples"][-1]["covered"]["patterns"] for run in runs) if runs else 0.0


def _mean_curve(runs: Sequence[Any], total: float) -> list[float]:
    if not runs or not total:
        return []
    return [
        fmean(run.result["samples"][place]["covered"].get("patterns", 0) for run in runs) / total
        for place in range(SAMPLES)
    ]


def coverage(study: Study) -> Section:
    """Return Fig. 5 as a table."""
    found = curves(study)
    heads = [f"{share}/{SAMPLES}" for share in SHARES]
    rows = [["id", *heads, *(f"lead {head}" for head in heads), "patterns", "T_C", "pruned"]]
    for name, (ours, random) in found.items():
        shares = [number(100 * ours[share - 1], 0) for share in SHARES]
        leads = [number(100 * (ours[share - 1] - random[share - 1]), 0) for share in SHARES]
        totals = study.sampled(Part.COVERAGE_TOTAL, name, MAPTEST)[0].result["totals"]
        counts = [f"{_pattern_total(study, name):,.0f}", f"{totals['static']:,}", f"{totals['pruned']:,}"]
        rows.append([name, *shares, *leads, *counts])
    above = sum(ours[-1] > 0.5 for ours, _ in found.values())
    growing = sum(is_monotone([a - b for a, b in zip(*both, strict=True)]) for both in found.values())
    plan = study.plan
    seconds = f"{plan.coverage_seconds:g} s" if plan.max_tests is None else f"{plan.max_tests:,} tests"
    seeds = count(plan.coverage_seeds, "seed")
    remarks = [
        f"Percentage of the patterns that MAPTest covers in {COVERAGE_FACTOR} times {seconds}, after parts of {seconds}"
        f", with {seeds}; the paper compares 30 minutes with 2 hours. Lead: the same minus the percentage of Random, "
        "which runs random pairs of methods on native threads. T_C is the total by the paper's formula; the "
        "pruned total leaves out what locks, starts and joins make infeasible.",
        f"At the end, coverage exceeds 50 % for {above} of {len(found)} classes (paper: 14 of 20). The lead over "
        f"Random never shrinks for {growing} of {len(found)} classes (paper: it increases monotonically).",
    ]
    return Section("Fig. 5: MAP-coverage over time", rows, remarks)


def is_monotone(curve: Curve) -> bool:
    """Return whether a curve never falls.

    >>> is_monotone([0.1, 0.1, 0.4]), is_monotone([0.1, 0.4, 0.3])
    (True, False)
    """
    return all(a <= b for a, b in pairwise(curve))


# -- research question 3 -----------------------------------------------------------------------------

Point = tuple[float, float]  # coverage and bugs


def tau(points: Sequence[Point]) -> float | None:
    """Return Kendall's τ-b; None if all points have the same coverage or the same number of bugs.

    >>> round(tau([(1, 0), (2, 1), (3, 1), (4, 2)]), 2), tau([(1, 0), (1, 1)])
    (0.91, None)
    """
    if len({x for x, _ in points}) < 2 or len({y for _, y in points}) < 2:
        return None
    return float(kendalltau([x for x, _ in points], [y for _, y in points]).statistic)


def points(study: Study, subject: str, method: str, criterion: str) -> list[Point]:
    """Return the covered requirements and the bugs of all runs of a class, at each sample."""
    return [
        (sample["covered"].get(criterion, 0), sample["bugs"])
        for run in study.sampled(Part.CORRELATION, subject, method)
        for sample in run.result["samples"]
    ]


def _shares(study: Study, subject: str, method: str, criterion: str) -> list[Point]:
    """Return the points of a class as shares of its requirements and bugs."""
    found = points(study, subject, method, criterion)
    most, bugs = (max((pair[place] for pair in found), default=0) for place in (0, 1))
    for run in study.sampled(Part.CORRELATION_TOTAL, subject, MAPTEST):
        last = run.result["samples"][-1]
        bugs = max(bugs, last["bugs"])
        most = max(most, run.result["pairs"] if criterion == "method-pairs" else last["covered"].get(criterion, 0))
    return [(x / most, y / bugs) for x, y in found if most and bugs]


def _cell(found: Sequence[Point]) -> str:
    """Return τ; "*" if no run found a bug, and "-" if τ is not defined for another reason."""
    if not any(bugs for _, bugs in found):
        return "*"
    return number(tau(found), 2)


def correlation(study: Study) -> Section:
    """Return Table IV, with the published numbers beside ours."""
    heads = ["id", "pairs", "patterns", "bugs", "locks", "τ MAPTest", "τ CovCon"]
    rows = [[*heads, "paper: pairs", "patterns", "bugs", "τ MAPTest", "τ CovCon"]]
    ours: dict[str, list[float]] = {MAPTEST: [], COVCON: []}
    criteria = {MAPTEST: "patterns", COVCON: "method-pairs"}
    for name in study.plan.subjects:
        totals = study.sampled(Part.CORRELATION_TOTAL, name, MAPTEST)
        if not totals:
            continue
        last = totals[0].result["samples"][-1]
        row = [name, f"{totals[0].result['pairs']:,}", f"{last['covered']['patterns']:,}", f"{last['bugs']:,}"]
        row.append("removed" if totals[0].result["has_locks"] else "none")
        for method, criterion in criteria.items():
            found = points(study, name, method, criterion)
            row.append(_cell(found))
            value = tau(found)
            ours[method] += [] if value is None else [value]
        rows.append([*row, *_published(TABLE_4[name])])
    pooled = {
        method: tau([point for name in study.plan.subjects for point in _shares(study, name, method, criterion)])
        for method, criterion in criteria.items()
    }
    paper = _published_means()
    means = [number(fmean(ours[method]) if ours[method] else None, 2) for method in criteria]
    rows.append(["mean of the rows", *[""] * 4, *means, *[""] * 3, *(number(value, 2) for value in paper)])
    rows.append(["all points together", *[""] * 4, *(number(pooled[method], 2) for method in criteria), *[""] * 5])
    rows.append(["last row as published", *[""] * 6, *[""] * 3, *(f"{value:.2f}" for value in KENDALL.values())])
    return Section("Table IV: Kendall's τ between coverage and bugs", rows, _correlation_remarks(study, ours))


def _published(row: Row4) -> list[str]:
    counts = (f"{value:,}" for value in (row.pairs, row.patterns, row.bugs))
    return [*counts, number(row.maptest, 2), number(row.covcon, 2)]


def _published_means() -> tuple[float, float]:
    rows = TABLE_4.values()
    return fmean(row.maptest for row in rows), fmean(row.covcon for row in rows if row.covcon is not None)


def guilford(values: Sequence[float]) -> str:
    """Return how many correlations are low, moderate and high.

    >>> guilford([0.1, -0.5, 0.74])
    '1 low, 1 moderate, 1 high'
    """
    low, high = sum(abs(value) < MODERATE for value in values), sum(abs(value) > HIGH for value in values)
    return f"{low} low, {len(values) - low - high} moderate, {high} high"


def _correlation_remarks(study: Study, ours: Mapping[str, Sequence[float]]) -> list[str]:
    plan = study.plan
    seconds = f"{plan.correlation_seconds:g} s" if plan.max_tests is None else f"{plan.max_tests:,} tests"
    seeds = count(plan.correlation_seeds, "seed")
    published = [row.maptest for row in TABLE_4.values()], [r.covcon for r in TABLE_4.values() if r.covcon is not None]
    return [
        f"The classes run without locks. Patterns and bugs are those of a run of MAPTest for {CORRELATION_FACTOR} "
        f"times {seconds}; pairs are n(n+1)/2 for n methods. τ is over {seeds}, {POINTS} points each, up to {seconds}; "
        "the paper has 2 hours, and 10 seeds up to 20 minutes. Two failures are the same bug if the "
        'same line raises the same exception. "-": all points have the same coverage or the same number of bugs. "*": '
        "no bug was found. CovCon stands for covcon*, because native threads find next to nothing.",
        "Two readings of the paper's last row, which it calls an average: the mean of the rows, and τ over the points "
        "of all classes together, each as a share of the requirements and bugs of its class. The means of the "
        "published rows are not its last row.",
        f"By Guilford's scale: MAPTest {guilford(ours[MAPTEST])} (paper: {guilford(published[0])}); CovCon "
        f"{guilford(ours[COVCON])} (paper: {guilford(published[1])}).",
    ]


def criteria(study: Study) -> Section:
    """Return τ for each criterion of raddle, measured in MAPTest's runs."""
    rows = [["criterion", "mean τ", "classes", "τ of all points together"]]
    found: list[tuple[float, list[str]]] = []
    for name in CRITERIA:
        taus = list(_defined(tau(points(study, one, MAPTEST, name)) for one in study.plan.subjects))
        together = tau([point for one in study.plan.subjects for point in _shares(study, one, MAPTEST, name)])
        mean = fmean(taus) if taus else None
        cells = [name, number(mean, 2), str(len(taus)), number(together, 2)]
        found.append((-2.0 if mean is None else mean, cells))
    rows += [cells for _, cells in sorted(found, key=lambda row: -row[0])]
    remarks = [
        "All criteria measure the same runs of MAPTest, while Table IV correlates each of two criteria on the runs of "
        "another tool. map counts the variables of the class and those that it dereferences; Table IV counts all that "
        "its methods reach, as MAPTest does. Classes: those for which τ is defined."
    ]
    return Section("Kendall's τ for every criterion", rows, remarks)


def _defined(values: Iterator[float | None]) -> Iterator[float]:
    return (value for value in values if value is not None)
