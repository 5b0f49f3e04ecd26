"""Names: which are shared, and who owns them."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest
from probed_source import accesses, code

from raddle.instrument.scopes import analyze


def cells(source: str) -> dict[str, set[str]]:
    """The shared cells of each function that has some."""
    scopes = analyze(ast.parse(dedent(source))).by_node.values()
    return {scope.qualname: scope.cells for scope in scopes if scope.cells}


@pytest.mark.parametrize(
    "body",
    [
        "x = 0\ndef g():\n    nonlocal x\n    x = 1",  # written inside
        "x = 0\nx = 1\ndef g(): x",  # bound twice
        "x += 1\ndef g(): x",  # an argument, and once more
        "for y in []: pass\ndef g(): y",  # bound in a loop
        "while 1: y = 1\ndef g(): y",
        "def g(): y\ny = 1",  # bound after it was captured
        "[y := i for i in z]\ndef g(): y",
        "x = 0\nh = lambda: x\nx = 1",
        "x = 0\nh = (x for i in z)\nx = 1",  # a generator may run anywhere, at any time
        "class C:\n    def m(self): x\nx = 1",
        "def g():\n    def h():\n        nonlocal x\n        x = 1",
        "def g(): y\nimport y",
        "def g(): y\nwith z as y: pass",
        "def g(): y\nmatch z:\n    case {**y}: pass",
        "def g(): y\ntry: pass\nexcept E as y: pass",
        "def g(): y\ndef y(): pass",
    ],
)
def test_shared_cell(body: str) -> None:
    names = cells("def f(x, z):\n" + "".join(f"    {line}\n" for line in body.splitlines()))
    assert names in ({"f": {"x"}}, {"f": {"y"}})


@pytest.mark.parametrize(
    "body",
    [
        "def g(): x",  # an argument that never changes
        "y = 1\ndef g(): y",
        "y = 1\ny = 2",  # nobody captures it
        "y = 1\n[y for i in z]\ny = 2",  # a list comprehension runs on the spot
        "class C:\n    y = x\nx = 1",  # so does a class body
        "def g(y): y\ny = 1\ny = 2",  # another y
        "def g():\n    global y\n    y = 1\ny = 1\ny = 2",
        "def g(): return g()",  # bound when it is made
        "[lambda: i for i in z]",  # the comprehension's own name
    ],
)
def test_not_a_shared_cell(body: str) -> None:
    assert cells("def f(x, z):\n" + "".join(f"    {line}\n" for line in body.splitlines())) == {}


def test_a_class_is_invisible_to_its_functions() -> None:
    assert cells("def f():\n  x = 1\n  x = 2\n  class C:\n    x = 3\n    def m(self): x\n") == {"f": {"x"}}
    assert cells("class C:\n  x = 1\n  x = 2\n  def m(self): x\n") == {}


def test_mutated_globals() -> None:
    tree = ast.parse("a = b = c = 0\ndef f():\n  global a, b, d\n  a = 1\n  b\n  del d\ndef g(): c = 1")
    assert analyze(tree).mutated_globals == {"a", "d"}


def test_only_mutated_globals_are_probed() -> None:
    source = "a = b = 0\ndef f():\n    global a\n    a = b\ndef g(a): return a\ndef h(): return a, b"
    assert accesses(source) == ["1 write a !", "4 write a !", "6 read a !"]


def test_global_in_a_class_is_not_passed_down() -> None:
    # As CPython has it: the class's `global` redirects its own x, not that of the method.
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


def test_each_owner_has_its_token() -> None:
    made = code("""
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
    assert made.count("_raddle_cells_1 = __raddle__.cells()") == 1
    assert made.count("_raddle_cells_2 = __raddle__.cells()") == 1
    assert "y = __raddle__.write_name((__raddle__.read_name(_raddle_cells_1, 'x'" in made


def test_without_tokens_the_owner_is_named() -> None:
    made = code("class C:\n  def f(s):\n    x = 0\n    def g():\n      nonlocal x\n      x = 1", tokens=False)
    assert "cells" not in made
    assert "write_name(1, 'C.f', 'x'" in made


@pytest.mark.parametrize(("name", "mangled"), [("__x", "_C__x"), ("__x__", "__x__"), ("_x", "_x"), ("x", "x")])
def test_mangling(name: str, mangled: str) -> None:
    tree = ast.parse("class __C:\n    def f(self): pass")
    (scope,) = [scope for scope in analyze(tree).by_node.values() if scope.qualname == "__C.f"]
    assert scope.mangled(name) == mangled
