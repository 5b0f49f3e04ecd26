"""Probes for basic blocks change neither the behavior of the code nor its other sites."""

from __future__ import annotations

import ast
import sysconfig
from pathlib import Path

import pytest
from meaning import FILE, Form, forms, read_forms, run

from raddle.instrument import rewrite
from raddle.instrument.compiled import compile_probed

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
FORMS = [form for kind in ("expressions", "statements", "targets") for form in read_forms(kind)]


@forms(FORMS)
def test_a_form_with_block_probes_behaves_the_same(form: Form) -> None:
    plain = run(compile(form.source, FILE, "exec", dont_inherit=True))
    for tokens in (True, False):
        code = compile_probed(form.source, file=FILE, path=FILE, tokens=tokens, blocks=True).code
        assert run(code) == plain
        recorded = run(code, recording=True)
        assert recorded == plain
        assert "block" in recorded.probes or not form.source.strip()  # the body of a module is a block


@forms(FORMS)
def test_block_probes_do_not_change_other_sites(form: Form) -> None:
    without = rewrite(form.source, file=FILE, base=0).sites
    assert all(site.kind != "block" for site in without)
    found = rewrite(form.source, file=FILE, base=0, blocks=True).sites
    assert tuple(site for site in found if site.kind != "block") == without


@pytest.mark.parametrize("name", ["argparse", "contextlib", "dataclasses", "enum", "queue", "threading", "typing"])
def test_block_probes_keep_all_lines(name: str) -> None:
    path = LIBRARY / f"{name}.py"
    source = path.read_bytes()
    with_blocks = compile_probed(source, file=path.name, path=str(path), blocks=True)
    without = compile_probed(source, file=path.name, path=str(path))
    assert with_blocks.base == without.base
    added = _lines(with_blocks.code) - _lines(without.code)
    assert _lines(without.code) <= _lines(with_blocks.code)
    # No code is compiled for a line with only `try:` or `if (`, but a block can begin there.
    assert added <= {statement.lineno for statement in ast.walk(ast.parse(source)) if isinstance(statement, ast.stmt)}


def _lines(code: object) -> set[int]:
    assert hasattr(code, "co_lines")
    own = {line for _, _, line in code.co_lines() if line}
    return own.union(*(_lines(constant) for constant in code.co_consts if hasattr(constant, "co_lines")))
