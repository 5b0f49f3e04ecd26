"""Thresholds: how much coverage somebody asked for, and whether it was reached."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from raddle.criteria import resolve
from raddle.errors import UsageError
from raddle.report.coverage import Row
from raddle.report.numbers import percent_text, total_text
from raddle.tally import ESTIMATED
from raddle.wording import count


@dataclass(frozen=True, slots=True)
class Threshold:
    """So much of a criterion is wanted.

    >>> Threshold.parse("avio-star=62.5")
    Threshold(criterion='avio*', percent=62.5)
    """

    criterion: str
    percent: float

    @classmethod
    def parse(cls, text: str) -> Threshold:
        """From "map=60"."""
        name, _, number = text.partition("=")
        try:
            percent = float(number.strip().removesuffix("%"))
        except ValueError:
            percent = -1.0
        if not 0 <= percent <= 100:
            raise UsageError(
                "bad-threshold", f"a threshold is the name of a criterion and a percentage, as in map=60, not {text!r}"
            )
        named = resolve(name)
        if len(named) != 1:
            raise UsageError(
                "bad-threshold", f"{text!r} is about {len(named)} criteria; give each its own --fail-under"
            )
        return cls(named[0], percent)


REACHED, BELOW, NOTHING = "reached", "below", "nothing to cover"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a threshold was reached, and a sentence that says so."""

    outcome: str  # REACHED, BELOW or NOTHING
    sentence: str


def judge(rows: Sequence[Row], thresholds: Iterable[Threshold]) -> list[Verdict]:
    """One verdict for each; nobody can judge where something was covered and the total is unknown."""
    by_name = {row.name: row for row in rows}
    return [_verdict(by_name[threshold.criterion], threshold.percent) for threshold in thresholds]


def _verdict(row: Row, wanted: float) -> Verdict:
    if row.nothing:
        return Verdict(NOTHING, f"nothing to cover by {row.name}, of which {wanted:g} % was asked for")
    if row.percent is None:
        raise UsageError(
            "total-unknown",
            f"--fail-under {row.name}={wanted:g} cannot be judged: the total of {row.name} is not known after "
            f"{count(row.executions, 'execution')}; run more, or name another criterion",
        )
    guess = " by estimate" if row.total.kind == ESTIMATED else ""
    said = f"{row.name}: {row.covered:,} of {total_text(row)} is {percent_text(row)}{guess}"
    if row.percent >= wanted:
        return Verdict(REACHED, f"{said}, and {wanted:g} % was asked for")
    return Verdict(BELOW, f"{said}, below the {wanted:g} % asked for")
