"""The design page names modules, packages and interfaces that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src/raddle"
PAGE = (ROOT / "docs/design.md").read_text(encoding="utf-8")
PACKAGES = sorted(file.parent for file in SOURCE.rglob("__init__.py"))
CLASSES = {
    node.name: {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    for file in SOURCE.rglob("*.py")
    for node in ast.parse(file.read_text(encoding="utf-8")).body
    if isinstance(node, ast.ClassDef)
}


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([\w/]+(?:/|\.py))`", PAGE))))
def test_every_module_on_the_page_exists(name):
    bases = (SOURCE, ROOT, ROOT / "src", SOURCE / "observers")
    assert any((base / name).exists() for base in bases)


@pytest.mark.parametrize(("name", "method"), sorted(set(re.findall(r"`([A-Z][a-z]\w*)\.(\w+)`", PAGE))))
def test_every_method_on_the_page_exists(name, method):
    attributes = {"Points": {"sites"}, "StepRecorder": {"stream"}}
    assert method in CLASSES[name] | attributes.get(name, set())


def test_every_interface_in_the_table_exists():
    table = PAGE.partition("| interface | where |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| `(.*?)` \|", table, re.MULTILINE)
    assert len(rows) >= 20
    for names, module in rows:
        text = (SOURCE / module).read_text(encoding="utf-8")
        assert all(f"class {name}" in text for name in re.findall(r"\w+", names)), names


def test_every_package_is_in_the_table_of_layers():
    table = PAGE.partition("| layer | packages |")[2].partition("\n\n")[0]
    top = {folder.name for folder in PACKAGES if folder.parent == SOURCE}
    assert top <= set(re.findall(r"`(\w+)`", table))


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_a_package_states_its_purpose_in_one_line(folder):
    purpose = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    assert re.fullmatch(r"[A-Z].*\.", purpose.partition("\n")[0])
