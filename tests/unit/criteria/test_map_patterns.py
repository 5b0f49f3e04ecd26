"""The seventeen MAP patterns, and which of them are equivalent."""

from __future__ import annotations

from itertools import product

import pytest

from raddle.criteria.patterns import COUNTED, PATTERNS, READ, WRITE, identify

# Table I of the paper, transcribed by hand. Each step has a thread, a kind and a variable.
R, W = READ, WRITE
TABLE = {
    1: [("A", R, "x"), ("B", W, "x")],
    2: [("A", W, "x"), ("B", R, "x")],
    3: [("A", W, "x"), ("B", W, "x")],
    4: [("A", R, "x"), ("B", W, "x"), ("A", R, "x")],
    5: [("A", W, "x"), ("B", W, "x"), ("A", R, "x")],
    6: [("A", W, "x"), ("B", R, "x"), ("A", W, "x")],
    7: [("A", R, "x"), ("B", W, "x"), ("A", W, "x")],
    8: [("A", W, "x"), ("B", W, "x"), ("A", W, "x")],
    9: [("A", W, "x"), ("B", W, "x"), ("B", W, "y"), ("A", W, "y")],
    10: [("A", W, "x"), ("B", W, "y"), ("B", W, "x"), ("A", W, "y")],
    11: [("A", W, "x"), ("B", W, "y"), ("A", W, "y"), ("B", W, "x")],
    12: [("A", W, "x"), ("B", R, "x"), ("B", R, "y"), ("A", W, "y")],
    13: [("A", W, "x"), ("B", R, "y"), ("B", R, "x"), ("A", W, "y")],
    14: [("A", R, "x"), ("B", W, "x"), ("B", W, "y"), ("A", R, "y")],
    15: [("A", R, "x"), ("B", W, "y"), ("B", W, "x"), ("A", R, "y")],
    16: [("A", R, "x"), ("B", W, "y"), ("A", R, "y"), ("B", W, "x")],
    17: [("A", W, "x"), ("B", R, "y"), ("A", W, "y"), ("B", R, "x")],
}


def test_the_patterns_are_those_of_table_1():
    assert {number: [tuple(part) for part in pattern.parts] for number, pattern in PATTERNS.items()} == TABLE


def test_equivalent_patterns_differ_only_in_the_order_of_commuting_steps():
    """Swap adjacent steps of different threads on different variables.

    Pattern 10 is AWx BWy BWx AWy. Swapping its last two steps gives pattern 11. Swapping its first two gives BWy AWx
    BWx AWy, which is 11 for (y, x). Pattern 13 is AWx BRy BRx AWy. Swapping its last two steps gives pattern 17.
    Swapping its first two gives BRy AWx BRx AWy, which is 16 for (y, x). Swapping both pairs gives BRy AWx AWy BRx,
    which is 15 for (y, x). In patterns 9, 12 and 14, adjacent steps share a thread or a variable.
    """
    same = {number: {(r.number, r.exchanged) for r in PATTERNS[number].equivalents} for number in range(9, 18)}
    assert same[9] == {(9, False)}
    assert same[12] == {(12, False)}
    assert same[14] == {(14, False)}
    assert same[10] == same[11] == {(10, False), (10, True), (11, False), (11, True)}
    assert same[13] == same[17] == {(13, False), (17, False), (15, True), (16, True)}
    assert same[15] == same[16] == {(15, False), (16, False), (13, True), (17, True)}
    assert [pattern.number for pattern in COUNTED] == [*range(1, 11), 12, 13, 14]
    assert [pattern.number for pattern in COUNTED if pattern.symmetric] == [10]


@pytest.mark.parametrize(
    ("number", "counted"),
    [
        # The sites 1 to 4 represent the steps in order. If thread B comes first, A and B swap names.
        (9, (9, "x", "y", (1, 2, 3, 4))),
        (10, (10, "x", "y", (1, 2, 3, 4))),
        (11, (10, "x", "y", (1, 2, 4, 3))),
        (12, (12, "x", "y", (1, 2, 3, 4))),
        (13, (13, "x", "y", (1, 2, 3, 4))),
        (14, (14, "x", "y", (1, 2, 3, 4))),
        (15, (13, "y", "x", (2, 1, 4, 3))),
        (16, (13, "y", "x", (2, 1, 3, 4))),
        (17, (13, "x", "y", (1, 2, 4, 3))),
    ],
)
def test_identify_maps_a_pattern_to_its_counted_equivalent(number, counted):
    assert identify(number, "x", "y", (1, 2, 3, 4)) == counted


def test_the_symmetric_pattern_is_counted_with_the_variables_in_order():
    # AWy1 BWx2 BWy3 AWx4 is equivalent to BWx2 AWy1 AWx4 BWy3, which is pattern 10 with x first.
    assert identify(10, "y", "x", (1, 2, 3, 4)) == (10, "x", "y", (2, 1, 4, 3))


def sequences(pools):
    """Yield the sequences of (thread, kind, variable, site) that Algorithm 3 builds for ordered pairs of variables."""
    for number in range(9, 18):
        for x, y in (("x", "y"), ("y", "x")):
            names = {"x": x, "y": y}
            steps = [(thread, kind, names[variable]) for thread, kind, variable in TABLE[number]]
            for sites in product(*(pools[kind, variable] for _, kind, variable in steps)):
                yield number, x, y, sites, tuple((*step, site) for step, site in zip(steps, sites, strict=True))


def renamed(sequence):
    first = sequence[0][0]
    return tuple(("A" if thread == first else "B", *rest) for thread, *rest in sequence)


def reachable(sequence):
    """Return all sequences reachable by swapping adjacent steps that commute, up to renaming of threads."""
    found = [renamed(sequence)]
    for current in found:
        for left in range(3):
            first, second = current[left], current[left + 1]
            if first[0] != second[0] and first[2] != second[2]:
                reordered = renamed((*current[:left], second, first, *current[left + 2 :]))
                if reordered not in found:
                    found.append(reordered)
    return frozenset(found)


@pytest.mark.parametrize(("wx", "rx", "wy", "ry"), [(1, 1, 1, 1), (2, 1, 1, 2), (1, 2, 2, 1), (2, 2, 2, 2)])
def test_counting_equivalent_patterns_once_gives_the_papers_formula(wx, rx, wy, ry):
    pools = {(W, "x"): range(10, 10 + wx), (R, "x"): range(20, 20 + rx)}
    pools |= {(W, "y"): range(30, 30 + wy), (R, "y"): range(40, 40 + ry)}
    classes = {}
    for number, x, y, sites, sequence in sequences(pools):
        classes.setdefault(reachable(sequence), set()).add(identify(number, x, y, sites))
    assert all(len(names) == 1 for names in classes.values())
    assert len({next(iter(names)) for names in classes.values()}) == len(classes)
    assert len(classes) == 3 * wx**2 * wy**2 + 6 * wx * rx * wy * ry
