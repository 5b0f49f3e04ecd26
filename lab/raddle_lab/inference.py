"""Statistics of a mean over a few subjects: its confidence interval and its p-value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RESAMPLES = 10_000  # bootstrap samples
CONFIDENCE = 0.95  # confidence level of intervals


def sign_flip_p(values: Sequence[float]) -> float | None:
    """Return the p-value of the mean, or None if there are no values.

    The p-value is the probability that random signs give a mean at least as far from 0 as that of `values`.


    >>> sign_flip_p([0.1, 0.2, 0.3])  # 2 of the 8 combinations of signs have a mean of at least 0.2 or at most -0.2
    0.25
    """
    if not values:
        return None
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return float(np.mean(np.abs(sums) >= abs(sum(values)) - 1e-12))


def interval(values: Sequence[float], *, seed: int) -> tuple[float, float] | None:
    """Return the 95 % confidence interval of the mean (percentile bootstrap), or None if there are no values.

    >>> interval([0.5, 0.5, 0.5], seed=1)
    (0.5, 0.5)
    """
    if not values:
        return None
    generator = np.random.Generator(np.random.PCG64(seed))
    drawn = generator.choice(np.array(values), size=(RESAMPLES, len(values)))
    low, high = np.quantile(drawn.mean(axis=1), [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)
