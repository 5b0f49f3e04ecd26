"""`crossings`: the pairs of sites that a requirement places in different threads, for several criteria."""

from __future__ import annotations

import pytest

from raddle.criteria import make_criteria

P, Q, R, S = 70001, 70002, 70003, 70004
VARIABLE = ("m.py:C", "", "x")


@pytest.mark.parametrize(
    ("criterion", "key", "expected"),
    [
        ("map", (1, "m.py:C", "x", "", P, Q), {(P, Q)}),  # A reads, B writes
        ("map", (9, "m.py:C", "x", "y", P, Q, R, S), {(P, Q), (P, R), (Q, S), (R, S)}),  # threads A, B, B, A
        ("avio", (P, Q, R), {(P, R), (Q, R)}),  # one thread runs P and Q
        ("avio*", (P, Q, R, VARIABLE, ("main", "1"), ("f", "2")), {(P, R), (Q, R)}),
        ("hbpair*", (P, Q, "", ("main", "1"), ("f", "2")), {(P, Q)}),
        ("concur-pairs", (P, Q, True), {(P, Q)}),
        ("concur-pairs", (P, Q, False), set()),  # the same thread continued
        ("def-use", (VARIABLE, ("T0", "write", P, 1), ("T1", "read", Q, 1)), {(P, Q)}),
        ("def-use", (VARIABLE, ("T1", "write", P, 1), ("T1", "read", Q, 1)), set()),
        ("def-use", (VARIABLE, "initial", ("T1", "read", Q, 1)), set()),
        ("blocks", (P,), set()),
    ],
)
def test_crossings_are_the_site_pairs_of_different_threads(criterion, key, expected):
    [made] = make_criteria(criterion)
    assert set(made.crossings(key)) == expected
