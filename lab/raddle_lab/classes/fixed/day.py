"""Days as time periods."""

from __future__ import annotations

import datetime

from raddle_lab.classes import day
from raddle_lab.classes.one_lock import synchronized


class DateFormat(day.DateFormat):
    """A date format that keeps no state between calls: each call parses with its own format object."""

    def parse(self, text: str) -> datetime.date:
        return day.DateFormat(self.order, self.separator).parse(text)


@synchronized
class Day(day.Day):
    """A calendar day whose class methods share no state."""

    DATE_FORMAT = DateFormat("ymd", "-")
    DATE_FORMAT_SHORT = DateFormat("mdy", "/")
