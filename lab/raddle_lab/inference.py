"""What a mean over a few subjects is worth: its interval, and how likely it is by chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RESAMPLES = 10_000
SURE = 0.95


def sign_flip_p(values: Sequence[float]) -> float | None:
    """How likely a mean so far from 0 is if the sign of each value is a coin's; None where there are no values.

    >>> sign_flip_p([0.1, 0.2, 0.3])  # of the 8 combinations of signs, two have a mean of 0.2 or more either way
    0.25
    """
    if not values:
        return None
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return float(np.mean(np.abs(sums) >= abs(sum(values)) - 1e-12))


def interval(values: Sequence[float], *, seed: int) -> tuple[float, float] | None:
    """In which the mean lies with 95 %: by drawing as many values again and again (percentile bootstrap).

    >>> interval([0.5, 0.5, 0.5], seed=1)
    (0.5, 0.5)
    """
    if not values:
        return None
    generator = np.random.Generator(np.random.PCG64(seed))
    drawn = generator.choice(np.array(values), size=(RESAMPLES, len(values)))
    low, high = np.quantile(drawn.mean(axis=1), [(1 - SURE) / 2, (1 + SURE) / 2])
    return float(low), float(high)
