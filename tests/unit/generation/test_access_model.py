import pytest
import shared_classes
from fake_builder import FakeBuilder, make_workbench, surface_of

from raddle.entities import AbstractVariable, make_entities
from raddle.generation import binding
from raddle.generation.access_model import Access, AccessModel
from raddle.generation.expressions import Imported, Literal, New
from raddle.generation.raw_patterns import Family, patterns_in
from raddle.generation.surface import Method, MethodKind


@pytest.fixture(scope="module")
def workbench():
    with make_workbench() as entered:
        yield entered


def model_of(workbench, cls):
    return AccessModel.from_source(surface_of(cls), workbench.installation.table, workbench.installation.model())


def touched(model, name):
    """Return the kinds and names of a method's accesses."""
    return {
        (access.kind, access.variable[1])
        for method in model._accesses
        if method.name == name
        for access in model.of(method)
    }


def test_the_example_of_the_paper_has_sixteen_patterns(workbench):
    # Two reads (lines 4 and 5) and one write (line 9) of th: T_C = 2*2*1 + 1 + 4*1 + 3*2*1 + 1 = 16.
    model = model_of(workbench, shared_classes.Threshold)
    th = ("shared_classes.py:Threshold", "th")
    assert [(x, len(model.sites("read", x)), len(model.sites("write", x))) for x in model.variables] == [(th, 2, 1)]
    assert model.total() == 16
    assert sum(model.size(family) for family in model.families(pair=False)) == 16


def test_the_execution_of_the_example_covers_three_of_sixteen(workbench):
    model = model_of(workbench, shared_classes.Threshold)
    th = ("shared_classes.py:Threshold", "th")
    s4, s5 = sorted(model.sites("read", th))
    (s9,) = model.sites("write", th)
    builder = FakeBuilder(workbench, shared_classes.Threshold, {"set_threshold": [(Literal(None),)]})
    _, entities = builder.observe(builder.prefix(), [builder.call(builder.prefix(), builder.method("set_threshold"))])
    number = next(number for number, variable in enumerate(entities.variables) if variable.name == "th")
    trace = [(1, "read", number, s4), (2, "write", number, s9), (1, "read", number, s5)]
    covered = patterns_in(trace, entities)
    assert sorted(pattern.number for pattern in covered) == [1, 2, 4]  # Fig. 3
    assert len(covered) / model.total() == 0.1875


def test_methods_touch_what_the_methods_that_they_call_touch(workbench):
    model = model_of(workbench, shared_classes.Axis)
    # Through _helper: reads `inherited`, writes `own`. Through Range.move: writes `lower` of another object. `range` is
    # read but never written after the constructor, so it is not in V.
    assert touched(model, "shift") >= {("write", "own"), ("read", "inherited"), ("write", "lower")}
    assert touched(model, "read_property") >= {("read", "lower")}
    assert touched(model, "position") >= {("read", "lower")}


def test_v_contains_own_inherited_and_dereferenced_variables(workbench):
    names = {
        ("shared_classes.py:Axis", "own"),
        ("shared_classes.py:Base", "inherited"),
        ("shared_classes.py:Range", "lower"),
    }
    assert set(model_of(workbench, shared_classes.Axis).variables) == names


def test_sequential_runs_add_accesses_that_the_source_does_not_show(workbench):
    builder = FakeBuilder(workbench, shared_classes.Threshold)
    builder_surface = builder.surface
    model = AccessModel(dict.fromkeys(builder_surface.methods, ()))
    prefix = builder.prefix()
    argument = New(Imported("shared_classes", "Priority"), (Literal(1),))
    builder._calls = {"set_threshold": [(argument,)], "is_as_severe_as_threshold": [(argument,)]}
    before = model.version
    for method in builder_surface.methods:
        model.learn(method, *builder.observe(prefix, [builder.call(prefix, method)]))
    assert ("write", "th") in touched(model, "set_threshold")
    assert ("read", "th") in touched(model, "is_as_severe_as_threshold")
    assert model.version > before


def test_an_observed_access_replaces_a_guess_at_the_same_site():
    method = Method("get", MethodKind.METHOD, Imported("log", "Log"))
    guess = Access("read", ("log.py:Other", "th"), 70004)
    model = AccessModel({method: [guess, Access("write", ("log.py:Log", "th"), 70009)]}, guesses={guess})
    model.learn(method, [(0, "read", 0, 70004)], make_entities(variables=[AbstractVariable("log.py:Log", "", "th")]))
    assert model.of(method) == {
        Access("read", ("log.py:Log", "th"), 70004),
        Access("write", ("log.py:Log", "th"), 70009),
    }


def test_sites_of_the_test_never_count():
    from raddle.entities import AbstractVariable, make_entities

    method = Method("get", MethodKind.METHOD, Imported("log", "Log"))
    model = AccessModel({method: ()})
    entities = make_entities(variables=[AbstractVariable("log.py:Log", "", "th")])
    model.learn(method, [(0, "write", 0, binding._METHOD), (0, "write", 0, 0)], entities)
    assert model.of(method) == frozenset()


def test_families_pair_variables_in_both_orders_and_the_total_counts_each_pair_once():
    # x: 1 read, 2 writes; y: 1 read, 1 write.
    method = Method("m", MethodKind.METHOD, Imported("log", "Log"))
    x, y = ("log.py:Log", "x"), ("log.py:Base", "y")
    reads = [Access("read", x, 1), Access("read", y, 4)]
    writes = [Access("write", x, 2), Access("write", x, 3), Access("write", y, 5)]
    model = AccessModel({method: [*reads, *writes]})
    # x alone: 2*1*2 + 2² + 1²*2 + 3*1*2² + 2³ = 30; y alone: 2 + 1 + 1 + 3 + 1 = 8; the pair: 3*4*1 + 6*2*1*1*1 = 24.
    assert model.total() == 62
    # Algorithm 3 has ordered pairs: 3 patterns of Wx² Wy² = 4 and 6 of Wx Rx Wy Ry = 2 for each order: 2 * 24.
    assert sum(model.size(family) for family in model.families(pair=True)) == 48
    assert Family(9, x, y) in set(model.families(pair=True))
    assert Family(9, y, x) in set(model.families(pair=True))
