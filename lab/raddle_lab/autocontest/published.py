"""The numbers in Tables 1 and 2 of the paper on AutoConTest, and those in its text."""

from __future__ import annotations

from typing import NamedTuple

HOUR_MS = 3_600_000  # the paper's time limit


class Effect(NamedTuple):
    """What one approach did for one class, according to Table 1."""

    first_fault_ms: int | None  # None if an hour was not enough
    tests: int
    suite_size: int
    covered: int


class Row1(NamedTuple):
    """A row of Table 1."""

    lines: int
    issue: str
    ours: Effect  # AutoConTest
    seed: int  # the best of ConTeGe*'s five seeds
    contege: Effect


TABLE_1 = {
    "A1": Row1(278, "LANG-481", Effect(22438, 7, 2157, 19), 1, Effect(66357, 110, 1742, 91)),
    "A2": Row1(1125, "guava 339", Effect(28967, 3, 19, 1), 0, Effect(None, 130, 1898, 0)),
    "A3": Row1(216, "JDK-4334376", Effect(64506, 17, 1437, 2), 4, Effect(1014452, 185, 1232, 2)),
    "A4": Row1(1298, "bug 278", Effect(35075, 1, 114, 23), 0, Effect(156846, 99, 1351, 3)),
    "A5": Row1(992, "JDK-4779253", Effect(45141, 3, 105, 1), 0, Effect(None, 230, 3161, 0)),
    "A6": Row1(326, "JDK-4791557", Effect(29588, 1, 104, 33), 0, Effect(2254045, 167, 2729, 1)),
}


class Optimum(NamedTuple):
    """The best sequence of the first iteration."""

    time_ms: int | None  # None if an hour was not enough
    gained: int  # number of new call traces
    length: int


class Row2(NamedTuple):
    """A row of Table 2."""

    saturation_ms: int
    traces: int  # cumulative
    pruned: Optimum  # with the pruning rules
    unpruned: Optimum  # with D1 only


TABLE_2 = {
    "A1": Row2(8151, 30, Optimum(1598, 25, 43), Optimum(None, 25, 43)),
    "A2": Row2(4505, 7, Optimum(1741, 6, 11), Optimum(None, 6, 11)),
    "A3": Row2(14070, 71, Optimum(1931, 23, 43), Optimum(None, 24, 48)),
    "A4": Row2(301605, 70, Optimum(7098, 56, 91), Optimum(None, 56, 91)),
    "A5": Row2(1329381, 53, Optimum(2911, 24, 60), Optimum(None, 24, 60)),
    "A6": Row2(452560, 344, Optimum(2866, 44, 88), Optimum(None, 44, 87)),
}

GENERATION_PERCENT = 17  # share of the time that generation takes
CONTEXT_PERCENT = 58  # share of the tested interleavings that only their calling contexts distinguish
OVERTAKEN_SECONDS = 40  # AutoConTest reaches the final coverage of ConTeGe* earlier than this
ITERATIONS, LEVEL = 20, 84  # mean number of iterations, and mean saturation level, at the last returned sequence
STRESS_FAULTS = 0  # faults that ConTeGe finds in an hour on native threads

# Fig. 4 and the text of sections 3 and 4.
COVERAGE_OF_D2 = ("m3 a3 l1 m4 a4 a5 m4 l2 m3", "m7 a8 a9 m7", "m5 a6 a7 a7 m5")
GAIN_OF_D3 = ("m3 a3 m4 a4 a5 m4 m3",)
TESTS = ("d1 || d1", "d2 || d2", "d2 || d1", "d3 || d3", "d3 || d1", "d3 || d2")
