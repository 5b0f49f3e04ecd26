"""A time series whose calls exclude each other."""

from __future__ import annotations

from raddle_lab.classes import time_series
from raddle_lab.classes.one_lock import synchronized


@synchronized
class TimeSeries(time_series.TimeSeries):
    """A time series with a lock that each method holds."""
