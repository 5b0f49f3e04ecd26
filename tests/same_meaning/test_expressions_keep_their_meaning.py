"""Expressions behave the same with probes."""

from __future__ import annotations

from meaning import Form, assert_same_meaning, forms, read_forms


@forms(read_forms("expressions"))
def test_an_expression_behaves_the_same_with_probes(form: Form) -> None:
    assert_same_meaning(form)
