"""The code that the rewriter generates."""

from __future__ import annotations

import ast

import pytest
from probed_source import code

from raddle.instrument import rewrite


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x.a", "__raddle__.read(x, 'a', 0)"),
        ("x.a = v", "__raddle__.write(v, x, 'a', 0)"),
        ("del x.a", "__raddle__.delete(x, 'a', 0)"),
        ("x.m(y)", "__raddle__.method(x, 'm', 0)(y)"),
        ("x[k]", "__raddle__.getitem(x, k, 0)"),
        ("x[1:]", "__raddle__.getitem(x, __raddle__.slice(1, None, None), 0)"),
        ("x[k] = v", "__raddle__.setitem(v, x, k, 0)"),
        ("del x[k]", "__raddle__.delitem(x, k, 0)"),
        ("k in x", "__raddle__.contains(k, x, 0)"),
        ("k not in x", "not __raddle__.contains(k, x, 0)"),
        ("for i in x: pass", "for i in __raddle__.iterate(x, 0):\n    pass"),
        ("if x: pass", "if __raddle__.content(x, 0):\n    pass"),
        ("with x: pass", "with __raddle__.guard(x, 0):\n    pass"),
        ("x += y", "x = __raddle__.inplace('iadd', x, y, 0)"),
        ("len(x)", "__raddle__.function(len, 0)(x)"),
        ("f(*x, **y)", "f(*__raddle__.content(x, 0), **__raddle__.content(y, 1))"),
        ("a, b = x", "a, b = __raddle__.content(x, 0)"),
        ("x == y", "__raddle__.content(x, 0) == __raddle__.content(y, 1)"),
        ("x + y", "__raddle__.content(x, 0) + __raddle__.content(y, 1)"),
        ("x * 2", "__raddle__.content(x, 0) * 2"),
        ("'%s' % x", "'%s' % __raddle__.content(x, 0)"),
        (
            "from m import *\nf(x[1:])",
            "from m import *\n__raddle__.function(f, 0)(__raddle__.getitem(x, __raddle__.slice(1, None, None), 1))",
        ),
        ("slice = f\nx[1:]", "slice = f\n__raddle__.getitem(x, __raddle__.slice(1, None, None), 0)"),
    ],
)
def test_a_form_is_rewritten_to_its_probe(source: str, expected: str) -> None:
    # Both sides are unparsed, because Python versions differ in where `ast.unparse` adds parentheses.
    assert code(source) == ast.unparse(ast.parse(expected))


@pytest.mark.parametrize(
    "source",
    [
        "x", "x = y", "x += 1", "x += 'a'", "x == 1", "x is y", "x < y", "x + 1", "x % y", "list()",
        "for i in range(3):\n    pass",
        "1 in (1, 2)", "a, b = (b, a)", "if __debug__:\n    pass", "del x", "f(x)", "x: y.z", "super().x",
        "[0 for x.a in (1, 2)]", "import a.b", "from a import b",
    ],
)  # fmt: skip
def test_code_without_shared_accesses_is_unchanged(source: str) -> None:
    assert code(source) == ast.unparse(ast.parse(source))


def test_a_function_gets_enter_and_leave_probes() -> None:
    assert code("def f(x: y.z=d.e) -> y.z:\n    'doc'\n    return x.a") == (
        "def f(x: y.z=__raddle__.read(d, 'e', 0)) -> y.z:\n"
        '    """doc"""\n'
        "    __raddle__.enter(1)\n"
        "    try:\n"
        "        return __raddle__.read(x, 'a', 2)\n"
        "    finally:\n"
        "        __raddle__.leave(3)"
    )


def test_a_mutated_global_gets_name_probes() -> None:
    rewritten = code("x = 1\ndef f():\n    global x\n    x = x")
    scope = "__raddle__.globals()"
    assert rewritten.startswith(f"x = __raddle__.write_name(1, {scope}, 'x', 0)")
    assert f"x = __raddle__.write_name((__raddle__.read_name({scope}, 'x', 2), x)[1], {scope}, 'x', 3)" in rewritten


def test_a_local_target_needs_no_temporary_name() -> None:
    assert "_raddle_" not in code("def f(x, k):\n    x.a += g()\n    x[k] += g()").replace("__raddle__", "")


def test_a_computed_target_is_stored_in_a_temporary_name() -> None:
    assert code("f().a += 1") == (
        "_raddle_1 = f()\n"
        "try:\n"
        "    __raddle__.write("
        "__raddle__.inplace('iadd', __raddle__.read(_raddle_1, 'a', 0), 1, 1), _raddle_1, 'a', 2)\n"
        "finally:\n"
        "    del _raddle_1"
    )


def test_calls_of_pytests_helpers_are_not_instrumented() -> None:
    tree = ast.parse("AR.check(x.a)\nPY = x.a\nPY.b")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = {"AR": "@pytest_ar", "PY": "@py_assert1"}.get(node.id, node.id)
    rewritten = ast.unparse(rewrite("", file="m.py", base=0, tree=tree).tree)
    assert rewritten.splitlines() == [
        "@pytest_ar.check(x.a)",  # pytest's code, which runs after the assertion has failed
        "@py_assert1 = __raddle__.read(x, 'a', 0)",
        "__raddle__.read(@py_assert1, 'b', 1)",  # the user's expression, split into steps
    ]


def test_every_new_node_has_a_line() -> None:
    source = "class C:\n  def f(self):\n    x, self.a[0] = self.b\n    for self.c in self.d: self.e += 1\n"
    tree = rewrite(source, file="m.py", base=0).tree
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.stmt)):
            assert 1 <= node.lineno <= 4, ast.dump(node)
