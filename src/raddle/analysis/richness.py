"""How many requirements there are in all, judged by how often the covered ones were covered.

Ecologists ask the same of species: what was met only once tells how much was never met. This is Chao2 (Chao
1987, for species recommended by Colwell and Coddington 1994) in the form corrected for bias, with the log-normal
interval of 95 %; the variances are those of the manual of EstimateS, appendix B. Executions stand for the
samples: it matters in how many of them a requirement was covered, not how often within one.

What it supposes is that executions are drawn alike. A search that shuns what it has seen finds more rare ones
than chance would, and the estimate is then too high; if some requirements are much rarer than all that were
covered, it is too low.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import ceil, exp, floor, log, sqrt

from raddle.tally import ESTIMATED, UNKNOWN, Total

_Z = 1.96  # standard deviations around the middle of a normal distribution that hold 95 % of it


def estimate(counts: Iterable[int], executions: int) -> Total:
    """The number of all requirements, from the number of executions that covered each covered one.

    One execution says nothing about the rest: the total is unknown then. The total is never less than what was
    covered, and the same if at most one requirement was covered only once.

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
    """How probable it is, at most, that the next execution covers something new (Good and Turing).

    Requirements covered once, divided by executions, is how many new ones the next execution should bring. The
    chance of any is that number where they come one by one, and less where they come together; so this is an
    upper bound. Before the first execution it is 1.

    >>> chance_of_new([1, 1, 4, 7], 10), chance_of_new([3, 4], 10), chance_of_new([], 0)
    (0.2, 0.0, 1.0)
    """
    covered = _checked(counts, executions)
    if executions == 0:
        return 1.0
    return min(1.0, sum(1 for count in covered if count == 1) / executions)


def interval(counts: Iterable[int], executions: int) -> tuple[float, float, float]:
    """Chao2, and the ends of its interval of 95 %.

    >>> [round(end, 2) for end in interval([1, 1, 1, 1, 2, 2, 5, 9], 10)]
    [9.8, 8.22, 22.64]
    """
    covered = _checked(counts, executions)
    if executions < 2 or not covered:
        raise ValueError("nothing can be estimated from less than two executions, or from nothing covered")
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
    # The log-normal interval has no width where nothing seems unseen. Then the chance to have missed one that is
    # as frequent as the covered ones are on average gives the ends.
    missed = exp(-incidences / observed)
    middle, reach = observed / (1 - missed), _Z * sqrt(observed * missed / (1 - missed))
    return max(observed, middle - reach), middle + reach


def _checked(counts: Iterable[int], executions: int) -> list[int]:
    covered = [count for count in counts if count]
    for count in covered:
        if not 0 < count <= executions:
            raise ValueError(f"a requirement cannot be covered by {count} of {executions} executions")
    return covered
