"""The verdict: does a metric suit saturation-based testing?

The paper gives it by looking at curves. Here it is a rule, on how long it takes until 95 % of what a series covers
is covered (`Growth.settled`):

* within the first tenth of the series: saturates at once (the paper: "increases only within approximately the
  first 200 executions" of 2,000);
* later than after three quarters of it: hardly saturates, as it was still growing when the series ended;
* in between: it grows for a while and then stabilises, so it suits saturation.

A case in which the metric has no tasks does not count. Over all cases, the median counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from raddle_lab.published import AT_ONCE, HARDLY, SUITS

SOON = 0.10
LATE = 0.75
NOTHING = "nothing to cover"


def verdict(settled: float | None) -> str:
    """In one case.

    >>> verdict(0.02), verdict(0.4), verdict(0.9), verdict(None)
    ('saturates at once', 'suits saturation', 'hardly saturates', 'nothing to cover')
    """
    if settled is None:
        return NOTHING
    if settled <= SOON:
        return AT_ONCE
    return HARDLY if settled > LATE else SUITS


def overall(settled: Iterable[float | None]) -> str:
    """In all cases.

    >>> overall([0.02, None, 0.4, 0.5])
    'suits saturation'
    """
    known = [share for share in settled if share is not None]
    return verdict(median(known) if known else None)
