"""Calls that return iterators consume them, in the search as well as in exported tests."""

from __future__ import annotations

import io
import types
from random import Random

import iterating_classes
import pytest
from iterating_classes import Cursor, Items, Rows
from running import sequential_runner
from sample_cases import call, case, new

from raddle.execute.thread_installation import Threads
from raddle.exploring.workbench import Workbench
from raddle.generation.binding import add_sites, bind
from raddle.generation.expressions import Imported
from raddle.generation.inspect_class import inspect_class
from raddle.generation.iterators import is_consumable
from raddle.generation.naming import Problem
from raddle.generation.pools import ArgumentPools
from raddle.generation.prefixes import draw_working_call
from raddle.generation.rendering import Header, Shown, render
from raddle.generation.testcase import SHARED, Call
from raddle.generation.verification import verify
from raddle.instrument import Selection
from raddle.linearizability.checker import Checker
from raddle.linearizability.judgment import Oracle

MODULE = iterating_classes.__name__
ROWS = Imported(MODULE, "Rows")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (types.GeneratorType, True),
        (map, True),
        (type(iter({}.items())), True),
        (list, False),
        (io.StringIO, False),  # a stream has other uses
        (Items, True),
        (Cursor, False),
    ],
)
def test_iterators_without_methods_are_consumed(kind, expected):
    assert is_consumable(kind, Rows) is expected


@pytest.mark.parametrize(
    ("name", "consumed", "kind"),
    [("rows", True, list), ("texts", True, list), ("cursor", False, Cursor), ("reader", False, io.StringIO)],
)
def test_drawn_calls_consume_iterators(name, consumed, kind):
    pools = ArgumentPools(inspect_class(Rows))
    (method,) = (one for one in pools.surface.methods if one.name == name)
    prefix = (new(ROWS),)
    with sequential_runner() as runner:
        drawn = draw_working_call(runner, pools, Random(1), prefix, method, {SHARED: Rows})
        assert drawn.consumed is consumed
        assert runner.run((*prefix, drawn)).returned[-1] is kind


def test_an_exported_test_consumes_the_iterator(tmp_path):
    rows = Call(call("rows", cls=ROWS).method, consumed=True)
    put = call("put", "b", cls=ROWS)
    test = case([new(ROWS), call("put", "a", cls=ROWS)], [rows], [put])
    with Workbench(Threads(Selection(sources=(MODULE,)))) as workbench:
        add_sites(workbench.installation.table)
        with Checker(workbench, bind(test)) as checker:
            failure = checker.search().failure
    assert failure.violation.exception == "RuntimeError"  # the size of the dictionary changed
    problem = Problem(Oracle.EXCEPTIONS, failure.violation.calls, failure.violation.exception)
    text = render(test, Shown(problem), Header(MODULE, "raddle generate", source=(MODULE,)))
    assert "lambda rows: list(rows.rows())" in text
    report = verify(text, file=tmp_path / "test_rows.py")
    assert (report.problem, report.exception) == ("", "RuntimeError")
