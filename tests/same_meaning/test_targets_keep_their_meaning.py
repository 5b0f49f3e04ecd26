"""Assignments, deletions, and the targets of loops and `with` blocks behave the same with probes."""

from __future__ import annotations

from meaning import Form, assert_same_meaning, forms, read_forms


@forms(read_forms("targets"))
def test_a_target_behaves_the_same_with_probes(form: Form) -> None:
    assert_same_meaning(form)
