"""The human-readable benchmark table."""

import table
from comparison import Comparison


def test_the_table_shows_rates_ratios_and_failures() -> None:
    comparison = Comparison(["one", "two"], {"raddle": "raddle", "peer-random": "peer"})
    comparison.add("one", "raddle", rate=12345.6)
    comparison.add("two", "raddle", rate=300)
    comparison.add("one", "peer-random", rate=100)
    comparison.fail("two", "peer-random", reason="it broke")
    assert table.text(comparison).splitlines() == [
        "executions/s     one  two",
        "raddle        12,346  300",
        "peer-random      100    -",
        "",
        "ratio            one  two  median",
        "raddle / peer  123.5    -       -",
        "",
        "peer-random failed two in 1 round: it broke",
    ]


def test_there_are_no_ratios_without_raddle() -> None:
    comparison = Comparison(["one"], {"plain": "plain"})
    comparison.add("one", "plain", rate=1)
    assert "ratio" not in table.text(comparison)
