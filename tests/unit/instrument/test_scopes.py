"""Names in scopes: which are shared, and which function owns them."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest
from probed_source import accesses, code

from raddle.instrument.scopes import analyze


def cells(source: str) -> dict[str, set[str]]:
    """Return the shared cells of each function that has any."""
    scopes = analyze(ast.parse(dedent(source))).by_node.values()
    return {scope.qualname: scope.cells for scope in scopes if scope.cells}


@pytest.mark.parametrize(
    "body",
    [
        "x = 0\ndef g():\n    nonlocal x\n    x = 1",  # written in the inner function
        "x = 0\nx = 1\ndef g(): x",  # bound twice
        "x += 1\ndef g(): x",  # bound as an argument and by the assignment
        "for y in []: pass\ndef g(): y",  # bound in a loop
        "while 1: y = 1\ndef g(): y",
        "def g(): y\ny = 1",  # bound after the capture
        "[y := i for i in z]\ndef g(): y",
        "x = 0\nh = lambda: x\nx = 1",
        "x = 0\nh = (x for i in z)\nx = 1",  # a generator may run later, in another thread
        "class C:\n    def m(self): x\nx = 1",
        "def g():\n    def h():\n        nonlocal x\n        x = 1",
        "def g(): y\nimport y",
        "def g(): y\nwith z as y: pass",
        "def g(): y\nmatch z:\n    case {**y}: pass",
        "def g(): y\ntry: pass\nexcept E as y: pass",
        "def g(): y\ndef y(): pass",
    ],
)
def test_a_captured_name_that_is_rebound_is_a_shared_cell(body: str) -> None:
    names = cells("def f(x, z):\n" + "".join(f"    {line}\n" for line in body.splitlines()))
    assert names in ({"f": {"x"}}, {"f": {"y"}})


@pytest.mark.parametrize(
    "body",
    [
        "def g(): x",  # an argument that never changes
        "y = 1\ndef g(): y",
        "y = 1\ny = 2",  # not captured
        "y = 1\n[y for i in z]\ny = 2",  # a list comprehension runs immediately
        "class C:\n    y = x\nx = 1",  # a class body runs immediately
        "def g(y): y\ny = 1\ny = 2",  # the parameter is another `y`
        "def g():\n    global y\n    y = 1\ny = 1\ny = 2",
        "def g(): return g()",  # bound by its definition only
        "[lambda: i for i in z]",  # the comprehension's own name
    ],
)
def test_other_names_are_not_shared_cells(body: str) -> None:
    assert cells("def f(x, z):\n" + "".join(f"    {line}\n" for line in body.splitlines())) == {}


def test_methods_do_not_capture_names_of_the_class_body() -> None:
    assert cells("def f():\n  x = 1\n  x = 2\n  class C:\n    x = 3\n    def m(self): x\n") == {"f": {"x"}}
    assert cells("class C:\n  x = 1\n  x = 2\n  def m(self): x\n") == {}


def test_globals_that_functions_rebind_are_mutated_globals() -> None:
    tree = ast.parse("a = b = c = 0\ndef f():\n  global a, b, d\n  a = 1\n  b\n  del d\ndef g(): c = 1")
    assert analyze(tree).mutated_globals == {"a", "d"}


def test_only_mutated_globals_get_probes() -> None:
    source = "a = b = 0\ndef f():\n    global a\n    a = b\ndef g(a): return a\ndef h(): return a, b"
    assert accesses(source) == ["1 write a !", "4 write a !", "6 read a !"]


def test_global_in_a_class_does_not_apply_to_its_methods() -> None:
    # As in CPython, `global` in a class applies to the x of the class body, not to that of the method.
    source = """
        def f():
            x = 1
            x = 2
            class C:
                global x
                x = 3
                def m(self): return x
        """
    assert cells(source) == {"f": {"x"}}


def test_each_owning_function_has_its_token() -> None:
    rewritten = code("""
        def f():
            x = 0
            def g():
                nonlocal x
                x = 1
                y = 0
                def h():
                    nonlocal y
                    y = x
        """)
    assert rewritten.count("_raddle_cells_1 = __raddle__.cells()") == 1
    assert rewritten.count("_raddle_cells_2 = __raddle__.cells()") == 1
    assert "y = __raddle__.write_name((__raddle__.read_name(_raddle_cells_1, 'x'" in rewritten


def test_without_tokens_the_probe_names_the_owner() -> None:
    rewritten = code("class C:\n  def f(s):\n    x = 0\n    def g():\n      nonlocal x\n      x = 1", tokens=False)
    assert "cells" not in rewritten
    assert "write_name(1, 'C.f', 'x'" in rewritten


@pytest.mark.parametrize(("name", "mangled"), [("__x", "_C__x"), ("__x__", "__x__"), ("_x", "_x"), ("x", "x")])
def test_private_names_are_mangled(name: str, mangled: str) -> None:
    tree = ast.parse("class __C:\n    def f(self): pass")
    (scope,) = [scope for scope in analyze(tree).by_node.values() if scope.qualname == "__C.f"]
    assert scope.mangled(name) == mangled
