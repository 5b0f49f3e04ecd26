"""Explorations measure coverage correctly, from the scenario to the totals."""

import threading

import pytest

import raddle
from raddle.criteria.memory_access import MemoryAccessPatterns
from raddle.record import Record
from raddle.report.coverage import rows
from raddle.site import Site
from raddle.static_model import Accesses, StaticModel
from raddle.store import add, read
from raddle.tally import Tally


class Priority:
    def __init__(self, level):
        self.level = level

    def is_greater_or_equal(self, other):
        return self.level >= other.level


class AppenderSkeleton:
    """The example from the MAP paper (Fig. 1): two reads and one write of `th`, apart from the constructor's write."""

    def __init__(self, threshold):
        self.th = threshold

    def is_as_severe_as_threshold(self, priority):
        return self.th is None or priority.is_greater_or_equal(self.th)

    def set_threshold(self, threshold):
        self.th = threshold


def appender():
    log = AppenderSkeleton(Priority(1))
    threads = [
        threading.Thread(target=log.is_as_severe_as_threshold, args=(Priority(2),)),
        threading.Thread(target=log.set_threshold, args=(None,)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Counter:
    def __init__(self):
        self.value = 0

    def increment(self):
        self.value += 1


def counter():
    shared = Counter()
    threads = [threading.Thread(target=shared.increment) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def patterns(keys):
    return sorted(key[0] for key in keys)


def test_the_failing_execution_of_the_map_paper_covers_three_of_sixteen_patterns():
    # According to section III, T_C = 2*2*1 + 1 + 4 + 3*2*1 + 1 = 16. The order read, write, read covers patterns 1,
    # 2 and 4 (Fig. 3), which is 3 of 16 requirements, or 18.75 %. Every execution with this order fails. With seed 1,
    # the first execution has this order.
    samples = raddle.measure(appender, source=[__file__], criteria="map", executions=40)
    assert {tuple(patterns(s.covered["map"])) for s in samples if s.outcome.failed} == {(1, 2, 4)}
    result = raddle.explore(appender, source=[__file__], criteria="map", executions=1, seed=1)
    assert result.outcome == "exception"
    accesses = result.record.model.variables["tests/unit/test_measuring.py:AppenderSkeleton", "th"]
    alone = StaticModel({("tests/unit/test_measuring.py:AppenderSkeleton", "th"): accesses})
    assert MemoryAccessPatterns().static_total(alone).number == 16
    assert 100 * result.criteria["map"]["covered"] / 16 == 18.75


def test_an_exhausted_search_makes_totals_exact():
    result = raddle.explore(
        appender, source=[__file__], criteria="map,def-use,sync", scheduler="exhaustive", until="budget"
    )
    # There are three orders: the write comes before, between or after the two reads. (The failing execution performs a
    # third read.) The first order covers pattern 2 twice, the second covers patterns 1, 2 and 4, and the third covers
    # pattern 1 twice. Distinguished by site, these are 1 (s4), 1 (s5), 2 (s4), 2 (s5) and 4.
    assert result.stopped_because == "exhausted"
    assert result.criteria["map"] | {"total": 5, "total_kind": "exact", "percent": 100.0} == result.criteria["map"]
    assert patterns(result.tally.covered["map"]) == [1, 1, 2, 2, 4]


def test_two_increments_cover_the_requirements_counted_by_hand():
    result = raddle.explore(
        counter, source=[__file__], criteria="def-use,pinv,lr-def", scheduler="exhaustive", until="budget"
    )
    # Each read returns the value written by the constructor or by the other thread: 2 reads x 2 definitions. The
    # constructor's value counts as local and the other thread's as remote: 2 x 2. Between one thread's read and write
    # comes the other thread's read, its write or nothing: 2 x 3.
    assert len(result.tally.covered["def-use"]) == 4
    assert len(result.tally.covered["lr-def"]) == 4
    assert len(result.tally.covered["pinv"]) == 6


def test_the_same_seed_gives_the_same_tally():
    one, other = (
        raddle.explore(counter, source=[__file__], criteria="every", executions=30, until="budget") for _ in range(2)
    )
    assert one.tally == other.tally


def test_executions_in_child_processes_have_the_same_tally():
    plain, isolated = (
        raddle.explore(
            counter,
            source=[__file__],
            criteria="map,hbpair*,method-pairs",
            executions=6,
            until="budget",
            isolate=isolate,
        )
        for isolate in (None, "fork")
    )
    assert plain.tally == isolated.tally
    assert plain.tally.executions == 6


def test_measuring_changes_no_decision():
    # With and without criteria, the same execution finds the lost update with the same schedule.
    def failing():
        shared = Counter()
        threads = [threading.Thread(target=shared.increment) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert shared.value == 2

    plain, measured = (
        raddle.explore(failing, source=[__file__], executions=50, criteria=criteria) for criteria in ((), "default")
    )
    assert plain.executions == measured.executions
    assert [str(f.schedule) for f in plain.findings] == [str(f.schedule) for f in measured.findings]


def test_results_accumulate_in_the_data_file(tmp_path):
    file = tmp_path / "data"
    for _ in range(2):
        raddle.explore(counter, source=[__file__], criteria="map,sync", executions=5, until="budget", data_file=file)
    contents = read(file)
    assert contents.tally.executions == 10
    assert len(contents.runs) == 2
    assert set(contents.tally.covered) == {"map", "sync"}


def test_warnings_do_not_make_an_exploration_fail():
    result = raddle.explore(counter, source=[__file__], criteria="sync", executions=20, until="budget")
    assert result.outcome == "passed"
    assert {warning.kind for warning in result.record.warnings} >= {"data-race", "lockset"}


def test_without_criteria_nothing_is_measured():
    result = raddle.explore(counter, source=[__file__], criteria="none", executions=3, until="budget")
    assert result.record is None
    assert "criteria" not in result.as_json()
    with pytest.raises(raddle.UsageError, match="at least one criterion"):
        next(raddle.measure(counter, source=[__file__], criteria=()))


def test_an_unknown_criterion_is_rejected_with_similar_names():
    with pytest.raises(raddle.UsageError, match="avio"):
        raddle.explore(counter, source=[__file__], criteria="avoi")


def test_a_run_that_did_not_measure_a_criterion_does_not_change_its_total(tmp_path):
    file = tmp_path / "data"
    raddle.explore(counter, source=[__file__], criteria="map", executions=5, until="budget", data_file=file)
    (before,) = rows(read(file), names=["map"])
    other = tmp_path / "other.py"
    other.write_text("class Box:\n    def put(self):\n        self.x = 1\n")
    site = Site("other.py", 3, 8, "write", "x", "Box.put", switchable=True)
    model = StaticModel({("other.py:Box", "x"): Accesses(writes=frozenset({1 << 30}))})
    sites, paths = {1 << 30: site}, {"other.py": str(other)}
    tally = Tally(1, {"sync": {}})
    add(file, Record(origin="run other.py", mode="native", tally=tally, sites=sites, paths=paths, model=model))
    (after,) = rows(read(file), names=["map"])
    assert after.total == before.total


@pytest.mark.parametrize("criteria", [5, ["map", 5], object])
def test_criteria_that_are_not_names_are_rejected(criteria):
    with pytest.raises(raddle.UsageError, match="criteria must be names"):
        raddle.explore(counter, criteria=criteria)
