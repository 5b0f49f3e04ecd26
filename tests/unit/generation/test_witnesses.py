"""The calls and observers that show a wrong outcome by themselves."""

from __future__ import annotations

from sample_cases import attribute, call, case, new

from raddle.generation.witnesses import PRIVATE, witnesses
from raddle.linearizability.history import Ending, EndingKind, History
from raddle.linearizability.judgment import Oracle, Violation

TEST = case([new()], [call("put")], [call("take")], observe=[attribute("size"), attribute("total")])


def history(results, observed):
    def returned(values):
        return tuple(Ending(EndingKind.RETURNED, value) for value in values)

    return History(tuple(returned([value]) for value in results), returned(observed))


# The two orders of whole calls: their results, and then size and total.
LEGAL = (history([1, 2], [0, 5]), history([2, 1], [0, 6]))


def test_an_observer_with_a_value_that_no_order_gives_is_a_witness():
    # The size is 0 in both orders, and the total is 5 or 6.
    wrong = Violation(Oracle.STATE, history([1, 2], [3, 6]))
    assert witnesses(TEST, wrong, LEGAL) == {"size"}


def test_a_combination_of_legal_values_has_no_witness():
    # The total is 6 only if the results are 2 and 1.
    assert witnesses(TEST, Violation(Oracle.STATE, history([1, 2], [0, 6])), LEGAL) == set()


def test_a_call_with_a_result_that_no_order_gives_is_a_witness():
    # take() returns 2 or 1.
    assert witnesses(TEST, Violation(Oracle.RESULTS, history([1, 9], [0, 5])), LEGAL) == {"take"}


def test_private_attributes_are_witnesses():
    legal = [history([1, 2], [0, 5, "full"])]
    wrong = Violation(Oracle.STATE, history([1, 2], [0, 5, "empty"]))
    assert witnesses(TEST, wrong, legal) == {PRIVATE}


def test_exceptions_have_no_witnesses():
    assert witnesses(TEST, Violation(Oracle.EXCEPTIONS, LEGAL[0], ((0, 0),)), LEGAL) == set()
