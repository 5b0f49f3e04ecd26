"""The numbers in Tables 1 and 2 of the paper on AutoConTest, and in the text around them."""

from __future__ import annotations

from typing import NamedTuple

TIME_LIMIT = 3600.0  # seconds for each class
MEAN_FIRST_FAULT = 38.0  # seconds
MAX_FIRST_FAULT = 65.0
MEAN_FIRST_FAULT_CONTEGE = 870.0  # 14.5 minutes, for the four faults that ConTeGe* finds
FAULTS_BY_FIRST_TEST = 6
GENERATION_PERCENT = 17  # share of the time that goes into generation
CONTEXT_PERCENT = 58  # share of the tested interleavings that differ from others only in their calling contexts
EQUAL_COVERAGE_SECONDS = 40.0  # time after which AutoConTest reaches ConTeGe*'s final coverage
MEAN_FIRST_ITERATION = 3.0  # seconds
SPEEDUP = 1530.0  # of the first iteration by pruning: a lower bound, the mean of the ratios of one hour to the times
MEAN_ITERATIONS = 20
MEAN_LEVEL = 84  # the saturation level k of the last sequence


class Faults(NamedTuple):
    """One half of a row of Table 1."""

    first_fault_ms: int | None  # None if the fault was not found within an hour
    tests: int
    suite_size: int
    covered: int
    seed: int | None = None  # the seed of the best of five runs; None for the only run of AutoConTest


class Row1(NamedTuple):
    """A row of Table 1."""

    code_base: str
    class_name: str
    lines: int
    issue: str
    autocontest: Faults
    contege: Faults


class Sequence(NamedTuple):
    """The best sequence of the first iteration."""

    seconds: float | None  # None if the iteration did not end within an hour
    gain: int
    length: int


class Row2(NamedTuple):
    """A row of Table 2."""

    saturation_ms: int
    gain: int  # of all sequences
    enabled: Sequence
    disabled: Sequence


TABLE_1 = {
    "A1": Row1("Apache Commons 2.4", "IntRange", 278, "LANG-481",
               Faults(22_438, 7, 2_157, 19), Faults(66_357, 110, 1_742, 91, 1)),
    "A2": Row1("Google Commons 1.0", "AbstractMultimap.AsMap", 1_125, "Guava-339",
               Faults(28_967, 3, 19, 1), Faults(None, 130, 1_898, 0, 0)),
    "A3": Row1("JDK 1.1.7", "Vector", 216, "JDK-4334376",
               Faults(64_506, 17, 1_437, 2), Faults(1_014_452, 185, 1_232, 2, 4)),
    "A4": Row1("JFreeChart 0.9", "NumberAxis", 1_298, "JFreeChart-278",
               Faults(35_075, 1, 114, 23), Faults(156_846, 99, 1_351, 3, 0)),
    "A5": Row1("JDK 1.4.1", "Logger", 992, "JDK-4779253",
               Faults(45_141, 3, 105, 1), Faults(None, 230, 3_161, 0, 0)),
    "A6": Row1("JDK 1.4.2", "Vector", 326, "JDK-4791557",
               Faults(29_588, 1, 104, 33), Faults(2_254_045, 167, 2_729, 1, 0)),
}  # fmt: skip
TABLE_2 = {
    "A1": Row2(8_151, 30, Sequence(1.598, 25, 43), Sequence(None, 25, 43)),
    "A2": Row2(4_505, 7, Sequence(1.741, 6, 11), Sequence(None, 6, 11)),
    "A3": Row2(14_070, 71, Sequence(1.931, 23, 43), Sequence(None, 24, 48)),
    "A4": Row2(301_605, 70, Sequence(7.098, 56, 91), Sequence(None, 56, 91)),
    "A5": Row2(1_329_381, 53, Sequence(2.911, 24, 60), Sequence(None, 24, 60)),
    "A6": Row2(452_560, 344, Sequence(2.866, 44, 88), Sequence(None, 44, 87)),
}
