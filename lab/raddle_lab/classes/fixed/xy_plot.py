"""A plot whose calls exclude each other."""

from __future__ import annotations

from raddle_lab.classes import xy_plot
from raddle_lab.classes.one_lock import synchronized


@synchronized
class XYPlot(xy_plot.XYPlot):
    """A plot with a lock that each method holds."""
