"""The static model of instrumented modules, and how it is combined with live objects and observations."""

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
def _empty_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "_recent", {})


def instrumented_table(module: ModuleType, **options: Any) -> SiteTable:
    table = SiteTable()
    with instrument_module(module, table, **options):
        return table


# -- modules of a table -----------------------------------------------------------------------------


def test_a_module_instrumented_in_place_is_surveyed(imported: Callable[..., ModuleType]) -> None:
    assert set(survey_table(instrumented_table(imported(SOURCE))).variables) == VARIABLES


def test_a_module_instrumented_at_import_is_surveyed(imported: Callable[..., ModuleType]) -> None:
    table = SiteTable()
    with install_hook(lambda name, path: name == "subject", table):
        imported(SOURCE)
    assert set(survey_table(table).variables) == VARIABLES


def test_a_module_with_block_probes_is_surveyed(imported: Callable[..., ModuleType]) -> None:
    table = instrumented_table(imported(SOURCE), blocks=True)
    model = survey_table(table)
    assert set(model.variables) == VARIABLES
    # The blocks of the module, of four functions, and of the branch in `add`.
    assert sorted(table[site].line for site in model.blocks) == [2, 4, 12, 15, 18, 23]


def test_modules_instrumented_later_are_added_to_the_model(imported: Callable[..., ModuleType]) -> None:
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


def test_a_module_with_changed_source_is_left_out(imported: Callable[..., ModuleType]) -> None:
    module = imported(SOURCE)
    table = instrumented_table(module)
    path = Path(str(module.__file__))
    path.write_text("# new\n" + dedent(SOURCE))
    assert survey_table(table) == StaticModel()
    path.write_text("class ]")
    assert survey_table(table) == StaticModel()
    path.unlink()
    linecache.checkcache()
    assert survey_table(table) == StaticModel()


def test_the_census_of_a_module_is_cached(imported: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch) -> None:
    table = instrumented_table(imported(SOURCE))
    first = survey_table(table)
    monkeypatch.setattr(survey, "take_census", None)  # calling it would fail
    assert survey_table(table) == first
    monkeypatch.setattr(survey, "MAX_RECENT", 0)
    survey_table(table)
    assert survey._recent == {}


def test_a_module_with_assertions_rewritten_by_pytest_is_surveyed() -> None:
    table = instrumented_table(sys.modules[__name__])
    assert table[next(iter(table))].file.endswith("test_survey_table.py")
    model = survey_table(table)
    (owner,) = {owner for owner, name in model.variables if name == "latest"}
    assert owner.endswith("test_survey_table.py:Watcher")


class Watcher:
    """A class with an assertion that pytest rewrites."""

    def watch(self, value: object) -> None:
        assert value
        self.latest = value


def test_a_notebook_cell_is_surveyed() -> None:
    source, name = "class A:\n    def a(self): self.x = 1\n", "/nowhere/ipykernel_1/cell.py"
    module = ModuleType("cell")
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    try:
        exec(compile(source, name, "exec"), module.__dict__)
        assert set(survey_table(instrumented_table(module)).variables) == {("cell.py:A", "x")}
    finally:
        del linecache.cache[name]


# -- live objects -----------------------------------------------------------------------------------


def test_the_declaring_class_of_an_attribute_is_found(imported: Callable[..., ModuleType]) -> None:
    module = imported(SOURCE)
    table = instrumented_table(module)
    model = survey_table(table)
    names = ("total", "items", "items[]", "fixed", "limit", "elsewhere")
    assert [declaring_owner(model, table, module.Cart, name) for name in names] == [
        "subject.py:Base", "subject.py:Base", "subject.py:Base", "subject.py:Base",
        "subject.py:Cart", "subject.py:Cart",
    ]  # fmt: skip
    assert declaring_owner(model, table, module.Base, "limit") == "subject.py:Base"


def test_an_observed_attribute_counts_as_declared(imported: Callable[..., ModuleType]) -> None:
    module = imported("class A: pass\nclass B(A): pass\n")
    table = instrumented_table(module)
    model = survey_table(table)
    assert declaring_owner(model, table, module.B, "x") == "subject.py:B"
    model += observed([(70001, "subject.py:A", "x", "write")])
    assert declaring_owner(model, table, module.B, "x") == "subject.py:A"


def test_classes_outside_the_model_are_named_by_their_module() -> None:
    table = SiteTable()
    assert class_owner(table, dict) == "dict"
    assert class_owner(table, importlib.import_module("queue").Queue) == "queue.py:Queue"
    assert class_owner(table, type("Made", (), {"__module__": "not.there"})) == "not/there.py:Made"


def test_method_sites_are_the_entry_and_exit_of_public_methods(imported: Callable[..., ModuleType]) -> None:
    table = instrumented_table(imported(SOURCE))
    found = {(table[site].kind, name) for site, name in method_sites(table).items()}
    assert found == {("enter", "subject.py:Cart.add"), ("leave", "subject.py:Cart.add")}
    assert method_sites(table) is method_sites(table)
    table.add(1 << INDEX_BITS, (Site("m.py", 1, 0, "leave", "", "C.f", switchable=True),), file="m.py", path="m.py")
    assert "m.py:C.f" in method_sites(table).values()


# -- observations -----------------------------------------------------------------------------------


def test_observations_form_a_model() -> None:
    observations = [
        (2, "m.py:C", "x", "write"),
        (1, "m.py:C", "x", "read"),
        (3, "m.py", "y", "write"),
        (2, "m.py:C", "x", "read"),
    ]
    assert observed(observations) == StaticModel({
        ("m.py", "y"): Accesses(writes=frozenset({3})),
        ("m.py:C", "x"): Accesses(reads=frozenset({1, 2}), writes=frozenset({2})),
    })  # fmt: skip


def test_observed_objects_show_which_variables_a_class_inherits() -> None:
    assert observed([], [("m.py:C", "m.py:B"), ("m.py:C", "m.py:A")]).bases == {"m.py:C": {"m.py:A", "m.py:B"}}


def test_an_observation_replaces_a_guess() -> None:
    sites = frozenset({1, 2, 3})
    guess = StaticModel({("m.py:C", "x"): Accesses(reads=frozenset({1, 2}), writes=frozenset({3}), guessed=sites)})
    # Site 1 was guessed correctly, site 2 accesses another class, and site 3 did not run.
    observations = observed([(1, "m.py:C", "x", "read"), (2, "m.py:D", "x", "read")])
    expected = StaticModel({
        ("m.py:C", "x"): Accesses(frozenset({1}), frozenset({3}), guessed=frozenset({3})),
        ("m.py:D", "x"): Accesses(frozenset({2})),
    })  # fmt: skip
    assert guess + observations == expected
    assert observations + guess == expected
    assert (guess + observations) + guess == expected


# -- the static model agrees with an execution ------------------------------------------------------

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


def test_the_model_predicts_the_observed_accesses(imported: Callable[..., ModuleType]) -> None:
    """The model predicts the attribute that each probe accesses, and no access is missing from the model."""
    module, table = imported(PROGRAM), SiteTable()
    with instrument_modules([module], table):
        model = survey_table(table)
        touched: set[tuple[int, str, str, str]] = set()

        def record(obj: Any, name: str, site: int, kind: str) -> None:
            cls = obj if isinstance(obj, type) else type(obj)
            if cls.__module__ == "subject" and not callable(getattr(cls, name, None)):
                touched.add((site, declaring_owner(model, table, cls, name), name, kind))

        def read(obj: Any, name: str, site: int) -> Any:
            record(obj, name, site, "read")
            return getattr(obj, name)

        def write(value: Any, obj: Any, name: str, site: int) -> None:
            record(obj, name, site, "write")
            setattr(obj, name, value)

        probe.attach({"read": read, "write": write})
        # `push` returns the previous `next`, which is None at first, so the first iteration adds 0 to the total. The
        # later iterations add 1 and 2. The first iteration creates one node, and the two later iterations create two
        # each. The head is counted in Marked.made instead of Node.made.
        assert module.main() == (3, 3, 3, 5)
        probe.detach()

    in_constructors = {s for s, *_ in touched if table[s].function.endswith("__init__") and table[s].name != "made"}
    later = observed(access for access in touched if access[0] not in in_constructors)
    assert len(later.variables) > 5
    for name, accesses in later.variables.items():
        if accesses.writes:
            assert name in model.variables
            assert accesses.reads <= model.variables[name].reads
            assert accesses.writes <= model.variables[name].writes
    for site, owner, name, _ in touched:
        assert model.variable_at(site) in (None, (owner, name))


def test_the_model_of_the_program_has_all_its_variables(imported: Callable[..., ModuleType]) -> None:
    model = survey_table(instrumented_table(imported(PROGRAM)))
    assert {f"{owner.partition(':')[2]}.{name}" for owner, name in model.variables} == {
        "Node.made", "Node.next", "Node.value", "Marked.marks", "Marked.marks[]", "Log.lines[]", "Log.size", "Log.last",
        ".recent[]", ".total", "main.calls",
    }  # fmt: skip


def test_a_table_without_sources_has_an_empty_model() -> None:
    table = SiteTable()
    table.add(
        5 << INDEX_BITS, (Site("gone.py", 1, 0, "read", "x", "f", switchable=True),), file="gone.py", path="/gone.py"
    )
    assert survey_table(table) == StaticModel()
