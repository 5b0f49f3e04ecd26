"""Assignment, deletion, and loops and `with` blocks that store, mean the same with probes."""

from __future__ import annotations

from meaning import Form, assert_same_meaning, forms, read_forms


@forms(read_forms("targets"))
def test_target(form: Form) -> None:
    assert_same_meaning(form)
