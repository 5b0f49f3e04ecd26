"""MAP coverage on the paper's example and on one small execution per pattern."""

from __future__ import annotations

import pytest

from raddle.criteria.memory_access import MemoryAccessPatterns, by_pattern
from raddle.entities import AbstractVariable, Entities, make_entities
from raddle.pruning_facts import PruningFacts
from raddle.site import Site
from raddle.static_model import Accesses, StaticModel
from raddle.tally import STATIC, Total

OWNER = "log.py:AppenderSkeleton"
S4, S5, S9 = 70004, 70005, 70009
FIGURE_1 = StaticModel({(OWNER, "th"): Accesses(reads=frozenset({S4, S5}), writes=frozenset({S9}))})
SITES = {70000 + line: Site("log.py", line, 4, "", "th", "", switchable=True) for line in range(1, 12)}


def covered(entities, steps):
    criterion = MemoryAccessPatterns()
    criterion.begin(entities)
    criterion.feed(steps)
    return criterion.collect(final=True)


def appender():
    return make_entities(variables=[AbstractVariable(OWNER, "app.py:2", "th")])


def th(number, *sites):
    return (number, OWNER, "th", "", *sites)


# -- the example: Fig. 1 to 3 -----------------------------------------------------------------------


def test_figure_1_has_16_requirements():
    # 2·2·1 + 1² + 2²·1 + 3·2·1² + 1³
    assert MemoryAccessPatterns().static_total(FIGURE_1) == Total(16, STATIC)
    assert MemoryAccessPatterns().total(FIGURE_1, PruningFacts()) == Total(16, STATIC)


def test_the_execution_of_figure_2_covers_the_patterns_of_figure_3():
    keys = covered(appender(), [(1, "read", 0, S4), (2, "write", 0, S9), (1, "read", 0, S5)])
    assert keys == {th(1, S4, S9), th(2, S9, S5), th(4, S4, S9, S5)}
    assert 100 * len(keys) / 16 == 18.75


def test_requirements_lists_all_16_of_figure_1():
    # The paper lists these seven requirements, in another order.
    listed = [
        th(1, S4, S9), th(1, S5, S9), th(2, S9, S4), th(2, S9, S5),
        th(4, S4, S9, S5), th(4, S5, S9, S4), th(5, S9, S9, S4),
    ]  # fmt: skip
    rest = [
        th(3, S9, S9),
        th(4, S4, S9, S4), th(4, S5, S9, S5),
        th(5, S9, S9, S5),
        th(6, S9, S4, S9), th(6, S9, S5, S9),
        th(7, S4, S9, S9), th(7, S5, S9, S9),
        th(8, S9, S9, S9),
    ]  # fmt: skip
    keys = list(MemoryAccessPatterns().requirements(FIGURE_1, PruningFacts()))
    assert len(keys) == 16
    assert set(keys) == {*listed, *rest}
    assert keys == list(MemoryAccessPatterns().requirements(FIGURE_1, PruningFacts()))


def test_requirements_are_counted_per_pattern():
    numbers = MemoryAccessPatterns().per_pattern(FIGURE_1)
    assert numbers == {1: 2, 2: 2, 3: 1, 4: 4, 5: 2, 6: 2, 7: 2, 8: 1, 9: 0, 10: 0, 12: 0, 13: 0, 14: 0}
    nothing = dict.fromkeys(numbers, 0)
    assert by_pattern([th(4, S4, S9, S5), th(4, S5, S9, S4), th(1, S4, S9)]) == {**nothing, 1: 1, 4: 2}


# -- pattern by pattern -----------------------------------------------------------------------------

NAMES = "xyz"


def entities_of_one_object(*names):
    return make_entities(variables=[AbstractVariable("m.py:C", "", name) for name in names or NAMES])


def steps(text):
    """Parse steps such as "AWx BRx": thread A writes x, then thread B reads it. Step n is at site 70000 + n."""
    kinds = {"R": "read", "W": "write"}
    return [
        ("ABC".index(thread), kinds[kind], NAMES.index(name), 70001 + index)
        for index, (thread, kind, name) in enumerate(text.split())
    ]


def on(number, names, *sites):
    x, y = (*names, "")[:2]
    return (number, "m.py:C", x, y, *(70000 + site for site in sites))


CASES = {
    1: ("ARx BWx", on(1, "x", 1, 2), "ARx AWx"),
    2: ("AWx BRx", on(2, "x", 1, 2), "AWx ARx"),
    3: ("AWx BWx", on(3, "x", 1, 2), "AWx AWx"),
    4: ("ARx BWx ARx", on(4, "x", 1, 2, 3), "ARx BWx CRx"),
    5: ("AWx BWx ARx", on(5, "x", 1, 2, 3), "AWx BWx CRx"),
    6: ("AWx BRx AWx", on(6, "x", 1, 2, 3), "AWx BRx CWx"),
    7: ("ARx BWx AWx", on(7, "x", 1, 2, 3), "ARx BWx CWx"),
    8: ("AWx BWx AWx", on(8, "x", 1, 2, 3), "AWx BWx CWx"),
    9: ("AWx BWx BWy AWy", on(9, "xy", 1, 2, 3, 4), "AWx BWx CWy AWy"),
    10: ("AWx BWy BWx AWy", on(10, "xy", 1, 2, 3, 4), "AWx BWy CWx AWy"),
    11: ("AWx BWy AWy BWx", on(10, "xy", 1, 2, 4, 3), "AWx BWy AWy CWx"),
    12: ("AWx BRx BRy AWy", on(12, "xy", 1, 2, 3, 4), "AWx BRx BRy CWy"),
    13: ("AWx BRy BRx AWy", on(13, "xy", 1, 2, 3, 4), "AWx BRy CRx AWy"),
    14: ("ARx BWx BWy ARy", on(14, "xy", 1, 2, 3, 4), "ARx BWx BWy CRy"),
    15: ("ARx BWy BWx ARy", on(13, "yx", 2, 1, 4, 3), "ARx BWy BWx CRy"),
    16: ("ARx BWy ARy BWx", on(13, "yx", 2, 1, 3, 4), "ARx BWy CRy BWx"),
    17: ("AWx BRy AWy BRx", on(13, "xy", 1, 2, 4, 3), "AWx BRy CWy BRx"),
}  # fmt: skip


@pytest.mark.parametrize("number", CASES)
def test_each_pattern_is_found(number):
    text, key, _ = CASES[number]
    keys = covered(entities_of_one_object(), steps(text))
    assert {found for found in keys if len(found) == len(key)} == {key}


@pytest.mark.parametrize("number", CASES)
def test_a_near_miss_covers_no_pattern_of_that_length(number):
    """One of the pattern's steps is performed by the wrong thread, so no pattern of that length occurs."""
    _, key, miss = CASES[number]
    assert not [found for found in covered(entities_of_one_object(), steps(miss)) if len(found) == len(key)]


@pytest.mark.parametrize("text", ["AWx AWy BWx BWy", "AWx ARy BRx BWy BWx", "ARx AWx ARx BWx BRx BWx"])
def test_threads_that_run_one_after_the_other_cover_only_patterns_of_two_steps(text):
    keys = covered(entities_of_one_object(), steps(text))
    assert keys
    assert {key[0] for key in keys} <= {1, 2, 3}


def test_steps_need_not_be_adjacent():
    # AWx is step 1 and BRx is step 4. In between, A reads y and a third thread reads x.
    assert on(2, "x", 1, 4) in covered(entities_of_one_object(), steps("AWx ARy CRx BRx"))


def test_one_thread_alone_covers_nothing():
    assert covered(entities_of_one_object(), steps("AWx ARx AWy AWx ARy")) == set()


def test_one_site_can_fill_several_steps_of_a_pattern():
    # Two threads alternately write at the only site in `setThreshold`. This covers patterns 3 and 8.
    write = [(thread, "write", 0, S9) for thread in (1, 2, 1)]
    assert covered(appender(), write) == {th(3, S9, S9), th(8, S9, S9, S9)}


def test_a_requirement_does_not_depend_on_which_threads_and_object_cover_it():
    entities = Entities()
    for group in (1, 2):
        entities.add_variable(AbstractVariable(OWNER, f"app.py:{group}", "th"), group)
    pair = [(1, "read", 0, S4), (2, "write", 0, S9), (4, "read", 1, S4), (3, "write", 1, S9)]
    assert covered(entities, pair) == {th(1, S4, S9)}


def test_variables_of_different_objects_make_no_pairs():
    entities = Entities()
    for group, name in enumerate("xyz"):
        entities.add_variable(AbstractVariable("m.py:C", "", name), group)
    assert {len(key) for key in covered(entities, steps("AWx BWx BWy AWy"))} == {6}


def test_a_step_without_a_site_covers_no_requirement():
    assert covered(appender(), [(1, "read", 0, S4), (2, "write", 0, 0), (1, "read", 0, S5)]) == set()


def test_accesses_of_a_thread_that_has_ended_still_count():
    keys = covered(appender(), [(1, "write", 0, S9), (1, "end", 1, 0), (2, "read", 0, S4)])
    assert keys == {th(2, S9, S4)}


def test_equivalent_patterns_are_collected_once():
    # Pattern 11, then pattern 10 at the same sites. A writes x at site 1 and B writes y at site 2. Then A writes y at
    # site 3 and B writes x at site 4, once in this order and once in the opposite order.
    criterion = MemoryAccessPatterns()
    criterion.begin(entities_of_one_object())
    criterion.feed(steps("AWx BWy AWy BWx"))
    first = criterion.collect(final=False)
    assert on(10, "xy", 1, 2, 4, 3) in first
    criterion.feed([(0, "write", 1, 70003)])
    assert first.isdisjoint(criterion.collect(final=True))


def test_a_new_execution_starts_from_an_empty_state():
    criterion = MemoryAccessPatterns()
    for _ in range(2):
        criterion.begin(appender())
        criterion.feed([(1, "read", 0, S4), (2, "write", 0, S9)])
        assert criterion.collect(final=True) == {th(1, S4, S9)}


# -- totals of two variables ------------------------------------------------------------------------


def accesses(reads, writes, base):
    return Accesses(frozenset(range(base, base + reads)), frozenset(range(base + 50, base + 50 + writes)))


def test_only_variables_of_the_same_owner_form_pairs():
    # x (R=1, W=2) and y (R=2, W=1) have the same owner. z (R=1, W=1) has another owner.
    model = StaticModel(
        {
            ("m.py:C", "x"): accesses(1, 2, 70000),
            ("m.py:C", "y"): accesses(2, 1, 70100),
            ("m.py:D", "z"): accesses(1, 1, 70200),
        }
    )
    x = 2 * 1 * 2 + 2**2 + 1**2 * 2 + 3 * 1 * 2**2 + 2**3  # = 30
    y = 16
    z = 2 + 1 + 1 + 3 + 1  # = 8
    pair = 3 * 2**2 * 1**2 + 6 * 2 * 1 * 1 * 2  # = 36
    assert MemoryAccessPatterns().static_total(model) == Total(x + y + z + pair, STATIC)
    assert len(set(MemoryAccessPatterns().requirements(model, PruningFacts()))) == x + y + z + pair
    numbers = MemoryAccessPatterns().per_pattern(model)
    # Patterns 9 and 12 to 14 count for (x, y) and for (y, x). Pattern 10 counts once. Wx² Wy² = 4, and Wx Rx Wy Ry = 4.
    assert {number: numbers[number] for number in (9, 10, 12, 13, 14)} == {9: 8, 10: 4, 12: 8, 13: 8, 14: 8}


HEIR = StaticModel(
    {("m.py:B", "y"): accesses(0, 1, 70000), ("m.py:C", "x"): accesses(0, 1, 70100)},
    bases={"m.py:C": frozenset({"m.py:B"})},
)


def test_an_own_and_an_inherited_variable_form_pairs():
    # Each variable is written at one site: W² + W³ = 2 requirements (patterns 3 and 8). The pair has 3·1·1 (patterns 9
    # twice and 10 once). So two methods that write an own and an inherited field give 7 requirements instead of 4.
    criterion = MemoryAccessPatterns()
    x, y = 70150, 70050
    keys = list(criterion.requirements(HEIR, PruningFacts()))
    assert keys == [
        (3, "m.py:B", "y", "", y, y), (8, "m.py:B", "y", "", y, y, y),
        (3, "m.py:C", "x", "", x, x), (8, "m.py:C", "x", "", x, x, x),
        (9, "m.py:B", "y", "m.py:C.x", y, y, x, x), (10, "m.py:B", "y", "m.py:C.x", y, x, y, x),
        (9, "m.py:C", "x", "m.py:B.y", x, x, y, y),
    ]  # fmt: skip
    assert criterion.static_total(HEIR) == criterion.total(HEIR, PruningFacts()) == Total(7, STATIC)
    entities = make_entities(
        variables=[AbstractVariable("m.py:C", "", "x"), AbstractVariable("m.py:B", "", "y", "m.py:C")]
    )
    # Pattern 9: A writes x, B writes x and y, A writes y.
    assert covered(entities, [(1, "write", 0, x), (2, "write", 0, x), (2, "write", 1, y), (1, "write", 1, y)]) == {
        (3, "m.py:C", "x", "", x, x), (3, "m.py:B", "y", "", y, y), (9, "m.py:C", "x", "m.py:B.y", x, x, y, y),
    }  # fmt: skip


def test_a_pair_is_counted_once_however_many_classes_inherit_it():
    # D and E inherit x from C and y from B.
    bases = {cls: frozenset({"m.py:B", "m.py:C"}) for cls in ("m.py:D", "m.py:E")} | HEIR.bases
    assert MemoryAccessPatterns().static_total(StaticModel(HEIR.variables, bases=bases)) == Total(7, STATIC)


def test_variables_of_unrelated_base_classes_form_pairs_in_a_class_that_inherits_both():
    bases = {"m.py:D": frozenset({"m.py:B", "m.py:C"})}
    assert MemoryAccessPatterns().static_total(StaticModel(HEIR.variables, bases=bases)) == Total(7, STATIC)
    assert MemoryAccessPatterns().static_total(StaticModel(HEIR.variables)) == Total(4, STATIC)


def test_a_model_without_variables_has_nothing_to_cover():
    assert str(MemoryAccessPatterns().total(StaticModel(), PruningFacts())) == "nothing to cover"


# -- explanations -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        (
            th(1, S4, S9),
            "thread A reads `AppenderSkeleton.th` at log.py:4, then thread B writes it at log.py:9 (pattern 1)",
        ),
        (
            th(3, S9, S9),
            "thread A writes `AppenderSkeleton.th` at log.py:9, then thread B writes it at log.py:9 (pattern 3)",
        ),
        (
            th(4, S4, S9, S5),
            "thread A reads `AppenderSkeleton.th` at log.py:4, then thread B writes it at log.py:9"
            ", then A reads it again at log.py:5 (pattern 4)",
        ),
        (
            th(5, S9, S9, S4),
            "thread A writes `AppenderSkeleton.th` at log.py:9, then thread B writes it at log.py:9"
            ", then A reads it at log.py:4 (pattern 5)",
        ),
        (
            on(12, "xy", 1, 2, 3, 4),
            "thread A writes `C.x` at log.py:1, then thread B reads it at log.py:2 and `C.y` at log.py:3,"
            " then A writes `C.y` at log.py:4 (pattern 12)",
        ),
        (
            on(10, "xy", 1, 2, 3, 4),
            "thread A writes `C.x` at log.py:1 and thread B writes `C.y` at log.py:2,"
            " both before B writes `C.x` at log.py:3 and A writes `C.y` at log.py:4 (pattern 10 or 11)",
        ),
        (
            (12, "m.py:C", "x", "m.py:B.y", 70001, 70002, 70003, 70004),
            "thread A writes `C.x` at log.py:1, then thread B reads it at log.py:2 and `B.y` at log.py:3,"
            " then A writes `B.y` at log.py:4 (pattern 12)",
        ),
        (
            on(13, "xy", 1, 2, 3, 99),
            "thread A writes `C.x` at log.py:1 and thread B reads `C.y` at log.py:2,"
            " both before B reads `C.x` at log.py:3 and A writes `C.y` in code without probes"
            " (pattern 13, 15, 16 or 17)",
        ),
    ],
)
def test_explain_describes_the_steps_of_the_pattern(key, sentence):
    assert MemoryAccessPatterns().explain(key, SITES) == sentence


def test_the_home_of_a_requirement_is_the_site_of_its_first_step():
    assert MemoryAccessPatterns().home(th(4, S4, S9, S5)) == S4
