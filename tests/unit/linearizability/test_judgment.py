from __future__ import annotations

import itertools

import pytest

from raddle.linearizability.history import NOT_MADE, OBSERVERS, PENDING, Ending, EndingKind, History
from raddle.linearizability.judgment import ALL, CERTAIN, Oracle, is_always_legal, judge

ONE, TWO = Ending(EndingKind.RETURNED, 1), Ending(EndingKind.RETURNED, 2)
KEY, INDEX = Ending(EndingKind.RAISED, "KeyError"), Ending(EndingKind.RAISED, "IndexError")


def history(*endings, observed=(), broken=()):
    return History(tuple((ending,) for ending in endings), tuple(observed), broken)


@pytest.mark.parametrize(
    ("seen", "legal", "expected"),
    [
        (history(ONE, TWO), [history(ONE, TWO)], None),
        (history(ONE, ONE), [history(ONE, TWO), history(TWO, ONE)], Oracle.RESULTS),
        (history(KEY, TWO), [history(ONE, TWO)], Oracle.EXCEPTIONS),
        (history(KEY, TWO), [history(INDEX, TWO)], Oracle.EXCEPTIONS),
        (history(KEY, ONE), [history(KEY, TWO), history(ONE, ONE)], Oracle.RESULTS),  # the exception alone is legal
        (history(ONE, KEY), [history(KEY, ONE)], Oracle.EXCEPTIONS),  # legal for the other call only
        (history(PENDING, ONE), [history(TWO, ONE)], Oracle.HANGS),
        (history(PENDING, ONE), [history(PENDING, ONE)], None),
        (history(PENDING, PENDING), [history(PENDING, ONE), history(ONE, PENDING)], Oracle.HANGS),
        (history(ONE, TWO, observed=[ONE]), [history(ONE, TWO, observed=[TWO])], Oracle.STATE),
        (history(ONE, TWO, observed=[KEY]), [history(ONE, TWO, observed=[TWO])], Oracle.EXCEPTIONS),
        (
            history(ONE, TWO, observed=[KEY]),
            [history(TWO, ONE, observed=[KEY]), history(ONE, TWO, observed=[ONE])],
            Oracle.STATE,
        ),  # the exception alone is legal
        (history(ONE, TWO, observed=[KEY]), [history(ONE, TWO, observed=[INDEX])], Oracle.EXCEPTIONS),
        (history(ONE, TWO, observed=[KEY]), [history(PENDING, ONE)], Oracle.RESULTS),  # nothing was observed there
        (history(ONE, TWO, broken=(0,)), [history(ONE, TWO)], Oracle.INVARIANTS),
    ],
)
def test_the_most_certain_violation_is_reported(seen, legal, expected):
    violation = judge(seen, legal, frozenset(ALL))
    assert (violation and violation.oracle) == expected


def test_state_must_fit_the_results():
    # Each part is legal on its own: the results of the first order with the state of the second.
    legal = [history(ONE, TWO, observed=[ONE]), history(TWO, ONE, observed=[TWO])]
    assert judge(history(ONE, TWO, observed=[TWO]), legal, frozenset(ALL)).oracle is Oracle.STATE
    assert judge(history(ONE, TWO, observed=[TWO]), legal, {Oracle.RESULTS}) is None


def test_only_the_given_oracles_judge():
    # An exhaustive comparison with the definitions, for all histories of two calls.
    endings = [ONE, TWO, KEY, PENDING, NOT_MADE]
    legal = [history(ONE, TWO), history(TWO, ONE), history(KEY, ONE)]
    raised = {0: {"KeyError"}, 1: set()}
    for pair in itertools.product(endings, repeat=2):
        seen = history(*pair)
        illegal = {
            Oracle.EXCEPTIONS: any(
                e.kind is EndingKind.RAISED and e.value not in raised[n] for n, e in enumerate(pair)
            ),
            Oracle.HANGS: PENDING in pair,
            Oracle.RESULTS: seen not in legal,
        }
        for oracle, expected in illegal.items():
            assert (judge(seen, legal, {oracle}) is not None) == expected, (seen, oracle)


def test_a_violation_names_its_calls_and_its_exception():
    violation = judge(history(ONE, KEY), [history(ONE, ONE)], frozenset(ALL))
    assert (violation.calls, violation.exception) == (((1, 0),), "KeyError")
    hang = judge(history(PENDING, PENDING), [history(ONE, ONE)], frozenset(ALL))
    assert (hang.calls, hang.exception) == (((0, 0), (1, 0)), "")


def test_the_exception_of_an_observer_names_the_observer():
    violation = judge(history(ONE, TWO, observed=[ONE, KEY]), [history(ONE, TWO, observed=[ONE, ONE])], frozenset(ALL))
    assert violation.calls == ((OBSERVERS, 1),)
    assert violation.exception == "KeyError"
    assert violation.is_observed


@pytest.mark.parametrize(
    ("seen", "oracles", "expected"),
    [
        (history(ONE, TWO, observed=[ONE]), CERTAIN, True),
        (history(ONE, TWO), {Oracle.HANGS}, True),
        (history(ONE, TWO), {*CERTAIN, Oracle.RESULTS}, False),  # no order may give these results
        (history(ONE, TWO, broken=(0,)), {*CERTAIN, Oracle.INVARIANTS}, False),
        (history(ONE, KEY), CERTAIN, False),
        (history(ONE, PENDING), CERTAIN, False),
        (history(ONE, TWO, observed=[KEY]), CERTAIN, False),
    ],
)
def test_what_is_legal_without_knowing_the_orders_of_whole_calls(seen, oracles, expected):
    assert is_always_legal(seen, oracles) == expected
    if expected:
        assert judge(seen, [], oracles) is None
