"""Statements, definitions and scopes behave the same with probes."""

from __future__ import annotations

from meaning import Form, assert_same_meaning, forms, read_forms


@forms(read_forms("statements"))
def test_a_statement_behaves_the_same_with_probes(form: Form) -> None:
    assert_same_meaning(form)


def test_a_long_chain_of_branches_behaves_the_same() -> None:
    branches = "".join(f"    elif n == {n}: return {n}\n" for n in range(1, 100))
    source = f"def f(n):\n    if n == 0: return 0\n{branches}r = f(99)"
    assert_same_meaning(Form("chain", frozenset({"enter", "leave"}), source))


def test_the_maximum_number_of_nested_blocks_still_compiles() -> None:
    # The limit is 20 nested blocks. The `enter` and `leave` probes would need one more, so they are omitted.
    loops = "".join(f"{'    ' * depth}for i in x:\n" for depth in range(1, 20))
    source = f"x = [1]\ndef f():\n{loops}{'    ' * 20}log('deepest')\nf()"
    assert_same_meaning(Form("loops", frozenset({"iterate"}), source))


def test_temporary_names_work_inside_many_nested_blocks() -> None:
    loops = "".join(f"{'    ' * depth}while 1:\n" for depth in range(1, 14))
    breaks = "".join(f"{'    ' * depth}break\n" for depth in range(14, 1, -1))
    source = f"b = Box('b')\ndef f():\n{loops}{'    ' * 14}b.x, b.y = 1, 2\n{breaks}f()"
    assert_same_meaning(Form("loops", frozenset({"write"}), source))
