"""Tests of `raddle.generation.autocontest.rounds`."""

from __future__ import annotations

import pytest

from raddle.generation.autocontest.coverage import CallTrace, TraceEvent
from raddle.generation.autocontest.rounds import limited_rounds


def trace(text: str) -> CallTrace:
    return tuple(TraceEvent("read", ord(letter)) for letter in text)


@pytest.mark.parametrize(
    ("full", "rounds", "limited"),
    [
        ("", 2, ""),
        ("abc", 2, "abc"),
        ("aa", 2, "aa"),
        ("aaaaa", 2, "aa"),
        ("xababababy", 2, "xababy"),
        ("ababab", 3, "ababab"),
        ("abababab", 1, "ab"),
        ("abab", 1, "ab"),
        ("abxabxab", 2, "abxabxab"),  # the third round is not complete
        ("abbabbabb", 2, "abbabb"),  # a loop with an inner loop
        ("abbbabbbbabb", 2, "abbabb"),  # the inner loop differs only in its rounds
        ("abcacb", 1, "abcacb"),  # nothing is repeated directly
    ],
)
def test_further_rounds_of_a_loop_are_left_out(full, rounds, limited):
    assert limited_rounds(trace(full), rounds) == trace(limited)


def test_a_limited_trace_stays_the_same():
    once = limited_rounds(trace("abbbabbbbabbcabbb"), 2)
    assert limited_rounds(once, 2) == once
