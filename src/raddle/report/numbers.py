"""Human-readable formats for the numbers of a report."""

from __future__ import annotations

import math

from raddle.report.coverage import Row
from raddle.tally import ESTIMATED, PRUNED

LONGEST = 10**15  # integers from this number on are shown as powers of ten


def percent_text(row: Row) -> str:
    """Format the percentage covered. Partial coverage is never rounded to 0 % or 100 %.

    >>> from raddle.tally import Total
    >>> [percent_text(Row("map", n, Total(3000, "static"), Total(3000, "static"), 1, 0)) for n in (0, 1, 2999, 3000)]
    ['0 %', '< 0.1 %', '99.9 %', '100 %']
    """
    if row.percent is None:
        return "-"
    if row.covered == 0 or row.covered == row.total.number:
        return f"{row.percent:.0f} %"
    return "< 0.1 %" if row.percent < 0.1 else f"{math.floor(row.percent * 10) / 10:.1f} %"


def total_text(row: Row) -> str:
    """Format the total, followed by its kind.

    >>> from raddle.tally import Total
    >>> total_text(Row("map", 3, Total(12, "pruned"), Total(16, "static"), 1, 0))
    '12 (pruned from 16)'
    """
    total = row.total
    if total.number is None:
        return total.kind
    if row.nothing:
        return "nothing to cover" if total.kind != ESTIMATED else "nothing to cover so far"
    kind = total.kind
    if total.kind == PRUNED and row.static_total.number is not None:
        kind += f" from {number_text(row.static_total.number)}"
    if total.low is not None and total.high is not None:
        kind += f", {number_text(total.low)} to {number_text(total.high)}"
    if row.raised:
        kind += ", raised"
    return f"{number_text(total.number)} ({kind})"


def out_of_text(row: Row) -> str:
    """Return " of" and the total, for use after the number covered, or "" if the total is unknown or estimated.

    >>> from raddle.tally import Total
    >>> out_of_text(Row("map", 3, Total(16, "static"), Total(16, "static"), 1, 0))
    ' of 16 (static)'
    >>> out_of_text(Row("sync", 3, Total(4, "estimated", 3, 9), Total(None, "unknown"), 5, 0))
    ''
    """
    known = row.total.number is not None and row.total.kind != ESTIMATED and not row.nothing
    return f" of {total_text(row)}" if known else ""


def number_text(number: int) -> str:
    """Format an integer with commas, or as a power of ten if it is `LONGEST` or greater.

    >>> number_text(63_063_000), number_text(7**400)
    ('63,063,000', 'about 10^338')
    """
    return f"{number:,}" if number < LONGEST else f"about 10^{int(math.log10(number))}"
