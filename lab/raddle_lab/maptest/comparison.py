"""The statistics that compare two methods, as the paper uses them, and an effect size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, log
from statistics import fmean, median
from typing import NamedTuple

from scipy.stats import wilcoxon

SIGNIFICANT = 0.05
NOTICEABLE = 2.0  # a speed-up above this is noticeable, according to the paper


def speedup(one: float, other: float) -> float:
    """Return how many times faster the first method is than the second; negative if it is slower.

    >>> speedup(20.0, 50.0), speedup(50.0, 20.0), speedup(3.0, 3.0)
    (2.5, -2.5, 1.0)
    """
    return other / one if one <= other else -(one / other)


def ratio(signed: float) -> float:
    """Return the ratio of the times for a signed speed-up.

    >>> ratio(4.0), ratio(-4.0)
    (4.0, 0.25)
    """
    return signed if signed > 0 else -1 / signed


def p_value(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the p-value of the Wilcoxon signed-rank test; None without pairs. The i-th values are a pair.

    As in the paper, the test is two-sided, pairs of equal values are dropped, and the normal approximation has a
    continuity correction.

    >>> round(p_value(range(10), range(1, 20, 2)), 3), p_value([1, 2], [1, 2])
    (0.006, 1.0)
    """
    if not one:
        return None
    if all(a == b for a, b in zip(one, other, strict=True)):
        return 1.0
    return float(wilcoxon(one, other, correction=True, method="approx").pvalue)


def a12(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the probability that a run of the first method takes less time than one of the second.

    This is the effect size of Vargha and Delaney. Equal times count as half. The published tables have no effect size.

    >>> a12([1, 2], [3, 4]), a12([1, 3], [2, 3])
    (1.0, 0.625)
    """
    if not one or not other:
        return None
    return fmean(1.0 if a < b else 0.5 if a == b else 0.0 for a in one for b in other)


class SpeedupSummary(NamedTuple):
    """What the paper says about the speed-ups of one method over another, for all classes."""

    classes: int
    faster: int
    faster_significantly: int
    noticeably_faster: int
    noticeably_faster_significantly: int
    noticeably_slower: int
    mean: float  # of the signed speed-ups
    mean_ratio: float
    geometric_mean: float
    median: float  # of the signed speed-ups
    maximum: float


def summarize(compared: Iterable[tuple[float, float | None]]) -> SpeedupSummary | None:
    """Summarize signed speed-ups, each with its p-value; None if there are none. Equal times count as faster."""
    rows = list(compared)
    if not rows:
        return None
    signed = [value for value, _ in rows]
    significant = [value for value, p in rows if p is not None and p < SIGNIFICANT]
    return SpeedupSummary(
        classes=len(rows),
        faster=sum(value >= 1 for value in signed),
        faster_significantly=sum(value >= 1 for value in significant),
        noticeably_faster=sum(value > NOTICEABLE for value in signed),
        noticeably_faster_significantly=sum(value > NOTICEABLE for value in significant),
        noticeably_slower=sum(value < -NOTICEABLE for value in signed),
        mean=fmean(signed),
        mean_ratio=fmean(map(ratio, signed)),
        geometric_mean=exp(fmean(log(ratio(value)) for value in signed)),
        median=median(signed),
        maximum=max(signed),
    )
