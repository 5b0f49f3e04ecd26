"""Assignments to properties and attributes are calls, in the search as well as in exported tests."""

from __future__ import annotations

from random import Random

import observing_classes
import pytest
from observing_classes import Limits
from sample_cases import call, case, new

from raddle.execute.thread_installation import Threads
from raddle.exploring.workbench import Workbench
from raddle.generation.binding import add_sites, bind
from raddle.generation.class_usage import class_usage
from raddle.generation.expressions import Imported, Literal
from raddle.generation.inspect_class import inspect_class
from raddle.generation.naming import Problem
from raddle.generation.pools import ArgumentPools
from raddle.generation.rendering import Header, Shown, render
from raddle.generation.surface import MethodKind
from raddle.generation.testcase import SHARED
from raddle.generation.usage import Use
from raddle.generation.verification import verify
from raddle.instrument import Selection
from raddle.linearizability.checker import Checker
from raddle.linearizability.judgment import Oracle

MODULE = observing_classes.__name__
LIMITS = Imported(MODULE, "Limits")


def assigned(name, value):
    return call(name, value, kind=MethodKind.ASSIGNMENT, cls=LIMITS)


def assignments(**patterns):
    return [method.name for method in inspect_class(Limits, **patterns).methods if method.kind is MethodKind.ASSIGNMENT]


@pytest.mark.parametrize(
    ("methods", "exclude", "expected"),
    [
        ([], [], ["size"]),  # `fixed` has no setter, and `parts` is an ordinary attribute
        (["share", "parts"], [], ["parts"]),
        (["*"], [], ["size"]),
        (["_size", "share"], [], []),  # private
        ([], ["size"], []),
    ],
)
def test_properties_with_setters_and_named_attributes_are_assigned(methods, exclude, expected):
    assert assignments(methods=methods, exclude=exclude) == expected


def test_the_value_is_guessed_from_the_setter_and_its_getter():
    pools = ArgumentPools(inspect_class(Limits))
    (setter,) = (method for method in pools.surface.methods if method.kind is MethodKind.ASSIGNMENT)
    assert class_usage(Limits).of(setter, "value").has(Use.ORDERED)
    drawn = {pools.draw_call(Random(seed), setter, {SHARED: Limits}).arguments[0].value for seed in range(30)}
    assert drawn <= {0, 1, 2, 3, 10, -1, 100}


def test_the_value_of_an_attribute_is_guessed_from_the_constructor():
    surface = inspect_class(Limits, methods=["parts"])
    assert class_usage(Limits).of(surface.methods[0], "parts").has(Use.ARITHMETIC)


def test_an_assignment_can_break_another_call(tmp_path):
    test = case([new(LIMITS)], [call("share", cls=LIMITS)], [assigned("parts", 0)])
    with Workbench(Threads(Selection(sources=(MODULE,)))) as workbench:
        add_sites(workbench.installation.table)
        with Checker(workbench, bind(test)) as checker:
            failure = checker.search().failure
    assert failure.violation.exception == "ZeroDivisionError"
    problem = Problem(Oracle.EXCEPTIONS, failure.violation.calls, failure.violation.exception)
    text = render(test, Shown(problem), Header(MODULE, "raddle generate", source=(MODULE,)))
    assert "def test_share_while_set_parts_raises_zero_division_error():" in text
    assert "One thread calls share() while another sets parts." in text
    assert "    def call_set_parts(limits):\n        limits.parts = 0\n" in text
    report = verify(text, file=tmp_path / "test_limits.py")
    assert (report.problem, report.exception) == ("", "ZeroDivisionError")


def test_an_assignment_in_the_setup_is_a_statement():
    test = case([new(LIMITS), assigned("size", Literal(5))], [call("share", cls=LIMITS)], [call("share", cls=LIMITS)])
    text = render(test, Shown(Problem(Oracle.RESULTS)), Header(MODULE, "raddle generate"))
    assert "        limits = Limits()\n        limits.size = 5\n        return limits\n" in text
