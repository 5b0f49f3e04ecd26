"""What is covered, out of how many; by criterion and by file."""

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


def test_a_static_total():
    row = row_of(contents([(READ4, WRITE9)]))
    assert (row.covered, row.total, row.static_total) == (1, Total(3, "static"), Total(3, "static"))
    assert row.percent == pytest.approx(100 / 3)
    assert (percent_text(row), total_text(row)) == ("33.3 %", "3 (static)")


def test_a_pruned_total():
    row = row_of(contents([(READ4, WRITE9)]), Pairs(impossible=[(READ5, WRITE9)]))
    assert (row.total, row.static_total.number) == (Total(2, "pruned"), 3)
    assert total_text(row) == "2 (pruned from 3)"


def test_an_exact_total():
    row = row_of(contents([(READ4, WRITE9), (READ7, WRITE8)], exact=True))
    assert (row.total, row.percent) == (Total(2, "exact"), 100)
    assert (percent_text(row), total_text(row)) == ("100 %", "2 (exact)")


def test_an_estimated_total():
    # Chao2 in its corrected form: 3 + 3/4 · 2·1 / (2·(0 + 1)) = 3.75, four in all.
    seen = {(READ4, WRITE9): (1, 1), (READ5, WRITE9): (1, 2), (READ7, WRITE8): (4, 1)}
    row = row_of(contents(seen, executions=4), Unlisted())
    assert (row.total.number, row.total.kind, row.static_total.number) == (4, "estimated", None)
    assert row.total.low <= 4 <= row.total.high
    assert row.percent == 75


def test_too_few_executions_for_an_estimate():
    row = row_of(contents([(READ4, WRITE9)], executions=2), Unlisted())
    assert (row.total, row.percent) == (Total(None, "unknown"), None)
    assert (percent_text(row), total_text(row)) == ("-", "unknown")


def test_a_total_that_guesses_were_wrong_about():
    # Not in the model, but it happened: there are four, and one of the three that the model has is covered.
    row = row_of(contents([(READ4, WRITE9), (READ4, WRITE8)]))
    assert (row.covered, row.total.number, row.raised, row.percent) == (2, 4, True, 50)
    assert total_text(row) == "4 (static, raised)"
    assert any(line.startswith("raised: ") for line in legend([row]))


def test_a_total_too_large_to_be_enumerated_is_raised_as_well(monkeypatch):
    criterion = Pairs()
    monkeypatch.setattr(criterion, "requirements", lambda model, facts: count())  # without end
    keys = list(product([READ4, READ5], [WRITE8, WRITE9]))
    row = row_of(contents(keys), criterion)
    assert (row.covered, row.total.number, row.raised) == (4, 4, True)


def test_without_a_model_the_total_is_estimated():
    row = row_of(contents({(READ4, WRITE9): (3, 1)}, executions=3, model=StaticModel()))
    assert row.total.kind == "estimated"


def test_nothing_to_cover():
    row = row_of(contents(model=StaticModel()))
    assert row.nothing
    assert (row.percent, total_text(row), percent_text(row)) == (None, "nothing to cover", "-")


def test_a_criterion_that_this_version_does_not_know():
    (row,) = rows(contents([(1,)], executions=5))
    assert (row.name, row.covered, row.total.kind) == ("pairs", 1, "estimated")


def test_executions_since_the_last_new_requirement():
    row = row_of(contents({(READ4, WRITE9): (2, 3), (READ5, WRITE9): (1, 7)}, executions=20))
    assert (row.executions, row.since_new) == (20, 13)


def test_the_formula_for_the_accesses_seen():
    # T1 reads x, T2 writes it: T1 reads what was there before, or what T2 wrote.
    x = ("m.py", "", "x")
    read, write = ("T1", "read", 70001, 1), ("T2", "write", 70002, 1)
    seen = ObservedAccesses(1, {(x, read), (x, write)}, {(x, "initial", read)})
    tally = Tally()
    tally.add(1, "def-use", [(x, "initial", read)])
    record = Record(origin="run app.py", mode="native", tally=tally, sites={}, paths={}, extras={"def-use": seen})
    (row,) = rows(contents_of(record))
    assert (row.covered, row.total, row.percent) == (1, Total(2, "static"), 50)


def test_a_row_for_machines():
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


def test_percentages_are_never_flattered():
    def percent(covered, total):
        number = Total(total, "static")
        return percent_text(coverage.Row("x", covered, number, number, 1, 0))

    assert [percent(n, 10_000) for n in (0, 1, 5_000, 9_999, 10_000)] == ["0 %", "< 0.1 %", "50.0 %", "99.9 %", "100 %"]
    assert percent(10, 10**4000) == "< 0.1 %"
    assert number_text(10**4000) == "about 10^4000"


# -- files -----------------------------------------------------------------------------------------------


def test_by_file():
    given = contents([(READ4, WRITE9), (READ7, WRITE8)])
    assert by_file(given, [row_of(given)], criteria=PAIRS) == {
        "cart.py": {"pairs": Cell(1, 1)},
        "log.py": {"pairs": Cell(1, 2)},
    }


def test_by_file_where_requirements_cannot_be_listed():
    given = contents([(READ4, WRITE9), (LOG << 20, WRITE8)], executions=3)
    criteria = {"pairs": Unlisted()}
    files = by_file(given, rows(given, criteria=criteria), criteria=criteria)
    assert files == {"log.py": {"pairs": Cell(1)}, ELSEWHERE: {"pairs": Cell(1)}}
    assert list(files) == ["log.py", ELSEWHERE]


def test_by_file_where_all_was_seen():
    given = contents([(READ4, WRITE9)], exact=True)
    assert by_file(given, [row_of(given)], criteria=PAIRS) == {"log.py": {"pairs": Cell(1, 1)}}


# -- what is missing -------------------------------------------------------------------------------------


def gaps(given, criterion=None, **options):
    criteria = {"pairs": criterion or Pairs()}
    (row,) = rows(given, criteria=criteria)
    return missing(given, row, criteria=criteria, **options)


def test_what_is_missing_is_said_by_file_and_line():
    said = missing_lines(gaps(contents([(READ4, WRITE9)])))
    assert said == [
        "cart.py:",
        "  not covered yet: a read at cart.py:7 before a write at cart.py:8",
        "log.py:",
        "  not covered yet: a read at log.py:5 before a write at log.py:9",
    ]


def test_not_all_of_it():
    some = gaps(contents(), limit=1)
    assert [gap.file for gap in some.gaps] == ["cart.py"]
    assert some.more == 2
    assert missing_lines(some)[-1] == "... and 2 more; raise --limit to see them"


def test_several_accesses_on_a_line_are_said_once():
    """Two reads on line 4: both pairs read alike, and for machines the columns tell them apart."""
    other = (LOG << INDEX_BITS) + 3
    given = contents()
    sites = {**given.sites, other: replace(given.sites[READ4], column=12)}
    variables = {("log.py:Log", "th"): Accesses(frozenset({READ4, other}), frozenset({WRITE9}))}
    some = gaps(replace(given, sites=sites, model=StaticModel(variables)))
    said = "not covered yet: a read at log.py:4 before a write at log.py:9"
    assert missing_lines(some) == ["log.py:", f"  {said} (2 times: the lines have several accesses)"]
    assert sorted(gap.as_json()["columns"] for gap in some.gaps) == [[1, 1], [13, 1]]


def test_what_is_impossible_is_counted():
    some = gaps(contents([(READ4, WRITE9)]), Pairs(impossible=[(READ5, WRITE9)]))
    assert [gap.key for gap in some.gaps] == [(READ7, WRITE8)]
    (remark,) = some.remarks
    assert remark.startswith("not listed: 1 requirement that observed starts, joins or locks make infeasible")


def test_why_it_is_impossible():
    class Reasoned(Pairs):
        def requirements(self, model, facts):
            return (key for key in super().requirements(model, facts) if not self.infeasible(key, facts))

        def infeasible(self, key, facts):
            if not facts.owners or key[0] == READ4:
                return None
            return "the lock is held" if key[0] == READ5 else "it ends before"

    facts = PruningFacts({"log.py:Log": OwnerFacts.make([], (), LockDiscipline())})
    some = gaps(contents([(READ4, WRITE9)], facts=facts), Reasoned(impossible=["x"]))
    assert some.gaps == ()
    assert some.remarks[0] == "nothing is missing from pairs"
    assert some.remarks[2:] == ("  1: it ends before", "  1: the lock is held")


def test_nothing_is_missing():
    everything = [(READ4, WRITE9), (READ5, WRITE9), (READ7, WRITE8)]
    assert gaps(contents(everything)).remarks == ("nothing is missing from pairs",)
    some = gaps(contents(everything[:2], exact=True))
    assert some.gaps == ()
    assert some.remarks == (
        "nothing is missing from pairs: the search was exhausted",
        "infeasible: 1 requirement of the static model that no execution of the scenario can cover",
        "  a read at cart.py:7 before a write at cart.py:8",
    )


def test_what_cannot_be_listed():
    seen = {(READ4, WRITE9): (1, 1), (READ5, WRITE9): (1, 2), (READ7, WRITE8): (4, 1)}
    some = gaps(contents(seen, executions=4), Unlisted())
    (remark,) = some.remarks
    assert "known only once it is covered; an estimated 1 requirement is left" in remark
    assert "The last 2 of 4 executions covered nothing new" in remark
    assert "raddle explore --scheduler reachability" in remark
    assert gaps(contents(model=StaticModel())).remarks[0].startswith("nothing to cover for pairs")


@pytest.mark.parametrize(
    ("seen", "executions", "said"),
    [
        ({(READ4, WRITE9): (1, 1)}, 1, "There was only one execution: run more"),
        ({(READ4, WRITE9): (1, 2)}, 2, "The last of 2 executions still covered something new: run more"),
        ({(READ4, WRITE9): (1, 1)}, 2, "The last 1 of 2 executions covered nothing new: run more"),
    ],
)
def test_how_long_nothing_new_came(seen, executions, said):
    assert said in gaps(contents(seen, executions=executions), Unlisted()).remarks[0]


# -- thresholds ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("percent", "outcome"), [(33, REACHED), (33.4, BELOW), (100 / 3, REACHED), (0, REACHED)])
def test_a_threshold(percent, outcome):
    row = row_of(contents([(READ4, WRITE9)]))
    (verdict,) = judge([row], [Threshold("pairs", percent)])
    assert verdict.outcome == outcome
    assert "pairs: 1 of 3 (static) is 33.3 %" in verdict.sentence


def test_a_threshold_and_an_estimate():
    seen = {(READ4, WRITE9): (1, 1), (READ5, WRITE9): (1, 2), (READ7, WRITE8): (4, 1)}
    row = row_of(contents(seen, executions=4), Unlisted())
    (verdict,) = judge([row], [Threshold("pairs", 80)])
    assert verdict.outcome == BELOW
    assert "75.0 % by estimate, below the threshold of 80 %" in verdict.sentence


def test_a_threshold_of_nothing_is_not_reached():
    (verdict,) = judge([row_of(contents(model=StaticModel()))], [Threshold("pairs", 0)])
    assert verdict.outcome == NOTHING


def test_a_threshold_that_cannot_be_judged():
    with pytest.raises(UsageError, match="unknown after 1 execution;") as caught:
        judge([row_of(contents([(READ4, WRITE9)]), Unlisted())], [Threshold("pairs", 50)])
    assert caught.value.slug == "total-unknown"


def test_thresholds_as_people_write_them():
    assert Threshold.parse(" Avio-Star = 60%") == Threshold("avio*", 60)


@pytest.mark.parametrize("text", ["map", "map=", "map=x", "map=-1", "map=101", "map=nan", "default=50", "map,sync=5"])
def test_bad_thresholds(text):
    with pytest.raises(UsageError) as caught:
        Threshold.parse(text)
    assert caught.value.slug == "bad-threshold"
    assert text in str(caught.value)


# -- tables ----------------------------------------------------------------------------------------------


def test_the_tables():
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


def test_many_criteria_need_several_tables():
    names = [f"c{number}" for number in range(10)]
    some = [coverage.Row(name, 1, Total(1, "exact"), Total(1, "exact"), 1, 0) for name in names]
    tables = file_tables({"log.py": {name: Cell(1, 1) for name in names}}, some)
    assert [len(table.columns) for table in tables] == [9, 3]
