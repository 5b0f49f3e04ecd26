"""The numbers in Tables II, III and IV of the paper on MAP-coverage; Table II's are in `raddle_lab.class_subjects`."""

from __future__ import annotations

from typing import NamedTuple

TIME_LIMIT = 3600.0  # seconds; a run without a bug counts as this
RUNS = 10


class Compared(NamedTuple):
    """A comparison of two methods: the signed speed-up and the p-value of the Wilcoxon test."""

    speedup: float
    p: float


class Row3(NamedTuple):
    """A row of Table III: mean times in seconds, and the percentage of the runs that find a bug."""

    maptest: float
    covcon: float
    covcon_rate: int
    random: float  # MAPTest-Random
    random_rate: int
    maptest_over_covcon: Compared
    maptest_over_random: Compared
    random_over_covcon: Compared


def _row(maptest: float, covcon: tuple[float, int], random: tuple[float, int], *compared: tuple[float, float]) -> Row3:
    one, two, three = (Compared(*pair) for pair in compared)
    return Row3(maptest, *covcon, *random, one, two, three)


# MAPTest finds a bug in every run.
TABLE_3 = {
    "V1": _row(25.3, (30.0, 100), (93.0, 100), (1.18, 0.475), (3.67, 0.032), (-3.10, 0.028)),
    "V2": _row(20.3, (18.2, 100), (85.9, 100), (-1.12, 0.441), (4.23, 0.009), (-4.72, 0.009)),
    "V3": _row(1.0, (4.5, 100), (0.6, 100), (4.50, 0.009), (-1.67, 0.386), (7.50, 0.012)),
    "V4": _row(147.0, (2811.5, 40), (572.0, 100), (19.13, 0.006), (3.89, 0.083), (4.92, 0.011)),
    "V5": _row(6.6, (433.1, 90), (3.5, 100), (65.62, 0.011), (-1.89, 0.767), (123.74, 0.008)),
    "V6": _row(90.4, (287.8, 100), (934.6, 100), (3.18, 0.041), (10.34, 0.008), (-3.25, 0.083)),
    "V7": _row(257.5, (1710.2, 90), (674.7, 100), (6.64, 0.041), (2.62, 0.359), (2.53, 0.221)),
    "V8": _row(480.5, (404.5, 100), (1235.5, 100), (-1.19, 0.476), (2.57, 0.032), (-3.05, 0.032)),
    "V9": _row(237.3, (309.7, 100), (3600.0, 0), (1.31, 0.838), (15.17, 0.006), (-11.62, 0.006)),
    "V10": _row(86.7, (413.4, 90), (2636.2, 40), (4.77, 0.541), (30.41, 0.006), (-6.38, 0.018)),
    "V11": _row(89.3, (127.0, 100), (129.8, 100), (1.42, 0.359), (1.45, 0.359), (-1.02, 0.838)),
    "V12": _row(31.1, (71.8, 100), (2542.6, 50), (2.30, 0.041), (81.76, 0.006), (-35.41, 0.006)),
    "V13": _row(36.8, (56.0, 100), (26.8, 100), (1.52, 0.415), (-1.37, 0.221), (2.09, 0.076)),
    "V14": _row(53.7, (53.8, 100), (332.9, 100), (1.00, 0.683), (6.19, 0.097), (-6.19, 0.154)),
    "V15": _row(27.7, (439.4, 100), (2339.7, 70), (15.86, 0.006), (84.47, 0.006), (-5.32, 0.008)),
    "V16": _row(9.2, (9.6, 100), (55.3, 100), (1.04, 1.000), (6.01, 0.006), (-5.76, 0.032)),
    "V17": _row(5.7, (20.9, 100), (1.4, 100), (3.67, 0.008), (-4.07, 0.012), (14.93, 0.006)),
    "V18": _row(18.7, (3600.0, 0), (15.0, 100), (192.51, 0.006), (-1.25, 0.799), (240.00, 0.006)),
    "V19": _row(239.3, (3600.0, 0), (234.7, 100), (15.04, 0.006), (-1.02, 1.000), (15.34, 0.006)),
    "V20": _row(1210.5, (2316.3, 70), (2647.8, 50), (1.91, 0.032), (2.19, 0.014), (-1.14, 0.639)),
}


class Row4(NamedTuple):
    """A row of Table IV."""

    pairs: int
    patterns: int
    bugs: int
    maptest: float  # Kendall's τ between MAP-coverage and bugs
    covcon: float | None  # between method-pair coverage and bugs; None if it is not defined


TABLE_4 = {
    "V1": Row4(2145, 691, 1, 0.19, 0.20),
    "V2": Row4(1326, 462, 1, 0.38, 0.27),
    "V3": Row4(45, 3960, 18, 0.61, 0.32),
    "V4": Row4(435, 3608, 1, 0.16, 0.16),
    "V5": Row4(496, 8619, 10, 0.74, 0.19),
    "V6": Row4(990, 469, 2, 0.44, 0.35),
    "V7": Row4(1485, 15205, 42, 0.28, 0.54),
    "V8": Row4(351, 2354, 2, 0.20, 0.11),
    "V9": Row4(253, 1742, 17, 0.29, 0.10),
    "V10": Row4(1326, 7504, 35, 0.33, 0.65),
    "V11": Row4(351, 1347, 11, 0.54, None),
    "V12": Row4(6105, 1560, 2, 0.31, 0.42),
    "V13": Row4(7875, 4576, 4, -0.09, 0.32),
    "V14": Row4(861, 1596, 9, 0.53, 0.39),
    "V15": Row4(23653, 24093, 9, 0.28, 0.33),
    "V16": Row4(325, 1344, 12, 0.34, 0.22),
    "V17": Row4(36, 1295, 16, 0.56, None),
    "V18": Row4(561, 1585, 7, 0.37, 0.18),
    "V19": Row4(190, 137, 2, 0.56, None),
    "V20": Row4(2211, 4930, 5, -0.08, 0.18),
}
