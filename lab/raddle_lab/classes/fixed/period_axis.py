"""An axis of time periods whose calls exclude each other."""

from __future__ import annotations

from raddle_lab.classes import period_axis
from raddle_lab.classes.one_lock import synchronized


@synchronized
class PeriodAxis(period_axis.PeriodAxis):
    """An axis of time periods with a lock that each method holds."""
