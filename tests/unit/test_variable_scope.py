"""The variables and sites of a class under test, and the totals of MAP coverage that follow from them."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

import pytest

from raddle.criteria import make_criteria
from raddle.criteria.memory_access import MemoryAccessPatterns
from raddle.criterion_settings import CriterionSettings
from raddle.entities import AbstractVariable, Entities
from raddle.pruning_facts import PruningFacts
from raddle.static_model import StaticModel
from raddle.tally import STATIC, Total
from raddle.variable_scope import VariableScope, scope_of

sys.path.insert(0, str(Path(__file__).parent / "instrument"))

from surveyed import build_model

# The class in Fig. 1 of AutoConTest (Terragni and Cheung, ICSE 2016), with the paper's names for its accesses.
FIGURE_1 = dedent(
    """\
    import threading

    class Figure:
        def __init__(self):
            self.lock = threading.RLock()
            self.x = self.y = self.z = 0

        def m1(self, v):
            with self.lock:
                self.x = v  # a1

        def m2(self, v):
            with self.lock:
                self.y = v  # a2

        def m3(self, v):
            if self.z == 0:  # a3
                with self.lock:
                    self._m4(v)
            else:
                self._m4(-v)

        def _m4(self, v):
            self.x = self.x + v  # a4 reads, a5 writes

        def m5(self):
            for i in range(self.y + 1):  # a6
                self.z = i  # a7

        def m6(self, b):
            o = b.m()
            o.m1(-1)

        def m7(self):
            with self.lock:
                self.y = self.y + 1  # a8 reads, a9 writes
    """
)
TEST = dedent(
    """\
    def test():
        figure = Figure()
        threads = [threading.Thread(target=figure.m3, args=[10]), threading.Thread(target=figure.m7)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert figure.x == 10 and figure.y == 1
    """
)


def total_of(model: StaticModel, scope: VariableScope | None = None) -> Total:
    """Return T_C, and check that `requirements` lists as many."""
    criterion = MemoryAccessPatterns(scope)
    total = criterion.static_total(model)
    keys = list(criterion.requirements(model, PruningFacts()))
    assert len(set(keys)) == len(keys) == total.number
    assert criterion.total(model, PruningFacts()) == total
    return total


def test_the_class_of_figure_1_has_246_requirements_however_a_test_reads_it():
    # For one variable, the formula is 2·R·W + W² + R²·W + 3·R·W² + W³:
    # x: R = {a4}, W = {a1, a5}: 4 + 4 + 2 + 12 + 8 = 30
    # y: R = {a6, a8}, W = {a2, a9}: 8 + 4 + 8 + 24 + 8 = 52
    # z: R = {a3}, W = {a7}: 2 + 1 + 1 + 3 + 1 = 8
    # For two variables, it is 3·Wx²·Wy² + 6·Wx·Rx·Wy·Ry:
    # x, y: 3·4·4 + 6·2·1·2·2 = 96
    # x, z: 3·4·1 + 6·2·1·1·1 = 24
    # y, z: 3·4·1 + 6·2·2·1·1 = 36
    # 30 + 52 + 8 + (96 + 24 + 36) = 246
    model, sites = build_model(FIGURE_1 + "\n\n" + TEST)
    scope = scope_of("m.py:Figure", model, sites)
    assert total_of(model, scope) == Total(246, STATIC)
    # The test reads x and y once each, so that Rx = 2 and Ry = 3: x 52, y 78, z 8, and pairs of 192 + 36 + 48.
    assert total_of(model) == Total(414, STATIC)


def test_a_test_in_another_module_does_not_count_either():
    model, sites = build_model(FIGURE_1, test_figure=f"import threading\nfrom m import Figure\n\n{TEST}")
    assert total_of(model, scope_of("m.py:Figure", model, sites)) == Total(246, STATIC)


def test_steps_at_the_sites_of_a_test_cover_nothing():
    model, sites = build_model(FIGURE_1 + "\n\n" + TEST)
    scope = scope_of("m.py:Figure", model, sites)
    (a7,) = model.variables["m.py:Figure", "z"].writes
    (read_by_test,) = (n for n, site in sites.items() if site.function == "test" and site.name == "x")
    entities = Entities()
    x, z = (entities.add_variable(AbstractVariable("m.py:Figure", "", name), 1) for name in "xz")
    (a1, a5) = sorted(model.variables["m.py:Figure", "x"].writes)
    steps = [(1, "write", x, a1), (2, "read", x, read_by_test), (1, "write", x, a5), (2, "write", z, a7)]
    assert MemoryAccessPatterns(scope).cover(steps, entities) == set()
    assert len(MemoryAccessPatterns().cover(steps, entities)) == 3  # patterns 1, 2 and 6


def test_the_settings_carry_the_scope_to_the_criterion():
    model, sites = build_model(FIGURE_1 + "\n\n" + TEST)
    settings = CriterionSettings(scope=scope_of("m.py:Figure", model, sites))
    [criterion] = make_criteria("map", settings)
    assert criterion.static_total(model) == Total(246, STATIC)


AXES = """
class Base:
    def __init__(self):
        self.label = ""
    def set_label(self, label):
        self.label = label

class Axis(Base):
    def __init__(self, range):
        super().__init__()
        self.range = range
        self.visible = True
    def show(self):
        self.visible = True
    def move(self, by):
        self.range.lower = self.range.lower + by

class Range:
    def __init__(self):
        self.lower = self.upper = 0
    def raise_upper(self):
        self.upper = clipped(self)

class Other:
    def __init__(self):
        self.state = 0
    def set(self):
        self.state = 1

def clipped(range):
    return range.upper + 1
"""


def test_own_inherited_and_dereferenced_variables_form_pairs():
    # The class writes `visible`, inherits `label`, which is written once, and reads and writes `lower` of a Range. The
    # method of Range writes `upper`, but `clipped`, which reads it, is not a method of any of these classes.
    # visible, label, upper: R = 0, W = 1: 1 + 1 = 2 each. lower: R = W = 1: 2 + 1 + 1 + 3 + 1 = 8.
    # There are 6 pairs with 3·1·1 requirements each; the second summand is 0, since only `lower` is read.
    model, sites = build_model(AXES)
    scope = scope_of("m.py:Axis", model, sites)
    assert scope.own == {"m.py:Axis", "m.py:Base"}
    assert scope.dereferenced == {"m.py:Range"}
    assert total_of(model, scope) == Total(3 * 2 + 8 + 6 * 3, STATIC)
    pairs = {(key[1:4]) for key in MemoryAccessPatterns(scope).requirements(model, PruningFacts()) if key[0] == 10}
    assert pairs == {
        ("m.py:Axis", "visible", "m.py:Base.label"), ("m.py:Axis", "visible", "m.py:Range.lower"),
        ("m.py:Axis", "visible", "m.py:Range.upper"), ("m.py:Base", "label", "m.py:Range.lower"),
        ("m.py:Base", "label", "m.py:Range.upper"), ("m.py:Range", "lower", "upper"),
    }  # fmt: skip


@pytest.mark.parametrize("called", ["m.py:clipped", "m.py"])
def test_functions_and_modules_that_the_class_calls_can_be_added(called):
    # As above, but with the read in `clipped`: upper has 8 requirements, and the pair (lower, upper) has 3 + 6.
    model, sites = build_model(AXES)
    scope = scope_of("m.py:Axis", model, sites, called=[called])
    assert total_of(model, scope) == Total(2 * 2 + 2 * 8 + 5 * 3 + 9, STATIC)


def test_dereferenced_classes_can_be_added():
    # Other has one variable, which is written once: 2 requirements, and 3 for each pair with the four other variables.
    model, sites = build_model(AXES)
    scope = scope_of("m.py:Axis", model, sites, dereferenced=["m.py:Other"])
    assert scope.dereferenced == {"m.py:Range", "m.py:Other"}
    assert total_of(model, scope) == Total(3 * 2 + 8 + 6 * 3 + 2 + 4 * 3, STATIC)


def test_a_module_is_not_dereferenced():
    # `total` is written by a method, but it belongs to the module.
    source = "total = 0\nclass C:\n    def add(self):\n        global total\n        total += 1\n        self.n = 1\n"
    model, sites = build_model(source)
    assert ("m.py", "total") in model.variables
    scope = scope_of("m.py:C", model, sites)
    assert (scope.own, scope.dereferenced) == ({"m.py:C"}, frozenset())
    assert total_of(model, scope) == Total(2, STATIC)  # n is written once: 1 + 1


def test_two_objects_of_the_class_under_test_form_no_pairs():
    scope = VariableScope(frozenset({"m.py:C"}), frozenset({"m.py:D"}), frozenset(range(70000, 70010)))
    entities = Entities()
    x, y = (entities.add_variable(AbstractVariable("m.py:C", "", name), group) for group, name in enumerate("xy", 1))
    z = entities.add_variable(AbstractVariable("m.py:D", "", "z"), 3)
    # Pattern 9: A writes one variable, B writes it and the other one, A writes the other one.
    nine = [(1, 70001), (2, 70002), (2, 70003), (1, 70004)]
    apart = [(thread, "write", x if site < 70003 else y, site) for thread, site in nine]
    assert {key[0] for key in MemoryAccessPatterns(scope).cover(apart, entities)} == {3}
    together = [(thread, "write", x if site < 70003 else z, site) for thread, site in nine]
    keys = MemoryAccessPatterns(scope).cover(together, entities)
    assert (9, "m.py:C", "x", "m.py:D.z", 70001, 70002, 70003, 70004) in keys
