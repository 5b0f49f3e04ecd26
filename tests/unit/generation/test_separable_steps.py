import pytest

from raddle.entities import AbstractVariable, make_entities
from raddle.generation.expressions import Imported
from raddle.generation.raw_patterns import Family, RawPattern
from raddle.generation.separable_steps import SeparableSteps, runs_of
from raddle.generation.surface import Method, MethodKind

OWNER = "log.py:Log"
X, Y, LOCAL = (OWNER, "x"), (OWNER, "y"), ("list", "list[]")
ENTITIES = make_entities(variables=[AbstractVariable(*name[:1], "", name[1]) for name in (X, Y, LOCAL, X)])
METHOD = Method("m", MethodKind.METHOD, Imported("log", "Log"))


def learned(*steps):
    found = SeparableSteps()
    found.learn(METHOD, [(1, *step) for step in steps], ENTITIES)
    return found


def test_steps_without_a_lock_are_separable_in_their_order():
    steps = learned(("read", 0, 4), ("write", 1, 5))  # R x, W y
    # Pattern 16 is ARx BWy ARy BWx and 10 is AWx BWy BWx AWy: no thread reads x and then writes y. Patterns 12, 13 and
    # 17 read both variables or write both. So no pattern of two variables fits.
    assert list(steps.families()) == []
    assert list(learned(("read", 0, 4), ("read", 1, 5)).families()) == [
        Family(12, X, Y),  # AWx BRx BRy AWy: B reads x, then y
        Family(13, Y, X),  # AWx BRy BRx AWy: B reads the second variable first
        Family(14, X, Y),  # ARx BWx BWy ARy
        Family(15, X, Y),
        Family(16, X, Y),
        Family(17, Y, X),  # AWx BRy AWy BRx
    ]


@pytest.mark.parametrize(("first", "second", "numbers"), [
    ("read", "read", [4]), ("write", "read", [5]), ("write", "write", [6, 8]), ("read", "write", [7]),
])  # fmt: skip
def test_steps_on_one_variable(first, second, numbers):
    assert [family.number for family in learned((first, 0, 4), (second, 0, 5)).families()] == numbers


def test_a_lock_that_is_kept_makes_steps_inseparable():
    locked = learned(("acquire", 0, 0), ("read", 0, 4), ("write", 0, 5), ("release", 0, 0))
    assert not list(locked.families())
    released = learned(
        ("acquire", 0, 0), ("read", 0, 4), ("release", 0, 0), ("acquire", 0, 0), ("write", 0, 5), ("release", 0, 0)
    )
    assert list(released.families()) == [Family(7, X)]
    assert released.methods(Family(7, X), (0, 2)) == (METHOD,)
    assert released.methods(Family(4, X), (0, 2)) == ()


def test_local_containers_and_equal_attributes_of_two_objects_do_not_count():
    assert not list(learned(("read", 2, 4), ("write", 2, 5)).families())
    assert not list(learned(("read", 0, 4), ("write", 3, 5)).families())  # x of one object, then x of another


def test_a_pattern_is_separable_if_one_call_makes_both_steps_at_these_sites():
    steps = learned(("read", 0, 4), ("read", 0, 5))
    assert steps.has(RawPattern(4, X, ("", ""), (4, 9, 5)), [METHOD])
    assert not steps.has(RawPattern(4, X, ("", ""), (5, 9, 4)), [METHOD])
    assert not steps.has(RawPattern(4, X, ("", ""), (4, 9, 5)), [])
    assert runs_of(Family(1, X).parts) == ()
