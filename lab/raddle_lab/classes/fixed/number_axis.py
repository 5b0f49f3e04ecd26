"""A numeric axis whose calls exclude each other."""

from __future__ import annotations

from raddle_lab.classes import number_axis
from raddle_lab.classes.one_lock import synchronized


@synchronized
class NumberAxis(number_axis.NumberAxis):
    """A numeric axis with a lock that each method holds."""
