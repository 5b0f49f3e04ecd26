"""Creates mutants: copies of a program with one lock removed.

The transformation works on the source. The n-th `with self.lock:` (any attribute whose name ends in "lock") is replaced
by its body. A mutant is written to its own file, so that raddle instruments it like any module.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

SUBJECTS = Path(__file__).parent / "subjects"


def subject_names() -> tuple[str, ...]:
    """Return the names of all programs whose locks can be removed."""
    return tuple(sorted(path.stem for path in SUBJECTS.glob("*.py") if path.stem != "__init__"))


def subject_source(name: str) -> str:
    """Return the source of a subject with all its locks."""
    return (SUBJECTS / f"{name}.py").read_text(encoding="utf-8")


def count_locks(source: str) -> int:
    """Return the number of critical sections in the source.

    >>> count_locks("with self.lock:\\n    x = 1\\nwith open(f):\\n    pass")
    1
    """
    return sum(_is_critical_section(node) for node in ast.walk(ast.parse(source)))


def without_lock(source: str, number: int) -> str:
    """Return the source without the lock of critical section `number`. Sections are numbered from 0 in line order.

    >>> print(without_lock("with self.lock:\\n    x = 1\\nwith self.lock:\\n    y = 2", 1))
    with self.lock:
        x = 1
    y = 2
    """
    tree = ast.parse(source)
    found = [node for node in ast.walk(tree) if _is_critical_section(node)]
    if not 0 <= number < len(found):
        raise IndexError(f"there is no critical section {number}: the source has {len(found)}, numbered from 0")
    found.sort(key=lambda node: (node.lineno, node.col_offset))  # type: ignore[attr-defined]
    return ast.unparse(_Removal(found[number]).visit(tree))


class _Removal(ast.NodeTransformer):
    def __init__(self, section: ast.AST) -> None:
        self._section = section

    def visit_With(self, node: ast.With) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        return node.body if node is self._section else node


def _is_critical_section(node: ast.AST) -> bool:
    if not isinstance(node, ast.With) or len(node.items) != 1:
        return False
    lock = node.items[0].context_expr
    return isinstance(lock, ast.Attribute) and lock.attr.endswith("lock")


@contextmanager
def imported(source: str, *, name: str, folder: Path) -> Iterator[ModuleType]:
    """Write the source to a file in the folder, import it, and remove the module again when the context ends."""
    path = folder / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.modules.pop(name, None)
