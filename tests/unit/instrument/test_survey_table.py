"""The static model of what is instrumented, and how live objects and observations fit into it."""

from __future__ import annotations

import importlib
import linecache
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest

from raddle import probe
from raddle.instrument import install_hook, instrument_module, instrument_modules
from raddle.instrument.model import survey
from raddle.instrument.model.survey import class_owner, declaring_owner, method_sites, observed, survey_table
from raddle.site import INDEX_BITS, Site, SiteTable
from raddle.static_model import Accesses, StaticModel

SOURCE = """
    class Base:
        def __init__(self):
            self.total = 0
            self.items = []
            self.fixed = 1

    class Cart(Base):
        limit = 3

        def add(self, n):
            self.total += n
            self.items.append(n)
            if self.total > self.limit:
                type(self).limit = self.total

    def use(cart, n):
        cart.add(n)
        cart.total -= self_made(n)

    def self_made(n):
        global count
        count = n
        return len([n for _ in range(count)])
    """
VARIABLES = {
    ("subject.py", "count"), ("subject.py:Base", "items[]"), ("subject.py:Base", "total"), ("subject.py:Cart", "limit"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _nothing_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "_recent", {})


def instrumented(module: ModuleType, **options: Any) -> SiteTable:
    table = SiteTable()
    with instrument_module(module, table, **options):
        return table


# -- modules of a table -----------------------------------------------------------------------------


def test_in_place(imported: Callable[..., ModuleType]) -> None:
    assert set(survey_table(instrumented(imported(SOURCE))).variables) == VARIABLES


def test_when_imported(imported: Callable[..., ModuleType]) -> None:
    table = SiteTable()
    with install_hook(lambda name, path: name == "subject", table):
        imported(SOURCE)
    assert set(survey_table(table).variables) == VARIABLES


def test_with_blocks(imported: Callable[..., ModuleType]) -> None:
    table = instrumented(imported(SOURCE), blocks=True)
    model = survey_table(table)
    assert set(model.variables) == VARIABLES
    # The module, four functions, the branch in `add`.
    assert sorted(table[site].line for site in model.blocks) == [2, 4, 12, 15, 18, 23]


def test_several_modules_and_more_later(imported: Callable[..., ModuleType]) -> None:
    table = SiteTable()
    assert survey_table(table) == StaticModel()
    one = imported("class A:\n    def a(self): self.x = 1\n", "one")
    with instrument_module(one, table):
        assert set(survey_table(table).variables) == {("one.py:A", "x")}
        two = imported("from one import A\nclass B(A):\n    def b(self): self.x = self.y = 2\n", "two")
        with instrument_module(two, table):
            model = survey_table(table)
    assert set(model.variables) == {("one.py:A", "x"), ("two.py:B", "y")}
    assert len(model.variables["one.py:A", "x"].writes) == 2


def test_changed_source_is_left_out(imported: Callable[..., ModuleType]) -> None:
    module = imported(SOURCE)
    table = instrumented(module)
    path = Path(str(module.__file__))
    path.write_text("# new\n" + dedent(SOURCE))
    assert survey_table(table) == StaticModel()
    path.write_text("class ]")
    assert survey_table(table) == StaticModel()
    path.unlink()
    linecache.checkcache()
    assert survey_table(table) == StaticModel()


def test_a_census_is_taken_once(imported: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch) -> None:
    table = instrumented(imported(SOURCE))
    first = survey_table(table)
    monkeypatch.setattr(survey, "take_census", None)  # calling it would fail
    assert survey_table(table) == first
    monkeypatch.setattr(survey, "MAX_RECENT", 0)
    survey_table(table)
    assert survey._recent == {}


def test_a_module_whose_assertions_pytest_has_rewritten() -> None:
    table = instrumented(sys.modules[__name__])
    assert table[next(iter(table))].file.endswith("test_survey_table.py")
    model = survey_table(table)
    (owner,) = {owner for owner, name in model.variables if name == "seen"}
    assert owner.endswith("test_survey_table.py:Watcher")


class Watcher:
    """For the test before this line."""

    def see(self, what: object) -> None:
        assert what
        self.seen = what


def test_a_cell_of_a_notebook() -> None:
    source, name = "class A:\n    def a(self): self.x = 1\n", "/nowhere/ipykernel_1/cell.py"
    module = ModuleType("cell")
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    try:
        exec(compile(source, name, "exec"), module.__dict__)
        assert set(survey_table(instrumented(module)).variables) == {("cell.py:A", "x")}
    finally:
        del linecache.cache[name]


# -- live objects -----------------------------------------------------------------------------------


def test_who_declares_an_attribute(imported: Callable[..., ModuleType]) -> None:
    module = imported(SOURCE)
    table = instrumented(module)
    model = survey_table(table)
    names = ("total", "items", "items[]", "fixed", "limit", "elsewhere")
    assert [declaring_owner(model, table, module.Cart, name) for name in names] == [
        "subject.py:Base", "subject.py:Base", "subject.py:Base", "subject.py:Base",
        "subject.py:Cart", "subject.py:Cart",
    ]  # fmt: skip
    assert declaring_owner(model, table, module.Base, "limit") == "subject.py:Base"


def test_what_was_observed_counts_as_declared(imported: Callable[..., ModuleType]) -> None:
    module = imported("class A: pass\nclass B(A): pass\n")
    table = instrumented(module)
    model = survey_table(table)
    assert declaring_owner(model, table, module.B, "x") == "subject.py:B"
    model += observed([(70001, "subject.py:A", "x", "write")])
    assert declaring_owner(model, table, module.B, "x") == "subject.py:A"


def test_classes_of_others() -> None:
    table = SiteTable()
    assert class_owner(table, dict) == "dict"
    assert class_owner(table, importlib.import_module("queue").Queue) == "queue.py:Queue"
    assert class_owner(table, type("Made", (), {"__module__": "not.there"})) == "not/there.py:Made"


def test_where_methods_begin_and_end(imported: Callable[..., ModuleType]) -> None:
    table = instrumented(imported(SOURCE))
    found = {(table[site].kind, name) for site, name in method_sites(table).items()}
    assert found == {("enter", "subject.py:Cart.add"), ("leave", "subject.py:Cart.add")}
    assert method_sites(table) is method_sites(table)
    table.add(1 << INDEX_BITS, (Site("m.py", 1, 0, "leave", "", "C.f", switchable=True),), file="m.py", path="m.py")
    assert "m.py:C.f" in method_sites(table).values()


# -- observations -----------------------------------------------------------------------------------


def test_observed() -> None:
    seen = [
        (2, "m.py:C", "x", "write"),
        (1, "m.py:C", "x", "read"),
        (3, "m.py", "y", "write"),
        (2, "m.py:C", "x", "read"),
    ]
    assert observed(seen) == StaticModel({
        ("m.py", "y"): Accesses(writes=frozenset({3})),
        ("m.py:C", "x"): Accesses(reads=frozenset({1, 2}), writes=frozenset({2})),
    })  # fmt: skip


def test_a_guess_gives_way_to_what_was_seen() -> None:
    sites = frozenset({1, 2, 3})
    guess = StaticModel({("m.py:C", "x"): Accesses(reads=frozenset({1, 2}), writes=frozenset({3}), guessed=sites)})
    # Site 1 was right, 2 touches another class, 3 was not run.
    seen = observed([(1, "m.py:C", "x", "read"), (2, "m.py:D", "x", "read")])
    expected = StaticModel({
        ("m.py:C", "x"): Accesses(frozenset({1}), frozenset({3}), guessed=frozenset({3})),
        ("m.py:D", "x"): Accesses(frozenset({2})),
    })  # fmt: skip
    assert guess + seen == expected
    assert seen + guess == expected
    assert (guess + seen) + guess == expected


# -- the source and the run agree -------------------------------------------------------------------

PROGRAM = """
    from collections import deque
    from dataclasses import dataclass, field

    class Node:
        made = 0
        def __init__(self, value, next=None):
            self.value, self.next = value, next
            type(self).made += 1
        def push(self, value):
            self.next = Node(value, self.next)
            return self.next.next
        def __len__(self):
            return 1 + (len(self.next) if self.next else 0)

    class Marked(Node):
        def __init__(self, *args):
            super().__init__(*args)
            self.marks = set()
        def mark(self, m):
            self.marks |= {m}
            self.value += 1
            def undo():
                self.marks.discard(m)
                self.value -= 1
            return undo

    @dataclass
    class Log:
        lines: list = field(default_factory=list)
        size: int = 0
        def add(self, line):
            self.lines.append(line)
            self.size = len(self.lines)
            for n, line in enumerate(self.lines):
                self.last = n, line

    recent = deque(maxlen=3)
    total = 0

    def main():
        global total
        calls = 0
        def count():
            nonlocal calls
            calls += 1
            return calls
        node, log = Marked(1), Log()
        for i in range(3):
            total += node.push(i).value if node.push(i) else 0
            node.mark(i)()
            log.add(str(i))
            recent.append((count(), node.marks))
        node.value, log.size = len(node), 0
        del log.last
        return total, calls, len(recent), Node.made
    """


def test_the_source_says_what_running_shows(imported: Callable[..., ModuleType]) -> None:
    """Each attribute that a probe touches is what the model says its site touches, and nothing is missing."""
    module, table = imported(PROGRAM), SiteTable()
    with instrument_modules([module], table):
        model = survey_table(table)
        touched: set[tuple[int, str, str, str]] = set()

        def note(obj: Any, name: str, site: int, kind: str) -> None:
            cls = obj if isinstance(obj, type) else type(obj)
            if cls.__module__ == "subject" and not callable(getattr(cls, name, None)):
                touched.add((site, declaring_owner(model, table, cls, name), name, kind))

        def read(obj: Any, name: str, site: int) -> Any:
            note(obj, name, site, "read")
            return getattr(obj, name)

        def write(value: Any, obj: Any, name: str, site: int) -> None:
            note(obj, name, site, "write")
            setattr(obj, name, value)

        probe.attach({"read": read, "write": write})
        # push gives the node that was next before: none at first; then 1 and 2 are added up. Each but the first of
        # the three rounds makes two nodes.
        assert module.main() == (3, 3, 3, 5)
        probe.detach()

    in_constructors = {s for s, *_ in touched if table[s].function.endswith("__init__") and table[s].name != "made"}
    later = observed(fact for fact in touched if fact[0] not in in_constructors)
    assert len(later.variables) > 5
    for name, accesses in later.variables.items():
        if accesses.writes:
            assert name in model.variables
            assert accesses.reads <= model.variables[name].reads
            assert accesses.writes <= model.variables[name].writes
    for site, owner, name, _ in touched:
        assert model.variable_at(site) in (None, (owner, name))


def test_names_and_contents_of_that_program(imported: Callable[..., ModuleType]) -> None:
    model = survey_table(instrumented(imported(PROGRAM)))
    assert {f"{owner.partition(':')[2]}.{name}" for owner, name in model.variables} == {
        "Node.made", "Node.next", "Node.value", "Marked.marks", "Marked.marks[]", "Log.lines[]", "Log.size", "Log.last",
        ".recent[]", ".total", "main.calls",
    }  # fmt: skip


def test_a_table_without_sources() -> None:
    table = SiteTable()
    table.add(
        5 << INDEX_BITS, (Site("gone.py", 1, 0, "read", "x", "f", switchable=True),), file="gone.py", path="/gone.py"
    )
    assert survey_table(table) == StaticModel()
