"""Estimates the total number of requirements from the number of executions that covered each one.

Ecologists estimate the number of species in the same way: the number of species observed only once indicates how many
were never observed. This is the bias-corrected Chao2 estimator (Chao 1987, recommended by Colwell and Coddington
1994) with the log-normal 95 % interval. The formulas for the variance are from appendix B of the EstimateS manual.
Executions are the samples: only the number of executions that covered a requirement counts, not how often each
execution covered it.

The estimator assumes that all executions are drawn from the same distribution. A search may avoid requirements that it
has already covered. It then finds a larger share of the rare requirements than random executions would, so the estimate
is too high. If some requirements are much rarer than all covered ones, the estimate is too low.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import ceil, exp, floor, log, sqrt

from raddle.tally import ESTIMATED, UNKNOWN, Total

_Z = 1.96  # 95 % of a normal distribution is within this many standard deviations of the mean


def estimate(counts: Iterable[int], executions: int) -> Total:
    """Estimate the total number of requirements.

    For each covered requirement, `counts` contains the number of executions that covered it. After a single execution,
    the total is unknown. The estimate is never less than the number of covered requirements, and it is equal to that
    number if at most one requirement was covered by exactly one execution.

    >>> str(estimate([1, 1, 1, 1, 2, 2, 5, 9], 10))  # 8 + 9/10 · 4·3 / (2·3) = 9.8
    '10 (estimated, 8 to 23)'
    >>> str(estimate([1, 1, 1, 1], 1))
    'unknown'
    """
    covered = _checked(counts, executions)
    if executions < 2:
        return Total(None, UNKNOWN)
    if not covered:
        return Total(0, ESTIMATED, 0, 0)
    observed = len(covered)
    middle, low, high = interval(covered, executions)
    number = max(observed, round(middle))
    return Total(number, ESTIMATED, min(number, max(observed, floor(low))), max(number, ceil(high)))


def chance_of_new(counts: Iterable[int], executions: int) -> float:
    """Return an upper bound on the probability that the next execution covers anything new (Good and Turing).

    The number of requirements covered by exactly one execution, divided by the number of executions, is the expected
    number of requirements that the next execution newly covers. The probability of covering any new requirement is at
    most that number, and less if new requirements are usually covered together. Before the first execution, the bound
    is 1.

    >>> chance_of_new([1, 1, 4, 7], 10), chance_of_new([3, 4], 10), chance_of_new([], 0)
    (0.2, 0.0, 1.0)
    """
    covered = _checked(counts, executions)
    if executions == 0:
        return 1.0
    return min(1.0, sum(1 for count in covered if count == 1) / executions)


def interval(counts: Iterable[int], executions: int) -> tuple[float, float, float]:
    """Return the Chao2 estimate and the two ends of its 95 % interval.

    >>> [round(end, 2) for end in interval([1, 1, 1, 1, 2, 2, 5, 9], 10)]
    [9.8, 8.22, 22.64]
    """
    covered = _checked(counts, executions)
    if executions < 2 or not covered:
        raise ValueError("an estimate needs at least two executions and at least one covered requirement")
    observed, times = len(covered), Counter(covered)
    once, twice, factor = times[1], times[2], (executions - 1) / executions
    unseen = factor * once * (once - 1) / (2 * (twice + 1))
    if unseen == 0:
        return observed, *_ends_if_all_seen(observed, sum(covered))
    spread = _variance(once, twice, factor, observed + unseen)
    stretch = exp(_Z * sqrt(log(1 + spread / unseen**2)))
    return observed + unseen, observed + unseen / stretch, observed + unseen * stretch


def _variance(once: int, twice: int, factor: float, estimated: float) -> float:
    if twice == 0:
        return (
            factor * once * (once - 1) / 2
            + factor**2 * once * (2 * once - 1) ** 2 / 4
            - factor**2 * once**4 / (4 * estimated)
        )
    return (
        factor * once * (once - 1) / (2 * (twice + 1))
        + factor**2 * once * (2 * once - 1) ** 2 / (4 * (twice + 1) ** 2)
        + factor**2 * once**2 * twice * (once - 1) ** 2 / (4 * (twice + 1) ** 4)
    )


def _ends_if_all_seen(observed: int, incidences: int) -> tuple[float, float]:
    # If everything seems to be covered, the log-normal interval has zero width. In that case, the interval is derived
    # from the probability of missing a requirement that is as frequent as the average covered requirement.
    missed = exp(-incidences / observed)
    middle, reach = observed / (1 - missed), _Z * sqrt(observed * missed / (1 - missed))
    return max(observed, middle - reach), middle + reach


def _checked(counts: Iterable[int], executions: int) -> list[int]:
    covered = [count for count in counts if count]
    for count in covered:
        if not 0 < count <= executions:
            raise ValueError(f"a requirement cannot be covered by {count} of {executions} executions")
    return covered
