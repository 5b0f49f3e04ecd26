"""Series of executions drawn at random from a collection, and the growth of coverage along them.

The numbers are those of Table 3 of Křena, Letko and Vojnar, averaged over all series:

* Total: the number of distinct tasks that the executions of a series covered.
* Average %: the number of tasks that one execution covered, as a share of Total.
* Smooth %: the number of distinct values of the cumulative coverage, as a share of the number of executions.

Two numbers are added because the rule for verdicts needs them: the share of a series after which 95 % of Total has been
covered, and the share of Total that the first tenth of the series covered. The paper's authors read both numbers off
the curves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raddle_lab.collection import Coverage

SETTLED = 0.95  # share of its total coverage at which a series counts as settled
BEGINNING = 0.1  # share of a series that counts as its beginning

Series = NDArray[np.int64]  # execution numbers, in the order of the series


@dataclass(frozen=True, slots=True)
class Growth:
    """The growth of one criterion's coverage along series, averaged over the series."""

    total: float
    average_percent: float | None  # None if nothing was covered
    smooth_percent: float
    settled: float | None  # share of the executions after which 95 % of the total has been covered
    beginning_percent: float | None  # share of the total covered by the first tenth of the executions


def draw(executions: int, *, length: int, count: int, seed: int) -> list[Series]:
    """Draw random series, in which no execution occurs twice.

    >>> [sorted(map(int, series)) for series in draw(3, length=3, count=2, seed=1)]
    [[0, 1, 2], [0, 1, 2]]
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    return [generator.permutation(executions)[:length] for _ in range(count)]


def cumulative(coverage: Coverage, series: Series) -> NDArray[np.int64]:
    """Return the number of requirements covered up to each execution of a series."""
    executions = [coverage.executions[number] for number in series]
    sizes = np.array([len(covered) for covered in executions])
    numbers = np.concatenate(executions) if executions else np.array([], dtype=np.int32)
    places = np.repeat(np.arange(len(series)), sizes)
    # If an index occurs more than once, numpy keeps the value that was assigned last. The executions are assigned in
    # reverse order, so the last value is the first execution that covers the requirement.
    first = np.full(coverage.distinct, len(series))
    first[numbers[::-1]] = places[::-1]
    return np.cumsum(np.bincount(first, minlength=len(series) + 1)[: len(series)])


def growth(coverage: Coverage, series: Sequence[Series]) -> Growth:
    """Return the averages over all series."""
    totals, averages, smooths, settled, beginnings = [], [], [], [], []
    for one in series:
        curve = cumulative(coverage, one)
        total = int(curve[-1])
        totals.append(total)
        smooths.append(len(np.unique(curve)) / len(one))
        if total:
            averages.append(float(np.mean([len(coverage.executions[number]) for number in one])) / total)
            settled.append((int(np.searchsorted(curve, SETTLED * total)) + 1) / len(one))
            beginnings.append(curve[max(1, round(BEGINNING * len(one))) - 1] / total)
    return Growth(
        total=float(np.mean(totals)),
        average_percent=100 * float(np.mean(averages)) if averages else None,
        smooth_percent=100 * float(np.mean(smooths)),
        settled=float(np.mean(settled)) if settled else None,
        beginning_percent=100 * float(np.mean(beginnings)) if beginnings else None,
    )
