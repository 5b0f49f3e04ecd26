from __future__ import annotations

from dataclasses import replace

import pytest
from sample_cases import SHELF, call, case, new

from raddle.generation.expressions import Callback, Container, Imported, Literal, New, Stub, Variable
from raddle.generation.shrinking import (
    is_closed,
    rank,
    shrink_test,
    simpler_expressions,
    without_unused_results,
)
from raddle.generation.surface import Method, MethodKind
from raddle.generation.testcase import SHARED

PLAIN = case([new()], [call("take", "a")], [call("take", "a")])


def calls_in_threads(test):
    return [str(one.method) for thread in test.threads for one in thread]


def test_calls_that_are_not_needed_are_removed():
    test = case(
        [new(SHELF, 5), call("put", "b", 1), call("put", "a", 2), call("listen", None)],
        [call("put", "c", 3), call("take", "a")],
        [call("take", "a"), call("put", "d", 4)],
        [call("put", "e", 5)],
        observe=[call("size"), call("name")],
    )

    def fails(tried):
        # Needs one put of the key that two threads take.
        return calls_in_threads(tried).count("take") == 2 and "put" in map(str, (one.method for one in tried.prefix))

    shrunk = shrink_test(test, fails)
    assert calls_in_threads(shrunk) == ["take", "take"]
    assert [str(one.method) for one in shrunk.prefix] == ["Shelf", "put"]
    assert shrunk.observers == ()
    assert shrunk.prefix[0].arguments == ()


def test_arguments_become_the_simplest_that_still_fail():
    test = case([new(), call("put", "key", 17)], [call("take", "key")], [call("take", "key")])

    def fails(tried):
        put, takes = tried.prefix[-1], [thread[0].arguments for thread in tried.threads]
        return len(put.arguments) == 2 and all(take == put.arguments[:1] for take in takes)

    shrunk = shrink_test(test, fails)
    # The key becomes simpler in all three calls at once, because they need the same one.
    assert shrunk.prefix[-1].arguments == (Literal("a"), Literal(0))
    assert [thread[0].arguments for thread in shrunk.threads] == [(Literal("a"),)] * 2


@pytest.mark.parametrize(
    ("value", "needs", "expected"),
    [
        (Literal(7), lambda value: value != Literal(0), Literal(1)),
        (Literal("some text"), lambda value: True, Literal("a")),
        (Literal(b"some"), lambda value: True, Literal(b"a")),
        (Literal(True), lambda value: True, Literal(False)),
        (Container("list", (Literal(5), Literal(6))), lambda value: True, Container("list")),
        (
            Container("list", (Literal(5), Literal(6))),
            lambda value: len(value.items) == 1,
            Container("list", (Literal(0),)),
        ),
        (
            Container("dict", (Literal("a"), Literal(6))),
            lambda value: value.items,
            Container("dict", (Literal("a"), Literal(0))),
        ),
        (
            New(Imported("io", "BytesIO"), (Literal(b"x"),)),
            lambda value: isinstance(value, New),
            New(Imported("io", "BytesIO")),
        ),
        (Callback("done", Literal(5)), lambda value: isinstance(value, Callback), Callback("done")),
        (Stub((("a", Literal(1)), ("b", Literal(1)))), lambda value: isinstance(value, Stub), Stub()),
    ],
)
def test_each_expression_shrinks(value, needs, expected):
    test = case([new()], [call("put", value)], [call("put", value)])

    def fails(tried):
        return all(len(thread[0].arguments) == 1 and needs(thread[0].arguments[0]) for thread in tried.threads)

    shrunk = shrink_test(test, fails)
    assert [thread[0].arguments for thread in shrunk.threads] == [(expected,), (expected,)]


def test_optional_arguments_are_dropped():
    shrunk = shrink_test(
        case([new(SHELF, 5, name="b")], [call("take", "a", 1, takes=["key"])], [call("take", "a")]),
        lambda tried: all(thread[0].arguments for thread in tried.threads),
    )
    assert (shrunk.prefix[0].arguments, shrunk.prefix[0].keywords) == ((), ())
    assert len(shrunk.threads[0][0].arguments) == 1


def test_a_simpler_constructor_is_used():
    create = Method("create", MethodKind.CONSTRUCTOR, SHELF)
    shrunk = shrink_test(
        case([new(SHELF, 5)], [call("take")], [call("take")]),
        lambda tried: not tried.prefix[0].arguments and tried.prefix[0].method.name == "create",
        constructors=[create],
    )
    assert shrunk.prefix[0].method == create


def test_the_shared_object_replaces_a_second_instance():
    second = replace(new(), result="other")
    other = Variable("other")
    test = case(
        [new(), second], [replace(call("take", "a"), receiver="other")], [call("put", Container("list", (other,)), 1)]
    )
    shrunk = shrink_test(test, lambda tried: calls_in_threads(tried) == ["take", "put"])
    assert [one.result for one in shrunk.prefix] == [SHARED]
    assert shrunk.threads[0][0].receiver == SHARED


def test_tests_with_undefined_variables_are_not_tried():
    test = case([new(), call("open", result="drawer")], [call("put", Variable("drawer"))], [call("take", on="drawer")])
    tried = []

    def fails(candidate):
        tried.append(candidate)
        return False

    assert shrink_test(test, fails) == test
    assert tried
    assert all(map(is_closed, tried))


def test_is_closed_knows_where_variables_are_visible():
    local = case([new()], [call("open", result="a"), call("put", Variable("a"))], [call("take")])
    assert is_closed(local)
    assert not is_closed(case([new()], [call("open", result="a")], [call("put", Variable("a"))]))  # another thread's
    assert not is_closed(case([call("open")], [call("take")], [call("take")]))  # nothing constructs the object
    assert not is_closed(case([new(result="other")], [call("take")], [call("take")]))


def test_unused_results_are_not_assigned():
    test = case([new(), call("open", result="drawer")], [call("take", result="x")], [call("take")])
    assert [one.result for one in without_unused_results(test).calls()] == [SHARED, "", "", ""]


def test_every_kept_test_is_simpler_and_fails():
    seen = []

    def fails(tried):
        seen.append(tried)
        return len(seen) % 3 == 0  # every third test fails

    test = case([new(SHELF, 5), call("put", "b", 1), call("put", "a", 2)], [call("take", "a")] * 2, [call("take", "b")])
    shrunk = shrink_test(test, fails)
    assert rank(shrunk) < rank(test)
    assert shrunk in [without_unused_results(one) for one in seen[2::3]]


def test_the_number_of_tries_is_limited():
    seen = []
    test = case([new(), *(call("put", "b", n) for n in range(30))], [call("take", "a")], [call("take", "b")])
    shrink_test(test, lambda tried: bool(seen.append(tried)), tries=7)
    assert len(seen) == 7


def test_shrinking_is_deterministic_and_reaches_a_fixed_point():
    def fails(tried):
        return "put" in map(str, (one.method for one in tried.prefix))

    test = case([new(SHELF, 5), call("put", "b", 9), call("put", "a", 2)], [call("take", "a")], [call("take", "b")])
    once = shrink_test(test, fails)
    assert shrink_test(test, fails) == once == shrink_test(once, fails)


def test_simplest_values_do_not_shrink():
    assert shrink_test(PLAIN, lambda tried: False) == PLAIN
    assert list(simpler_expressions(Imported("io", "BytesIO"))) == []
