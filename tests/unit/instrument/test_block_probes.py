"""Basic blocks: where they begin, and the probes that record them."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from raddle import probe
from raddle.instrument import install_hook, instrument_module, rewrite, site_base
from raddle.instrument.cache import compile_cached
from raddle.instrument.compiled import compile_probed
from raddle.site import Site, SiteTable


def block_sites(source: str) -> list[Site]:
    found = rewrite(dedent(source), file="m.py", base=0, blocks=True).sites
    return [site for site in found if site.kind == "block"]


def lines(source: str) -> list[int]:
    """Return the lines on which blocks begin."""
    return sorted(site.line for site in block_sites(source))


# In all sources, line 1 is empty and the code begins on line 2. The first statement of a module always begins a block.


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("\na\nb\nc", [2]),  # one straight sequence
        ("\nif a:\n    b\n    c\nd", [2, 3, 5]),  # the branch, and the statement after the `if`
        ("\nif a:\n    b\nelse:\n    c\nd", [2, 3, 5, 6]),
        ("\nif a:\n    b\nelif c:\n    d\ne", [2, 3, 4, 5, 6]),  # the second test is a separate block
        ("\nif a:\n    b", [2, 3]),  # no statement follows the branch
        ("\nif True:\n    a\nelse:\n    b\nc", [2, 3]),  # `b` is unreachable; `c` belongs to the block of `a`
        ("\nif 0:\n    a\nb", [2, 3 + 1]),
        ("\nfor a in b:\n    c\nd", [2, 3, 4]),
        ("\nfor a in b:\n    c\nelse:\n    d\ne", [2, 3, 5]),  # no break: `e` always runs after `d`
        ("\nfor a in b:\n    break\nelse:\n    d\ne", [2, 3, 5, 6]),
        ("\nwhile a:\n    if b:\n        continue\n    c\nd", [2, 3, 4, 5, 6]),
        ("\nwhile True:\n    a\nb", [2, 3]),  # `b` is unreachable
        ("\nwhile 1:\n    if a:\n        break\nb", [2, 3, 4, 5]),
        ("\nwith a:\n    b\nc", [2]),  # no branch
        ("\nwith a:\n    if b:\n        c\nd", [2, 4, 5]),
        ("\ntry:\n    a\nexcept B:\n    c\nd", [2, 5, 6]),
        ("\ntry:\n    a\nexcept B:\n    c\nelse:\n    d\nfinally:\n    e\nf", [2, 5, 7, 9, 10]),
        ("\ntry:\n    a\nexcept B:\n    raise\nc", [2, 5, 6]),  # `c` runs only if `a` raised nothing
        ("\ntry:\n    a\nexcept B:\n    raise\nelse:\n    c\nd", [2, 5, 7]),  # `d` always runs after `c`
        ("\ntry:\n    a\nfinally:\n    b\nc", [2, 5, 6]),
        ("\nmatch a:\n    case 1:\n        b\n    case 2:\n        c\nd", [2, 4, 6, 7]),
        ("\nmatch a:\n    case 1:\n        raise\n    case _:\n        c\nd", [2, 4, 6]),  # `d` can only follow `c`
        ("\nmatch a:\n    case 1:\n        b\n    case _ if c:\n        raise\nd", [2, 4, 6, 7]),
    ],
)
def test_blocks_begin_after_branches_and_where_paths_join(source: str, expected: list[int]) -> None:
    assert lines(source) == expected


@pytest.mark.parametrize("jump", ["return", "raise", "return a", "raise a"])
def test_code_after_a_jump_is_unreachable_and_has_no_block(jump: str) -> None:
    assert lines(f"\ndef f():\n    {jump}\n    b\n    if c:\n        d") == [2, 3]


def test_the_statement_after_a_with_that_returns_begins_a_block() -> None:
    assert lines("\ndef f():\n    with a:\n        return b\n    return c") == [2, 3, 5]


def test_functions_begin_blocks_and_class_bodies_do_not() -> None:
    source = """
        class C:
            if a:
                b = 1
            def f(self):
                return 1
            if a:
                async def g(self):
                    return 2
        h = lambda: 3
        """
    assert [(site.line, site.function) for site in block_sites(source)] == [
        (2, "<module>"), (6, "C.f"), (9, "C.g"),
    ]  # fmt: skip


def test_docstrings_and_future_imports_stay_first() -> None:
    source = '''
        """A docstring."""
        from __future__ import annotations
        def f():
            """Another."""
            global x
            x = 1
        def g(): ...
        def h():
            """Nothing else."""
        f()
        '''
    assert lines(source) == [4, 7]  # stubs contain no statements to run
    namespace: dict[str, object] = {probe.NAME: probe}
    exec(compile_probed(dedent(source), file="m.py", path="m.py", blocks=True).code, namespace)
    assert (namespace["x"], namespace["__doc__"]) == (1, "A docstring.")
    assert namespace["f"].__doc__ == "Another."  # type: ignore[attr-defined]


def test_a_decorated_function_begins_with_its_decorator() -> None:
    assert lines("\nif a:\n    @b\n    def f(): pass") == [2, 3, 4]


def test_ignored_lines_get_no_probe() -> None:
    assert lines("\nif a:\n    b  # raddle: ignore\n    c") == [2]
    assert lines("\na\ndef f():  # raddle: ignore\n    b") == [2]


def test_an_assertion_rewritten_by_pytest_is_not_a_branch() -> None:
    import ast

    from _pytest.assertion.rewrite import rewrite_asserts

    source = "a = 1\nassert a == 1 and a < 2, 'no'\nb = 2\n"
    tree = ast.parse(source)
    rewrite_asserts(tree, source.encode(), "m.py", None)
    found = rewrite(source, file="m.py", base=0, tree=tree, blocks=True).sites
    # pytest inserts two imports at the beginning, on line 1.
    assert [(site.kind, site.line) for site in found if site.kind == "block"] == [("block", 1)]


# -- probes -----------------------------------------------------------------------------------------

SOURCE = """
def f(x):
    if x:
        return 1
    return 2
"""


def block_lines(log: list[tuple[str, int]], table: SiteTable) -> list[int]:
    return [table[site].line for name, site in log if name == "block"]


def test_block_probes_are_called_in_a_module_instrumented_in_place(
    imported: Callable[..., ModuleType], log: list[tuple[str, int]]
) -> None:
    module, table = imported(SOURCE), SiteTable()
    with instrument_module(module, table, blocks=True):
        assert module.f(0) == 2
    assert block_lines(log, table) == [3, 5]


def test_block_probes_are_called_in_a_module_instrumented_at_import(
    folder: Path, imported: Callable[..., ModuleType], log: list[tuple[str, int]]
) -> None:
    table = SiteTable()
    with install_hook(lambda name, path: name == "subject", table, blocks=True):
        module = imported(SOURCE)
    assert module.f(1) == 1
    assert block_lines(log, table) == [2, 3, 4]


def test_there_are_no_block_probes_by_default(imported: Callable[..., ModuleType], log: list[tuple[str, int]]) -> None:
    module, table = imported(SOURCE), SiteTable()
    with instrument_module(module, table):
        assert module.f(0) == 2
    assert block_lines(log, table) == []


def test_block_sites_are_numbered_after_all_other_sites() -> None:
    without, with_ = (compile_probed(SOURCE, file="m.py", path="m.py", blocks=blocks) for blocks in (False, True))
    assert without.base == site_base("m.py", SOURCE)
    assert with_.base == without.base
    assert with_.sites[: len(without.sites)] == without.sites
    assert {site.kind for site in with_.sites[len(without.sites) :]} == {"block"}


def test_the_cache_stores_code_with_and_without_block_probes(folder: Path) -> None:
    path = folder / "subject.py"
    path.write_text(SOURCE)
    source = path.read_bytes()
    first = [compile_cached(source, file="subject.py", path=str(path), blocks=blocks) for blocks in (False, True)]
    second = [compile_cached(source, file="subject.py", path=str(path), blocks=blocks) for blocks in (False, True)]
    assert first == second
    assert first[0] != first[1]
    assert len(list(folder.glob("__pycache__/*raddle*"))) == 2


# -- all paths through random programs --------------------------------------------------------------


def random_body(rng: random.Random, depth: int, indent: str, *, in_loop: bool) -> str:
    """Return random statements that branch on `c()` and log themselves with `t(number)`."""
    text = ""
    for _ in range(rng.randint(1, 3)):
        kind = rng.choice(["plain"] * 3 + ["if", "while", "for", "try", "with", "jump"]) if depth else "plain"
        inner = partial(random_body, rng, depth - 1, indent + "    ")
        if kind == "plain":
            text += f"{indent}t({rng.randrange(10**9)})\n"
        elif kind == "if":
            text += f"{indent}if c():\n{inner(in_loop=in_loop)}"
            text += f"{indent}else:\n{inner(in_loop=in_loop)}" if rng.random() < 0.5 else ""
        elif kind in ("while", "for"):
            text += f"{indent}{'while c()' if kind == 'while' else 'for i in range(2)'}:\n{inner(in_loop=True)}"
            text += f"{indent}else:\n{inner(in_loop=in_loop)}" if rng.random() < 0.3 else ""
        elif kind == "try":
            text += (
                f"{indent}try:\n{inner(in_loop=in_loop)}{indent}    r()\n{indent}except E:\n{inner(in_loop=in_loop)}"
            )
            text += f"{indent}else:\n{inner(in_loop=in_loop)}" if rng.random() < 0.5 else ""
        elif kind == "with":
            text += f"{indent}with w:\n{inner(in_loop=in_loop)}"
        else:
            jump = rng.choice(["return", "raise E", *(["break", "continue"] if in_loop else [])])
            return f"{text}{indent}{jump}\n"
    return text


class RaisedError(Exception):
    """The exception that random programs raise."""


class NullManager:
    """A context manager that suppresses no exceptions."""

    def __enter__(self) -> None: ...

    def __exit__(self, *exc: object) -> None: ...


def test_blocks_of_random_programs_have_no_branches() -> None:
    """Each statement belongs to one block, and a block has no branches.

    So the same statements always run in the same order between a `block` probe and the next one. An exception can only
    cut this sequence short.
    """
    rng = random.Random(3)
    blocks = 0
    for _ in range(150):
        source = f"def f():\n{random_body(rng, 3, '    ', in_loop=False)}"
        code = compile_probed(source, file="m.py", path="m.py", blocks=True).code
        statements_of: dict[int, set[tuple[int, ...]]] = {}
        for _ in range(40):
            _record_blocks(code, rng, statements_of)
        block_of: dict[int, int] = {}
        for block, sequences in statements_of.items():
            longest = max(sequences, key=len)
            assert all(block_of.setdefault(statement, block) == block for statement in longest), source
            assert all(run == longest[: len(run)] for run in sequences), (source, block, sequences)
            blocks += 1
    assert blocks > 500


def _record_blocks(code: object, rng: random.Random, statements_of: dict[int, set[tuple[int, ...]]]) -> None:
    trace: list[tuple[int, list[int]]] = []
    choices = iter([rng.random() < 0.5 for _ in range(30)])

    def raise_sometimes() -> None:
        if next(choices, False):
            raise RaisedError

    namespace = {
        probe.NAME: probe, "t": lambda number: trace[-1][1].append(number), "c": lambda: next(choices, False),
        "r": raise_sometimes, "E": RaisedError, "w": NullManager(),
    }  # fmt: skip
    exec(code, namespace)  # type: ignore[arg-type]
    probe.attach({"block": lambda site: trace.append((site, []))})
    try:
        namespace["f"]()  # type: ignore[operator]
    except RaisedError:
        pass
    finally:
        probe.detach()
    for block, statements in trace:
        statements_of.setdefault(block, set()).add(tuple(statements))
