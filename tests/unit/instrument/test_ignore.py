"""`# raddle: ignore` disables instrumentation on its line, or in its function or class."""

from __future__ import annotations

import pytest
from probed_source import accesses, code

from raddle.instrument.ignore import ignored_lines


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("x  # raddle: ignore", {1}),
        ("x  #raddle:ignore because it is slow", {1}),
        ("x  # raddle: ignored", set()),
        ("'# raddle: ignore'", set()),
        ('"""\n# raddle: ignore\n"""', set()),
        ("x\n# raddle: ignore\ny", {2}),
    ],
)
def test_lines_with_an_ignore_comment_are_recognized(source: str, lines: set[int]) -> None:
    assert ignored_lines(source) == lines


@pytest.mark.parametrize(
    "line",
    [
        "x.a = y.b",
        "x.a += y.b",
        "x.a, y[0] = z.c",
        "del x.a, y[0]",
        "x[1:2, 3] = y[1:]",
        "x.a: int = 3",
        "for x.a in y.b: pass",
        "with x.a as y.b: pass",
        "assert x.a in y.b",
        "lambda: x.a",
        "[x.a for y.b in z.c]",
        "f(x.a, *y.b)",
        "def f(): return x.a",
        "class C: x.a",
        "if x.a: y.b",
        "x += y",
    ],
)
def test_an_ignored_line_has_no_probes(line: str) -> None:
    assert accesses(line) != []
    assert accesses(f"{line}  # raddle: ignore") == []


def test_other_lines_keep_their_probes() -> None:
    source = "x.a\nx.b  # raddle: ignore\nx.c\nif x.d:  # raddle: ignore\n    x.e"
    assert accesses(source) == ["1 read a !", "3 read c !", "5 read e !"]


def test_a_line_inside_an_expression_can_be_ignored() -> None:
    source = "f(\n    lambda: x.a,\n    lambda: x.b,  # raddle: ignore\n    lambda: x.c,\n)"
    assert accesses(source) == ["2 read a !", "4 read c !"]


@pytest.mark.parametrize(
    "header",
    [
        "def f(x):  # raddle: ignore",
        "def f(  # raddle: ignore\n    x,\n):",
        "def f(\n    x,\n):  # raddle: ignore",
    ],
)
def test_an_ignored_function_has_no_probes(header: str) -> None:
    source = f"{header}\n    x.a = 1\n    def g(): x.b\nx.c"
    assert accesses(source)[0].endswith("read c !")
    assert "enter" not in code(source)


def test_an_ignored_class_has_no_probes() -> None:
    assert accesses("class C:  # raddle: ignore\n    def f(self):\n        return self.a\nx.b") == ["4 read b !"]


def test_a_switch_is_possible_after_ignored_code() -> None:
    assert accesses("x.a\nf()  # raddle: ignore\nx.b") == ["1 read a !", "3 read b !"]
