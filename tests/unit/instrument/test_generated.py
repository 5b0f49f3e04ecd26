"""Methods that `dataclass` generates are instrumented like the user's code."""

from __future__ import annotations

import dataclasses
import gc
import importlib
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType

import pytest

import raddle
from raddle import probe
from raddle.instrument.generated import GENERATED_FILE, READING_METHODS, generated_functions, probed_codes
from raddle.instrument.inplace import instrument_module
from raddle.site import SiteTable

HERE = sys.modules[__name__]


@dataclass
class Plain:
    x: int = 0
    y: int = 0


@dataclass(order=True, unsafe_hash=True)
class Everything:
    x: int = 0
    y: int = field(default=0, compare=False)
    z: int = field(default=0, repr=False, hash=False)
    __private: int = 0


@dataclass
class Nothing:
    pass


@dataclass(frozen=True, order=True)
class Frozen:
    x: int = 0


@dataclass
class Extended(Plain):
    z: int = 0


@dataclass(slots=True, eq=True)
class Slotted:
    x: int = 0


@dataclass(repr=False, eq=False)
class Own:
    x: int = 0

    def __repr__(self):
        return "own"


KINDS = [Plain, Everything, Nothing, Frozen, Extended, Slotted]


@pytest.mark.parametrize("kind", KINDS)
def test_every_generated_method_that_reads_is_instrumented(kind):
    expected = {name for name in READING_METHODS if _is_generated(kind.__dict__.get(name))}
    assert expected
    assert probed_codes(kind, SiteTable()).keys() == expected == generated_functions(kind).keys() & READING_METHODS


def _is_generated(function):
    function = getattr(function, "__wrapped__", function)
    return type(function) is FunctionType and function.__code__.co_filename == GENERATED_FILE


def test_methods_written_by_the_user_are_not_generated_functions():
    assert generated_functions(Own).keys() == {"__init__"}


def test_instrumented_methods_behave_the_same_and_call_read_probes():
    def results():
        one, other = Everything(1, 2, 3, 4), Everything(1, 5, 3, 4)
        compared = [one == other, one < other, one <= other, one > other, one >= other, one == 1, Plain(1) == Plain(2)]
        shown = [repr(thing) for thing in (one, Nothing(), Frozen(3), Extended(1, 2, 3), Slotted(5))]
        with pytest.raises(TypeError):
            _ = one < 1
        return compared, hash(one) == hash(other), hash(Frozen(2)) == hash(Frozen(2)), shown, Nothing() == Nothing()

    before = results()
    reads = []
    table = SiteTable()
    with instrument_module(HERE, table) as undo:
        assert not [what for what in undo.not_instrumented if "__" in what.what]
        probe.attach({"read": lambda obj, name, site: (reads.append((name, site)), getattr(obj, name))[1]})
        try:
            assert results() == before
        finally:
            probe.detach()
    assert {"x", "z", "_Everything__private"} <= {name for name, _ in reads}
    sites = [table[site] for _, site in reads]
    assert {site.function for site in sites} >= {"Everything.__eq__", "Everything.__hash__", "Plain.__eq__"}
    lines = Path(__file__).read_text().splitlines()
    (line,) = {site.line for site in sites if site.function == "Plain.__eq__"}
    assert lines[line - 1 : line + 1] == ["@dataclass", "class Plain:"]
    assert Plain.__eq__.__code__.co_filename == GENERATED_FILE  # the original code is restored


def test_site_numbers_are_deterministic():
    tables = [SiteTable(), SiteTable()]
    for table in tables:
        for kind in KINDS:
            probed_codes(kind, table)
    assert list(tables[0]) == list(tables[1])
    assert len({tables[0][number].function for number in tables[0]}) == sum(
        len(generated_functions(k).keys() & READING_METHODS) for k in KINDS
    )


def test_a_function_created_by_exec_is_not_instrumented():
    namespace = {"__name__": __name__}
    exec("def __eq__(self, other): return self.x == other.y", namespace)
    kind = dataclass(type("Made", (), {"__annotations__": {"x": int}, "__module__": __name__, **namespace}))
    assert "__eq__" not in probed_codes(kind, SiteTable())
    del kind
    gc.collect()  # a class is part of a reference cycle, and its functions would be found until it is collected


# -- exploration ----------------------------------------------------------------------------------------


def compare(thing, half_done):
    return thing == half_done


def search(thing, half_done):
    return half_done in [thing]


def show(thing, half_done):
    return f"{thing}" == f"{half_done}"


def hash_(thing, half_done):
    return hash(thing) == hash(half_done)


def order(thing, half_done):
    return half_done <= thing < type(thing)(half_done.x, half_done.y + 1)


@dataclass(order=True, unsafe_hash=True)
class Pair:
    x: int = 0
    y: int = 0


def run_torn_write(kind, read):
    """Fail if the reading thread observes the state between the two writes of the other thread."""
    pair, seen = kind(), []

    def write():
        pair.x = 1
        pair.y = 1

    threads = [threading.Thread(target=one) for one in (write, lambda: seen.append(read(pair, kind(1, 0))))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [False]


@pytest.mark.parametrize("read", [compare, search, show, hash_, order])
def test_reads_by_generated_methods_are_scheduling_points(read):
    result = raddle.explore(lambda: run_torn_write(Pair, read), source=[__file__], until="first-finding")
    (finding,) = result.findings
    assert finding.kind == "assertion"
    assert not result.not_instrumented


@dataclass
class Holder:
    items: list = field(default_factory=list)


def test_comparing_containers_in_fields_is_a_scheduling_point():
    def scenario():
        holder, seen = Holder(), []

        def add():
            holder.items.append(1)
            holder.items.append(2)

        threads = [threading.Thread(target=one) for one in (add, lambda: seen.append(holder == Holder([1])))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == [False]

    assert raddle.explore(scenario, source=[__file__], until="first-finding").findings


def test_a_search_with_generated_methods_can_be_exhausted():
    def scenario():
        pairs = [Pair(), Pair()]
        threads = [threading.Thread(target=lambda pair=pair: pair == Pair()) for pair in pairs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    result = raddle.explore(scenario, source=[__file__])
    assert result.exhausted


def test_a_dataclass_defined_in_the_scenario_is_instrumented():
    def scenario():
        @dataclass
        class Inner:
            x: int = 0
            y: int = 0

        run_torn_write(Inner, compare)

    for _ in range(2):
        result = raddle.explore(scenario, source=[__file__], until="first-finding")
        assert [finding.kind for finding in result.findings] == ["assertion"]
        assert not result.not_instrumented
    assert dataclasses._process_class.__module__ == "dataclasses"
    assert not hasattr(dataclasses._process_class, "__wrapped__")


def test_a_dataclass_in_a_module_imported_by_the_scenario_is_instrumented_in_every_search(tmp_path, monkeypatch):
    module = "@dataclass\nclass Late:\n    x: int = 0\n    y: int = 0\n    def set(self, x): self.x = x\n"
    (tmp_path / "late_module.py").write_text(f"from dataclasses import dataclass\n\n{module}")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()

    def scenario():
        late = importlib.import_module("late_module")
        run_torn_write(late.Late, compare)

    try:
        for criteria in ("none", "map", "map"):
            options = {"source": [__file__, str(tmp_path)], "until": "first-finding", "criteria": criteria}
            result = raddle.explore(scenario, **options)
            assert [finding.kind for finding in result.findings] == ["assertion"]
            assert not result.not_instrumented
    finally:
        sys.modules.pop("late_module", None)
