"""A series of points whose calls exclude each other."""

from __future__ import annotations

from raddle_lab.classes import xy_series
from raddle_lab.classes.one_lock import synchronized


@synchronized
class XYSeries(xy_series.XYSeries):
    """A series of points with a lock that each method holds."""
