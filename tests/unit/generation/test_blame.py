"""The calls to blame for a dead process are not made again, and innocent methods are."""

from __future__ import annotations

from sample_cases import SHELF, call, new

from raddle.generation.blame import Blame


def test_the_method_of_the_only_call_is_excluded():
    blame = Blame()
    blame.add([call("take", "a")], "does not return")
    assert blame.refusals.reason(call("take", "b")) == "does not return"
    assert blame.refusals.reason(call("put", "a", 1)) == ""


def test_one_of_several_methods_is_excluded_when_it_is_suspected_again():
    blame = Blame()
    blame.add([call("take", "a"), call("put", "a", 1)], "does not return")
    assert not blame.refusals.methods
    blame.add([call("take", "a"), call("take", "b")], "does not return")
    # Both calls are of `take`, so there is no doubt. `put` was suspected only once.
    assert {str(method) for method in blame.refusals.methods} == {"take"}


def test_of_a_constructor_only_the_call_is_excluded_at_first():
    blame = Blame()
    blame.add([new(SHELF, 1)], "ends the process")
    assert blame.refusals.reason(new(SHELF, 1)) == "ends the process"
    assert blame.refusals.reason(new(SHELF, 2)) == ""
    blame.add([new(SHELF, 2)], "ends the process")
    assert blame.refusals.reason(new(SHELF, 3)) == "ends the process"


def test_a_constructor_beside_another_call_is_not_blamed():
    blame = Blame()
    blame.add([new(SHELF, 1), call("take", "a")], "ends the process")
    assert blame.refusals.reason(new(SHELF, 1)) == ""
