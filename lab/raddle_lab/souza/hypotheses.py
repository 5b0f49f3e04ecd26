"""The hypothesis tests of Tables IX to XII.

The paper computed them with R: `wilcox.test` uses a continuity correction by default, which the paper switched off in
Table IX, and `t.test` does not assume equal variances (Welch).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scipy import stats

ALTERNATIVES = ("two-sided", "less", "greater")
SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of a test: its statistic, and the p-value for each alternative."""

    statistic: float
    p_values: tuple[float, float, float]  # in the order of `ALTERNATIVES`
    degrees_of_freedom: float | None = None

    @property
    def two_sided(self) -> float:
        """The p-value for the two-sided alternative."""
        return self.p_values[0]

    @property
    def is_rejected(self) -> bool:
        """Whether the null hypothesis is rejected at the level of 5 %."""
        return self.two_sided < SIGNIFICANT


def rank_sum(sample: Sequence[float], other: Sequence[float], *, correction: bool) -> Comparison:
    """Compare two samples with the Wilcoxon rank sum test; the statistic is R's W.

    >>> rank_sum([1, 2], [3, 4], correction=False).statistic
    0.0
    """
    results = [
        stats.mannwhitneyu(sample, other, alternative=one, method="asymptotic", use_continuity=correction)
        for one in ALTERNATIVES
    ]
    first, second, third = (float(result.pvalue) for result in results)
    return Comparison(float(results[0].statistic), (first, second, third))


def welch(sample: Sequence[float], other: Sequence[float]) -> Comparison:
    """Compare the means of two samples with Welch's t-test."""
    results = [stats.ttest_ind(sample, other, equal_var=False, alternative=one) for one in ALTERNATIVES]
    first, second, third = (float(result.pvalue) for result in results)
    return Comparison(float(results[0].statistic), (first, second, third), float(results[0].df))


def normality(sample: Sequence[float]) -> float:
    """Return the p-value of the Shapiro-Wilk test; below 0.05, the sample is not normally distributed."""
    return float(stats.shapiro(sample).pvalue)


def variance_ratio(sample: Sequence[float], other: Sequence[float]) -> float:
    """Return the two-sided p-value of the F-test that two samples have the same variance."""
    ratio = float(stats.tvar(sample) / stats.tvar(other))
    below = float(stats.f.cdf(ratio, len(sample) - 1, len(other) - 1))
    return 2 * min(below, 1 - below)
