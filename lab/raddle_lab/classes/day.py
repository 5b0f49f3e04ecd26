"""Days as time periods."""

from __future__ import annotations

import datetime

FIRST_YEAR = 1900
LAST_YEAR = 9999
DAY_MS = 24 * 60 * 60 * 1000
HOUR_MS = 60 * 60 * 1000

_EPOCH = datetime.date(1970, 1, 1).toordinal()
_DAY_ZERO = datetime.date(1899, 12, 30).toordinal()  # serial number 2 is January 1, 1900, as in spreadsheets


class ParseError(Exception):
    """A text is not a date."""


class DateFormat:
    """Reads and writes dates as three numbers, for example "2024-02-29"."""

    def __init__(self, order: str, separator: str) -> None:
        self.order = order  # the letters "d", "m" and "y" in the order in which the numbers are written
        self.separator = separator
        self._digits: list[str] = []
        self._year = FIRST_YEAR
        self._month = 1
        self._day = 1

    def format(self, date: datetime.date) -> str:
        """Return the text for a date."""
        texts = {"d": f"{date.day:02}", "m": f"{date.month:02}", "y": f"{date.year:04}"}
        return self.separator.join(texts[letter] for letter in self.order)

    def parse(self, text: str) -> datetime.date:
        """Return the date that a text represents; raise `ParseError` if it represents none."""
        self._clear()
        position = 0
        for letter in self.order:
            if position:
                position = self._skip_separator(text, position)
            position = self._read_digits(text, position)
            self._set_field(letter, self._number())
        if position != len(text):
            raise ParseError(f"{text!r} continues after the date")
        return self._date()

    def _clear(self) -> None:
        self._digits.clear()
        self._year, self._month, self._day = FIRST_YEAR, 1, 1

    def _skip_separator(self, text: str, position: int) -> int:
        if not text.startswith(self.separator, position):
            raise ParseError(f"{text!r} has no {self.separator!r} at position {position}")
        return position + len(self.separator)

    def _read_digits(self, text: str, position: int) -> int:
        """Collect the digits that start at a position, and return the position after them."""
        self._digits.clear()
        while position < len(text) and text[position] in "0123456789":
            self._digits.append(text[position])
            position += 1
        if not self._digits:
            raise ParseError(f"{text!r} has no digit at position {position}")
        return position

    def _number(self) -> int:
        return int("".join(self._digits))

    def _set_field(self, letter: str, number: int) -> None:
        if letter == "d":
            self._day = number
        elif letter == "m":
            self._month = number
        else:
            self._year = number

    def _date(self) -> datetime.date:
        if not FIRST_YEAR <= self._year <= LAST_YEAR:
            raise ParseError(f"year {self._year} is not between {FIRST_YEAR} and {LAST_YEAR}")
        try:
            return datetime.date(self._year, self._month, self._day)
        except ValueError as error:
            raise ParseError(str(error)) from error


class Day:
    """A calendar day between 1900 and 9999, as a period of time.

    Days can be shared between threads, and all class methods can be called by several threads at once. Milliseconds
    count from the start of 1970 in UTC.
    """

    DATE_FORMAT = DateFormat("ymd", "-")
    DATE_FORMAT_SHORT = DateFormat("mdy", "/")
    DATE_FORMAT_MEDIUM = DateFormat("dmy", ".")
    DATE_FORMAT_LONG = DateFormat("dmy", " ")

    def __init__(self, day: int, month: int, year: int) -> None:
        if not FIRST_YEAR <= year <= LAST_YEAR:
            raise ValueError(f"the year must be between {FIRST_YEAR} and {LAST_YEAR}, not {year}")
        self._serial_date = datetime.date(year, month, day)
        self._first_ms = 0
        self._last_ms = 0
        self.peg(0)

    @classmethod
    def from_date(cls, date: datetime.date) -> Day:
        """Return the day of a date."""
        return cls(date.day, date.month, date.year)

    @classmethod
    def parse_day(cls, text: str) -> Day | None:
        """Return the day that a text such as "2024-02-29" or "02/29/2024" represents, or None."""
        try:
            return cls.from_date(cls.DATE_FORMAT.parse(text))
        except ParseError:
            pass
        try:
            return cls.from_date(cls.DATE_FORMAT_SHORT.parse(text))
        except ParseError:
            return None

    def get_serial_date(self) -> datetime.date:
        return self._serial_date

    def get_year(self) -> int:
        return self._serial_date.year

    def get_month(self) -> int:
        return self._serial_date.month

    def get_day_of_month(self) -> int:
        return self._serial_date.day

    def get_serial_index(self) -> int:
        """Return the number of the day; January 1, 1900 has number 2."""
        return self._serial_date.toordinal() - _DAY_ZERO

    def peg(self, offset_hours: int) -> None:
        """Compute the first and the last millisecond for a time zone."""
        self._first_ms = (self._serial_date.toordinal() - _EPOCH) * DAY_MS - offset_hours * HOUR_MS
        self._last_ms = self._first_ms + DAY_MS - 1

    def get_first_millisecond(self) -> int:
        return self._first_ms

    def get_last_millisecond(self) -> int:
        return self._last_ms

    def get_middle_millisecond(self) -> int:
        return self.get_first_millisecond() + (self.get_last_millisecond() - self.get_first_millisecond()) // 2

    def get_start(self) -> datetime.datetime:
        """Return the first moment of the day."""
        return datetime.datetime.combine(self._serial_date, datetime.time.min)

    def get_end(self) -> datetime.datetime:
        """Return the last moment of the day."""
        return datetime.datetime.combine(self._serial_date, datetime.time.max)

    def previous(self) -> Day | None:
        """Return the day before, or None if it is before 1900."""
        if self._serial_date == datetime.date(FIRST_YEAR, 1, 1):
            return None
        return self.from_date(self._serial_date - datetime.timedelta(days=1))

    def next(self) -> Day | None:
        """Return the day after, or None if it is after 9999."""
        if self._serial_date == datetime.date(LAST_YEAR, 12, 31):
            return None
        return self.from_date(self._serial_date + datetime.timedelta(days=1))

    def compare_to(self, other: Day) -> int:
        """Return the number of days from the other day to this one."""
        return self.get_serial_index() - other.get_serial_index()

    def format_short(self) -> str:
        return self.DATE_FORMAT_SHORT.format(self._serial_date)

    def format_medium(self) -> str:
        return self.DATE_FORMAT_MEDIUM.format(self._serial_date)

    def format_long(self) -> str:
        return self.DATE_FORMAT_LONG.format(self._serial_date)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Day):
            return NotImplemented
        return self._serial_date == other._serial_date

    def __hash__(self) -> int:
        return hash(self._serial_date)

    def __str__(self) -> str:
        return self.DATE_FORMAT.format(self._serial_date)

    def __repr__(self) -> str:
        return f"Day({self.get_day_of_month()}, {self.get_month()}, {self.get_year()})"
