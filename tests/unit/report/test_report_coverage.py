"""Coverage by criterion and by file: totals, missing requirements, thresholds and tables."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, product

import pytest
from fake_criterion import LOG, READ4, READ5, READ7, WRITE8, WRITE9, Pairs, Unlisted, contents

from raddle.criteria.observed_accesses import ObservedAccesses
from raddle.errors import UsageError
from raddle.pruning_facts import LockDiscipline, OwnerFacts, PruningFacts
from raddle.record import Record
from raddle.report import coverage
from raddle.report.coverage import as_json, contents_of, rows
from raddle.report.files import ELSEWHERE, Cell, by_file
from raddle.report.missing import missing
from raddle.report.numbers import number_text, percent_text, total_text
from raddle.report.tables import criteria_table, file_tables, legend, missing_lines
from raddle.report.threshold import BELOW, NOTHING, REACHED, Threshold, judge
from raddle.site import INDEX_BITS
from raddle.static_model import Accesses, StaticModel
from raddle.tally import Tally, Total
from raddle.warning import ReportedWarning

PAIRS = {"pairs": Pairs()}


def row_of(given, criterion=None):
    (row,) = rows(given, criteria={"pairs": criterion or Pairs()})
    return row


# -- totals ----------------------------------------------------------------------------------------------


def test_a_total_can_be_static():
    row = row_of(contents([(READ4, WRITE9)]))
    assert (row.covered, row.total, row.static_total) == (1, Total(3, "static"), Total(3, "static"))
    assert row.percent == pytest.approx(100 / 3)
    assert (percent_text(row), total_text(row)) == ("33.3 %", "3 (static)")


def test_a_total_can_be_pruned():
    row = row_of(contents([(READ4, WRITE9)]), Pairs(impossible=[(READ5, WRITE9)]))
    assert (row.total, row.static_total.number) == (Total(2, "pruned"), 3)
    assert total_text(row) == "2 (pruned from 3)"


def test_an_exhausted_search_gives_an_exact_total():
    row = row_of(contents([(READ4, WRITE9), (READ7, WRITE8)], exact=True))
    assert (row.total, row.percent) == (Total(2, "exact"), 100)
    assert (percent_text(row), total_text(row)) == ("100 %", "2 (exact)")


def test_a_total_can_be_estimated():
    # The bias-corrected Chao2 estimate is 3 + 3/4 · 2·1 / (2·(0 + 1)) = 3.75, rounded up to 4.
    counts = {(READ4, WRITE9): (1, 1), (READ5, WRITE9): (1, 2), (READ7, WRITE8): (4, 1)}
    row = row_of(contents(counts, executions=4), Unlisted())
    assert (row.total.number, row.total.kind, row.static_total.number) == (4, "estimated", None)
    assert row.total.low <= 4 <= row.total.high
    assert row.percent == 75


def test_two_executions_are_too_few_for_an_estimate():
    row = row_of(contents([(READ4, WRITE9)], executions=2), Unlisted())
    assert (row.total, row.percent) == (Total(None, "unknown"), None)
    assert (percent_text(row), total_text(row)) == ("-", "unknown")


def test_a_covered_requirement_outside_the_model_raises_the_total():
    # (READ4, WRITE8) is covered but is not one of the model's three requirements, so the total is raised to four.
    row = row_of(contents([(READ4, WRITE9), (READ4, WRITE8)]))
    assert (row.covered, row.total.number, row.raised, row.percent) == (2, 4, True, 50)
    assert total_text(row) == "4 (static, raised)"
    assert any(line.startswith("raised: ") for line in legend([row]))


def test_a_total_too_large_to_enumerate_is_raised(monkeypatch):
    criterion = Pairs()
    monkeypatch.setattr(criterion, "requirements", lambda model, facts: count())  # an infinite sequence
    keys = list(product([READ4, READ5], [WRITE8, WRITE9]))
    row = row_of(contents(keys), criterion)
    assert (row.covered, row.total.number, row.raised) == (4, 4, True)


def test_without_a_model_the_total_is_estimated():
    row = row_of(contents({(READ4, WRITE9): (3, 1)}, executions=3, model=StaticModel()))
    assert row.total.kind == "estimated"


def test_an_empty_model_leaves_nothing_to_cover():
    row = row_of(contents(model=StaticModel()))
    assert row.nothing
    assert (row.percent, total_text(row), percent_text(row)) == (None, "nothing to cover", "-")


def test_an_unknown_criterion_has_an_estimated_total():
    (row,) = rows(contents([(1,)], executions=5))
    assert (row.name, row.covered, row.total.kind) == ("pairs", 1, "estimated")


def test_a_row_counts_executions_since_the_last_new_requirement():
    row = row_of(contents({(READ4, WRITE9): (2, 3), (READ5, WRITE9): (1, 7)}, executions=20))
    assert (row.executions, row.since_new) == (20, 13)


def test_observed_accesses_give_the_total_of_def_use():
    # T1 reads x and T2 writes it. T1 reads either the initial value or the value that T2 wrote.
    x = ("m.py", "", "x")
    read, write = ("T1", "read", 70001, 1), ("T2", "write", 70002, 1)
    counts = ObservedAccesses(1, {(x, read), (x, write)}, {(x, "initial", read)})
    tally = Tally()
    tally.add(1, "def-use", [(x, "initial", read)])
    record = Record(origin="run app.py", mode="native", tally=tally, sites={}, paths={}, extras={"def-use": counts})
    (row,) = rows(contents_of(record))
    assert (row.covered, row.total, row.percent) == (1, Total(2, "static"), 50)


def test_a_row_as_json():
    assert as_json(row_of(contents([(READ4, WRITE9)], executions=2))) == {
        "covered": 1,
        "total": 3,
        "total_kind": "static",
        "static_total": 3,
        "percent": 33.3333,
        "low": None,
        "high": None,
        "raised": False,
        "executions": 2,
        "since_new": 1,
    }


def test_percentages_are_never_rounded_to_0_or_100():
    def percent(covered, total):
        number = Total(total, "static")
        return percent_text(coverage.Row("x", covered, number, number, 1, 0))

    assert [percent(n, 10_000) for n in (0, 1, 5_000, 9_999, 10_000)] == ["0 %", "< 0.1 %", "50.0 %", "99.9 %", "100 %"]
    assert percent(10, 10**4000) == "< 0.1 %"
    assert number_text(10**4000) == "about 10^4000"


# -- files -----------------------------------------------------------------------------------------------


def test_coverage_is_split_by_file():
    given = contents([(READ4, WRITE9), (READ7, WRITE8)])
    assert by_file(given, [row_of(given)], criteria=PAIRS) == {
        "cart.py": {"pairs": Cell(1, 1)},
        "log.py": {"pairs": Cell(1, 2)},
    }


def test_files_have_no_totals_if_requirements_cannot_be_listed():
    given = contents([(READ4, WRITE9), (LOG << 20, WRITE8)], executions=3)
    criteria = {"pairs": Unlisted()}
    files = by_file(given, rows(given, criteria=criteria), criteria=criteria)
    assert files == {"log.py": {"pairs": Cell(1)}, ELSEWHERE: {"pairs": Cell(1)}}
    assert list(files) == ["log.py", ELSEWHERE]


def test_file_totals_are_exact_if_the_search_was_exhausted():
    given = contents([(READ4, WRITE9)], exact=True)
    assert by_file(given, [row_of(given)], criteria=PAIRS) == {"log.py": {"pairs": Cell(1, 1)}}


# -- missing requirements --------------------------------------------------------------------------------


def gaps(given, criterion=None, **options):
    criteria = {"pairs": criterion or Pairs()}
    (row,) = rows(given, criteria=criteria)
    return missing(given, row, criteria=criteria, **options)


def test_missing_requirements_are_listed_by_file():
    lines = missing_lines(gaps(contents([(READ4, WRITE9)])))
    assert lines == [
        "cart.py:",
        "  not covered yet: a read at cart.py:7 before a write at cart.py:8",
        "log.py:",
        "  not covered yet: a read at log.py:5 before a write at log.py:9",
    ]


def test_the_list_of_missing_requirements_can_be_limited():
    found = gaps(contents(), limit=1)
    assert [gap.file for gap in found.gaps] == ["cart.py"]
    assert found.more == 2
    assert missing_lines(found)[-1] == "... and 2 more; raise --limit to see them"


def test_equal_sentences_for_several_accesses_appear_once():
    """Two reads on line 4 give the same sentence. In JSON the columns distinguish them."""
    second_read = (LOG << INDEX_BITS) + 3
    given = contents()
    sites = {**given.sites, second_read: replace(given.sites[READ4], column=12)}
    variables = {("log.py:Log", "th"): Accesses(frozenset({READ4, second_read}), frozenset({WRITE9}))}
    found = gaps(replace(given, sites=sites, model=StaticModel(variables)))
    sentence = "not covered yet: a read at log.py:4 before a write at log.py:9"
    assert missing_lines(found) == ["log.py:", f"  {sentence} (2 times: these lines have several accesses)"]
    assert sorted(gap.as_json()["columns"] for gap in found.gaps) == [[1, 1], [13, 1]]


def test_infeasible_requirements_are_counted():
    found = gaps(contents([(READ4, WRITE9)]), Pairs(impossible=[(READ5, WRITE9)]))
    assert [gap.key for gap in found.gaps] == [(READ7, WRITE8)]
    (remark,) = found.remarks
    assert remark.startswith("not listed: 1 requirement that observed starts, joins or locks make infeasible")


def test_the_reasons_for_infeasible_requirements_are_listed():
    class Reasoned(Pairs):
        def requirements(self, model, facts):
            return (key for key in super().requirements(model, facts) if not self.infeasible(key, facts))

        def infeasible(self, key, facts):
            if not facts.owners or key[0] == READ4:
                return None
            return "the lock is held" if key[0] == READ5 else "it ends before"

    facts = PruningFacts({"log.py:Log": OwnerFacts.make([], (), LockDiscipline())})
    found = gaps(contents([(READ4, WRITE9)], facts=facts), Reasoned(impossible=["x"]))
    assert found.gaps == ()
    assert found.remarks[0] == "nothing is missing from pairs"
    assert found.remarks[2:] == ("  1: it ends before", "  1: the lock is held")


def test_a_fully_covered_criterion_has_no_missing_requirements():
    everything = [(READ4, WRITE9), (READ5, WRITE9), (READ7, WRITE8)]
    assert gaps(contents(everything)).remarks == ("nothing is missing from pairs",)
    found = gaps(contents(everything[:2], exact=True))
    assert found.gaps == ()
    assert found.remarks == (
        "nothing is missing from pairs: the search was exhausted",
        "infeasible: 1 requirement of the static model that no execution of the scenario can cover",
        "  a read at cart.py:7 before a write at cart.py:8",
    )


def test_a_criterion_that_cannot_be_listed_has_an_estimate():
    counts = {(READ4, WRITE9): (1, 1), (READ5, WRITE9): (1, 2), (READ7, WRITE8): (4, 1)}
    found = gaps(contents(counts, executions=4), Unlisted())
    (remark,) = found.remarks
    assert "known only once it is covered; an estimated 1 requirement is left" in remark
    assert "The last 2 of 4 executions covered nothing new" in remark
    assert "raddle explore --scheduler reachability" in remark
    assert gaps(contents(model=StaticModel())).remarks[0].startswith("nothing to cover for pairs")


@pytest.mark.parametrize(
    ("counts", "executions", "expected"),
    [
        ({(READ4, WRITE9): (1, 1)}, 1, "There was only one execution: run more"),
        ({(READ4, WRITE9): (1, 2)}, 2, "The last of 2 executions still covered something new: run more"),
        ({(READ4, WRITE9): (1, 1)}, 2, "The last of 2 executions covered nothing new: run more"),
    ],
)
def test_the_remark_says_how_many_executions_added_nothing(counts, executions, expected):
    assert expected in gaps(contents(counts, executions=executions), Unlisted()).remarks[0]


# -- thresholds ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("percent", "outcome"), [(33, REACHED), (33.4, BELOW), (100 / 3, REACHED), (0, REACHED)])
def test_a_threshold_is_compared_with_the_percentage(percent, outcome):
    row = row_of(contents([(READ4, WRITE9)]))
    (verdict,) = judge([row], [Threshold("pairs", percent)])
    assert verdict.outcome == outcome
    assert "pairs: 1 of 3 (static) is 33.3 %" in verdict.sentence


def test_a_threshold_compared_with_an_estimate_says_so():
    counts = {(READ4, WRITE9): (1, 1), (READ5, WRITE9): (1, 2), (READ7, WRITE8): (4, 1)}
    row = row_of(contents(counts, executions=4), Unlisted())
    (verdict,) = judge([row], [Threshold("pairs", 80)])
    assert verdict.outcome == BELOW
    assert "75.0 % by estimate, below the threshold of 80 %" in verdict.sentence


def test_a_threshold_is_not_reached_if_there_is_nothing_to_cover():
    (verdict,) = judge([row_of(contents(model=StaticModel()))], [Threshold("pairs", 0)])
    assert verdict.outcome == NOTHING


def test_a_threshold_on_an_unknown_total_is_rejected():
    with pytest.raises(UsageError, match="unknown after 1 execution;") as caught:
        judge([row_of(contents([(READ4, WRITE9)]), Unlisted())], [Threshold("pairs", 50)])
    assert caught.value.slug == "total-unknown"


def test_a_threshold_may_have_spaces_and_a_percent_sign():
    assert Threshold.parse(" Avio-Star = 60%") == Threshold("avio*", 60)


@pytest.mark.parametrize("text", ["map", "map=", "map=x", "map=-1", "map=101", "map=nan", "default=50", "map,sync=5"])
def test_invalid_thresholds_are_rejected(text):
    with pytest.raises(UsageError) as caught:
        Threshold.parse(text)
    assert caught.value.slug == "bad-threshold"
    assert text in str(caught.value)


# -- tables ----------------------------------------------------------------------------------------------


def test_the_tables_show_criteria_and_files():
    given = contents([(READ4, WRITE9)], warnings=(ReportedWarning("data-race", "th", (READ4, WRITE9)),))
    row = row_of(given)
    table = criteria_table([row])
    assert [column.header for column in table.columns] == [
        "criterion", "covered", "total", "percent", "executions", "since new",
    ]  # fmt: skip
    assert [str(next(iter(column.cells))) for column in table.columns] == [
        "pairs",
        "1",
        "3 (static)",
        "33.3 %",
        "1",
        "0",
    ]
    (files,) = file_tables(by_file(given, [row], criteria=PAIRS), [row])
    assert [list(column.cells) for column in files.columns] == [["cart.py", "log.py"], ["0 of 1", "1 of 2"]]


def test_many_criteria_are_split_into_several_tables():
    names = [f"c{number}" for number in range(10)]
    found = [coverage.Row(name, 1, Total(1, "exact"), Total(1, "exact"), 1, 0) for name in names]
    tables = file_tables({"log.py": {name: Cell(1, 1) for name in names}}, found)
    assert [len(table.columns) for table in tables] == [9, 3]
