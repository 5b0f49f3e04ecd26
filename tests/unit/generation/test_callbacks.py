"""What callbacks have received is part of the outcome, in the search as well as in exported tests."""

from __future__ import annotations

import observing_classes
from sample_cases import call, case, new, violation

from raddle.execute.thread_installation import Threads
from raddle.exploring.workbench import Workbench
from raddle.generation.binding import add_sites, bind
from raddle.generation.callbacks import MAX_CALLBACKS, observers_of_callbacks
from raddle.generation.expressions import Callback, Container, Imported, Literal, Values
from raddle.generation.naming import Problem
from raddle.generation.rendering import Header, Shown, render
from raddle.generation.shrinking import without_unused_results
from raddle.generation.surface import MethodKind
from raddle.generation.verification import verify
from raddle.instrument import Selection
from raddle.linearizability.checker import Checker
from raddle.linearizability.judgment import Oracle

MODULE = observing_classes.__name__
ORDER, LAZY = Imported(MODULE, "Order"), Imported(MODULE, "Lazy")
LISTENER = Callback("listener")


def told(name, cls=ORDER):
    return call(name, on="", kind=MethodKind.CALLBACK, cls=cls)


PAID = case([new(ORDER)], [call("on_paid", LISTENER, cls=ORDER)], [call("pay", cls=ORDER)], observe=[told("listener")])
MADE_TWICE = case(
    [new(LAZY, Callback("factory", Literal(7)))],
    [call("get", cls=LAZY)],
    [call("get", cls=LAZY)],
    observe=[told("factory", LAZY)],
)


def violated(test):
    with Workbench(Threads(Selection(sources=(MODULE,)))) as workbench:
        add_sites(workbench.installation.table)
        with Checker(workbench, bind(test)) as checker:
            return checker.search().failure.violation


def text(test):
    return render(test, Shown(Problem(Oracle.STATE)), Header(MODULE, "raddle generate", source=(MODULE,)))


def test_a_callback_that_is_never_called_is_noticed():
    # In both orders of whole calls, the listener is called once.
    found = violated(PAID)
    assert found.oracle is Oracle.STATE
    assert found.history.observed[0].value == ("list",)


def test_a_callback_that_is_called_twice_is_noticed():
    # Both calls return 7, so only the number of calls shows it.
    assert violated(MADE_TWICE).oracle is Oracle.STATE


def test_exported_tests_record_the_calls(tmp_path):
    for test in PAID, MADE_TWICE:
        report = verify(text(test), file=tmp_path / "test_it.py")
        assert (report.problem, report.oracle) == ("", "state")


def test_the_recorder_is_a_function_that_appends_to_a_list():
    assert """\
        calls = []

        def listener(*args, **kwargs):
            calls.append((args, kwargs))

        order = Order()
        return SimpleNamespace(order=order, listener=listener, calls=calls)
""" in text(PAID)
    assert """\
        def factory(*args, **kwargs):
            calls.append((args, kwargs))
            return 7

        lazy = Lazy(factory)
        return SimpleNamespace(lazy=lazy, calls=calls)
""" in text(MADE_TWICE)


def test_each_callback_has_a_list_of_its_own():
    two = case(
        [new(ORDER), call("on_paid", LISTENER, cls=ORDER)],
        [call("on_paid", Callback("other"), cls=ORDER)],
        [call("pay", cls=ORDER)],
        observe=[told("listener"), told("other")],
    )
    rendered = text(two)
    assert "listener_calls = []\n        other_calls = []\n" in rendered
    assert "lambda made: sorted(made.other_calls, key=repr)" in rendered


def test_callbacks_are_not_recorded_unless_the_outcome_depends_on_it():
    found = violation(Oracle.EXCEPTIONS, (0, 0))
    problem = Problem(Oracle.EXCEPTIONS, found.calls, found.exception)
    rendered = render(PAID, Shown(problem), Header(MODULE, "raddle generate"))
    assert "lambda *args, **kwargs: None" in rendered
    assert "calls.append" not in rendered


def test_the_order_of_the_calls_of_a_callback_does_not_count():
    values = Values()
    callback = values.of(LISTENER)
    callback(2)
    callback(1, now=True)
    assert values.received("listener") == [((1,), {"now": True}), ((2,), {})]


def test_callbacks_inside_other_arguments_are_observed_up_to_a_limit():
    row = Container("list", tuple(Callback(f"on_{number}") for number in range(MAX_CALLBACKS + 1)))
    observers = observers_of_callbacks([call("extend", row)], ORDER)
    assert [one.method.name for one in observers] == ["on_0", "on_1", "on_2"]


def test_an_observer_of_a_callback_that_is_no_longer_passed_is_dropped():
    shrunk = case([new(ORDER)], [call("pay", cls=ORDER)], [call("pay", cls=ORDER)], observe=[told("listener")])
    assert without_unused_results(shrunk).observers == ()
    assert without_unused_results(PAID) == PAID
