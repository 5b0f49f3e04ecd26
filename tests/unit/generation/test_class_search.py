"""Searches in this process. Supervised searches are tested in `test_supervision.py`."""

from __future__ import annotations

from dataclasses import replace

import observed_classes
import pytest
import robust_classes
import shared_classes

from raddle.generation import class_search
from raddle.generation.class_search import ClassSearch
from raddle.generation.generation_options import GenerationOptions
from raddle.generation.native_runs import NativeFailure
from raddle.generation.observer_choice import ObserverChoice
from raddle.generation.portfolio import Portfolio
from raddle.generation.strategy import Proposal
from raddle.generation.testcase import Call, TestCase
from raddle.linearizability.checker import Checker
from raddle.linearizability.judgment import Oracle, Violation

ENDLESS = 100_000.0  # seconds: the searches are limited by tests
CONTROLLED = ("portfolio", "maptest", "contege*", "covcon*")


def search(cls, *, tests=40, **options):
    return ClassSearch(cls, GenerationOptions(seconds=ENDLESS, max_tests=tests, **options)).run()


def first_bug(cls, **options):
    """Search until there is a bug, and return it."""
    bugs = []
    limits = GenerationOptions(seconds=ENDLESS, max_tests=40, **options)
    ClassSearch(cls, limits, on_bug=bugs.append, is_stopping=lambda: bool(bugs)).run()
    (bug,) = bugs
    return bug


def observers_of(bug):
    return [(str(call.method), *[value.value for value in call.arguments]) for call in bug.test.observers]


# -- the state at the end -------------------------------------------------------------------------------


@pytest.mark.parametrize("method", CONTROLLED)
def test_a_lost_update_of_a_key_is_found(method):
    bug = first_bug(observed_classes.Tally, method=method)
    assert (bug.oracle, bug.identity.function) == (Oracle.STATE, "Tally.add")
    # Both threads add the same key. After one of the two updates is lost, its total is 1 instead of 2.
    (key,) = {value.value for thread in bug.test.threads for call in thread for value in call.arguments}
    assert observers_of(bug) == [("total", key)]


def test_a_known_bug_does_not_hide_another_one_of_the_same_calls():
    bugs = search(observed_classes.TwoTotals, tests=200).bugs
    assert {bug.identity.variable for bug in bugs} == {"TwoTotals.calls", "TwoTotals.total"}


@pytest.mark.parametrize("method", CONTROLLED)
def test_a_lost_update_of_a_public_attribute_is_found(method):
    bug = first_bug(observed_classes.Hits, method=method)
    assert (bug.oracle, bug.identity.variable) == (Oracle.STATE, "Hits.hits")
    assert observers_of(bug) == [("hits",)]


def test_the_fixed_class_has_no_bug():
    assert not search(observed_classes.FixedHits, tests=100).bugs


def test_a_broken_object_is_found_by_a_method_that_observes_it(monkeypatch):
    # `shrink` reads the number of items, and later drops the last one. If another thread drops it in between, there is
    # one item less than the count says. Neither call notices; only `last` raises an IndexError afterwards.
    class Shrinking(Portfolio):
        """Proposes two calls of `shrink`."""

        def propose(self):
            prefix = self.builder.prefix(max_calls=0)
            call = Call(next(method for method in self.builder.surface.methods if method.name == "shrink"))
            test = TestCase(prefix.calls, ((call,), (call,)))
            return Proposal(test, lambda checker: checker.search(preemptions=1).failure)

    monkeypatch.setattr(class_search, "make_strategy", lambda name, builder, settings: Shrinking(builder))
    bug = first_bug(shared_classes.Counted, oracles=frozenset({Oracle.EXCEPTIONS}))
    assert (bug.violation.exception, bug.violation.is_observed) == ("IndexError", True)
    assert observers_of(bug) == [("last",)]


def test_an_excluded_attribute_is_not_observed():
    assert not search(observed_classes.Hits, tests=100, exclude=("hits",)).bugs


@pytest.mark.parametrize(
    "options", [{"oracles": frozenset({Oracle.HANGS, Oracle.RESULTS})}, {"method": "covcon", "tests": 2}]
)
def test_without_an_oracle_that_compares_states_nothing_is_observed(monkeypatch, options):
    def refuse(*arguments, **keywords):
        raise AssertionError("observers were chosen")

    monkeypatch.setattr(class_search, "ObserverChoice", refuse)
    assert search(observed_classes.Tally, **{"tests": 20, **options}).counts.tests


def test_a_public_observer_is_preferred_to_private_attributes():
    bug = first_bug(observed_classes.Tally, oracles=frozenset({Oracle.STATE}), private=True)
    assert bug.unfinished == ""
    assert observers_of(bug)[0][0] == "total"


def test_a_bug_that_only_private_attributes_show_is_reported_as_such():
    (bug,) = search(robust_classes.Private, private=True).bugs
    assert (bug.unfinished, bug.test.observers) == (class_search.PRIVATE_ONLY, ())


def test_observers_that_block_are_dropped(monkeypatch):
    choices = []

    class Choice(ObserverChoice):
        """Adds an observer that blocks if the object has no items, until it is dropped."""

        def __init__(self, builder, pools, **options):
            super().__init__(builder, pools, **options)
            method = next(one for one in builder.surface.methods if one.name == "wait_until_stocked")
            self.waiting = Call(method)
            choices.append(self)

        def added_to(self, test, **options):
            found = super().added_to(test, **options)
            is_dropped = self.waiting.method in self._dropped
            return found if is_dropped else replace(found, observers=(self.waiting,))

    monkeypatch.setattr(class_search, "ObserverChoice", Choice)
    result = search(observed_classes.Stock)
    (choice,) = choices
    assert choice._dropped == {choice.waiting.method}
    assert result.counts.unusable < result.counts.tests


# -- confirmation ---------------------------------------------------------------------------------------


# With these seeds, there are failures whose decisions fail again.
@pytest.mark.parametrize(("method", "seed"), [("portfolio", 2), ("maptest", 4), ("contege*", 2), ("covcon*", 2)])
def test_a_class_that_raises_at_random_has_no_bug(method, seed):
    observed_classes.GENERATOR.seed(seed)
    assert not search(observed_classes.Unreliable, method=method).bugs


@pytest.mark.parametrize("method", CONTROLLED)
def test_a_failure_is_dismissed_if_its_history_is_legal_later(monkeypatch, method):
    # Of the two orders of add() and add(), the first run of whole calls misses one.
    whole_calls, seen = Checker._whole_calls, []

    def incomplete(checker):
        legal = whole_calls(checker)
        if checker in seen:
            return legal
        seen.append(checker)
        return replace(legal, histories=legal.histories[:1])

    monkeypatch.setattr(Checker, "_whole_calls", incomplete)
    result = search(robust_classes.Locked, method=method, tests=10)
    assert result.counts.tests == 10
    assert not result.bugs


def test_a_failure_that_a_search_does_not_find_again_needs_its_decisions(monkeypatch):
    monkeypatch.setattr(class_search, "SHRINKING_EXECUTIONS", 1)  # the first execution has no preemption
    bug = first_bug(robust_classes.Counter)
    assert bug.unfinished == class_search.NOT_REPEATED
    assert bug.test == bug.original


def test_a_failure_that_does_not_happen_again_is_dismissed(monkeypatch):
    suspects, dismissed = [], []
    monkeypatch.setattr(class_search, "SHRINKING_EXECUTIONS", 1)
    monkeypatch.setattr(ClassSearch, "_is_credible", lambda self, test, failure, checker: True)
    monkeypatch.setattr(Checker, "confirmed", lambda self, failure: False)
    found = ClassSearch(
        robust_classes.Counter,
        GenerationOptions(seconds=ENDLESS, max_tests=20),
        on_suspect=suspects.append,
        on_dismissed=lambda: dismissed.append(1),
    )
    assert not found.run().bugs
    assert len(suspects) == len(dismissed) > 0


def test_a_failure_on_native_threads_is_kept_although_no_schedule_shows_it(monkeypatch):
    class Native(Portfolio):
        """Reports a failure on native threads for each test."""

        def propose(self):
            proposal = super().propose()
            return None if proposal is None else Proposal(proposal.test, self._fail)

        def _fail(self, checker):
            history = checker.legal().histories[0]
            violation = Violation(Oracle.HANGS, history, ((0, 0),))
            return NativeFailure(violation, None, (), checker.session.snapshot())

    monkeypatch.setattr(class_search, "make_strategy", lambda name, builder, settings: Native(builder))
    bug = first_bug(robust_classes.Locked)
    assert bug.unfinished == class_search.NATIVE_ONLY
