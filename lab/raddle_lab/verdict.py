"""The verdict: whether a metric suits saturation-based testing.

The paper's authors judge by looking at curves. Here the verdict follows from how long a series takes to reach 95 % of
its coverage (`Growth.settled`):

* within the first tenth of the series: the metric saturates at once (the paper: "increases only within approximately
  the first 200 executions" of 2,000);
* after more than three quarters: the metric hardly saturates, since it was still growing when the series ended;
* in between: the metric grows for a while and then stabilizes, so it suits saturation.

Cases in which the metric has no tasks do not count. The overall verdict uses the median over the cases.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from raddle_lab.published import AT_ONCE, HARDLY, SUITS

SOON = 0.10  # share of a series; a metric that settles within this share saturates at once
LATE = 0.75  # share of a series; a metric that settles later than this hardly saturates
NOTHING = "nothing to cover"


def verdict(settled: float | None) -> str:
    """Return the verdict for one case.

    >>> verdict(0.02), verdict(0.4), verdict(0.9), verdict(None)
    ('saturates at once', 'suits saturation', 'hardly saturates', 'nothing to cover')
    """
    if settled is None:
        return NOTHING
    if settled <= SOON:
        return AT_ONCE
    return HARDLY if settled > LATE else SUITS


def overall(settled: Iterable[float | None]) -> str:
    """Return the verdict over all cases.

    >>> overall([0.02, None, 0.4, 0.5])
    'suits saturation'
    """
    known = [share for share in settled if share is not None]
    return verdict(median(known) if known else None)
