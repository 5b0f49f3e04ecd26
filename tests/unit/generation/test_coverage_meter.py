from __future__ import annotations

import os

import pytest
import shared_classes

from raddle.generation.class_search import ClassSearch
from raddle.generation.coverage_meter import CoverageMeter, CriterionCoverage
from raddle.generation.generation_options import GenerationOptions
from raddle.generation.silence import Silence
from raddle.tally import STATIC, Total


def test_totals_contain_the_accesses_that_only_executions_show(monkeypatch):
    monkeypatch.setattr(CoverageMeter, "wants", lambda self, seconds, tests: True)  # measure all tests
    search = ClassSearch(shared_classes.Holder, GenerationOptions(seconds=100_000.0, max_tests=60))
    with Silence():
        result = search.run()
    patterns = next(row for row in result.coverage.criteria if row.name == "map")
    # The content of the container is a variable that the source does not show. `put` writes and reads it, `pop` writes
    # it. Without it, there would be nothing to cover.
    assert any("_queued[]" in key for key in patterns.keys)
    assert 0 < patterns.covered <= patterns.total.number


def test_merged_totals_are_never_less_than_what_is_covered_and_missing():
    one = CriterionCoverage("map", 2, Total(3, STATIC), ("c",), frozenset({("a",), ("b",)}), (("c",),))
    two = CriterionCoverage("map", 2, Total(2, STATIC), (), frozenset({("d",), ("e",)}))
    # a, b, d and e are covered, and c is missing.
    assert (one + two).total.number == (two + one).total.number == 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="native runs need os.fork")
def test_random_pairs_on_native_threads_are_all_measured():
    search = ClassSearch(shared_classes.Locked, GenerationOptions("random", 100_000.0, max_tests=8))
    with Silence():
        result = search.run()
    assert result.counts.tests == result.coverage.tests == 8
    assert result.coverage.executions == result.counts.executions == 8
    patterns = next(row for row in result.coverage.criteria if row.name == "map")
    # Two calls of `add` in two threads write `_n`, so at least one of them writes it after the other (pattern 3).
    assert 0 < patterns.covered <= patterns.total.number
