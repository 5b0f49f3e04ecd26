"""Coverage thresholds from `--fail-under`, and whether the coverage reaches them."""

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
    """The minimum coverage required for one criterion, as a percentage.

    >>> Threshold.parse("avio-star=62.5")
    Threshold(criterion='avio*', percent=62.5)
    """

    criterion: str
    percent: float

    @classmethod
    def parse(cls, text: str) -> Threshold:
        """Parse a threshold such as "map=60"."""
        name, _, number = text.partition("=")
        try:
            percent = float(number.strip().removesuffix("%"))
        except ValueError:
            percent = -1.0
        if not 0 <= percent <= 100:
            raise UsageError(
                "bad-threshold", f"{text!r} is not a threshold: give a criterion and a percentage, as in map=60"
            )
        named = resolve(name)
        if len(named) != 1:
            raise UsageError(
                "bad-threshold", f"{text!r} names {len(named)} criteria; give each of them its own --fail-under"
            )
        return cls(named[0], percent)


REACHED, BELOW, NOTHING = "reached", "below", "nothing to cover"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of checking one threshold, with a sentence for the report."""

    outcome: str  # REACHED, BELOW or NOTHING
    sentence: str


def judge(rows: Sequence[Row], thresholds: Iterable[Threshold]) -> list[Verdict]:
    """Return a verdict for each threshold; raise `UsageError` if the total of a criterion is unknown."""
    by_name = {row.name: row for row in rows}
    return [_verdict(by_name[threshold.criterion], threshold.percent) for threshold in thresholds]


def _verdict(row: Row, wanted: float) -> Verdict:
    if row.nothing:
        return Verdict(NOTHING, f"nothing to cover for {row.name}, so its threshold of {wanted:g} % does not apply")
    if row.percent is None:
        raise UsageError(
            "total-unknown",
            f"--fail-under {row.name}={wanted:g} cannot be checked: the total of {row.name} is unknown after "
            f"{count(row.executions, 'execution')}; run more executions or choose another criterion",
        )
    guess = " by estimate" if row.total.kind == ESTIMATED else ""
    measured = f"{row.name}: {row.covered:,} of {total_text(row)} is {percent_text(row)}{guess}"
    if row.percent >= wanted:
        return Verdict(REACHED, f"{measured}, which reaches the threshold of {wanted:g} %")
    return Verdict(BELOW, f"{measured}, below the threshold of {wanted:g} %")
