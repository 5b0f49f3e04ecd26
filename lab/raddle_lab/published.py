"""The published numbers with which the experiments are compared."""

from __future__ import annotations

from typing import NamedTuple

SUITS = "suits saturation"
AT_ONCE = "saturates at once"
HARDLY = "hardly saturates"


class Abstraction(NamedTuple):
    """A row of Table 2 of Křena, Letko and Vojnar."""

    classes: int
    error_ratio: float
    objects_real: int
    objects_type: int
    objects_abstract: int
    threads_real: int
    threads_type: int
    threads_abstract_10: int
    threads_abstract_20: int


class Quantities(NamedTuple):
    """The numbers in Table 3 for one metric and one case; `raddle_lab.series` defines them."""

    total: float
    average_percent: float | None  # None if there are no tasks
    smooth_percent: float


TABLE_2 = {
    "philosophers": Abstraction(2, 0.4151, 130, 3, 3, 7, 2, 2, 2),
    "airlines": Abstraction(8, 0.0333, 15_210, 6, 6, 60, 3, 3, 4),
    "crawler": Abstraction(19, 0.0006, 1_828, 13, 14, 180, 4, 9, 12),
    "ftp": Abstraction(120, 0.4032, 26_110, 27, 29, 1_641, 5, 5, 6),
    "broker": Abstraction(1_399, 0.0170, 180_320, 98, 129, 79, 5, 9, 11),
}

_CASES = tuple(TABLE_2)
_NONE = (0, None, 0)
_TABLE_3: dict[str, tuple[tuple[float, float | None, float], ...]] = {
    "avio": ((6, 47, 0), (17, 60, 1), (40, 22, 1), (529, 45, 10), (822, 50, 8)),
    "avio*": ((30, 10, 0), (490, 2, 10), (418, 3, 9), (1_023, 33, 16), (3_280, 29, 22)),
    "concur-pairs": ((4_059, 6, 38), (16_730, 6, 85), (20_866, 3, 83), (526_280, 6, 100), (4_908_100, 2, 100)),
    "du-pairs": ((18, 76, 0), (43, 97, 0), (105, 81, 1), (330, 92, 2), (1_933, 98, 2)),
    "du-pairs*": ((72, 19, 0), (1_401, 3, 9), (921, 11, 8), (646, 82, 3), (3_092, 90, 4)),
    "eraser": ((29, 76, 0), (73, 96, 0), (217, 64, 2), (684, 88, 4), (2_978, 90, 4)),
    "eraser*": ((89, 25, 0), (1_429, 5, 8), (861, 19, 5), (1_086, 79, 4), (4_886, 83, 6)),
    "goldilock": ((26, 73, 0), (102, 64, 2), (384, 20, 12), (1_091, 61, 9), (6_265, 51, 29)),
    "goldilock*": ((119, 16, 0), (4_217, 1, 20), (3_335, 3, 26), (2_210, 47, 12), (10_434, 41, 46)),
    "goodlock": ((9, 56, 0), _NONE, (57, 52, 1), _NONE, (321, 63, 3)),
    "goodlock*": ((22, 23, 0), _NONE, (258, 17, 4), _NONE, (915, 34, 6)),
    "hbpair": ((6, 62, 0), (25, 79, 0), (61, 39, 1), (13, 73, 0), (131, 70, 2)),
    "hbpair*": ((29, 13, 0), (1_013, 2, 13), (984, 4, 12), (28, 49, 0), (420, 46, 5)),
    "sync": ((8, 56, 0), (27, 78, 0), (49, 46, 1), (22, 66, 0), (172, 79, 2)),
}
TABLE_3 = {
    metric: dict(zip(_CASES, (Quantities(*three) for three in row), strict=True)) for metric, row in _TABLE_3.items()
}
METRICS = tuple(TABLE_3)

# From Figure 1 and the text about it: the metrics in panels (a) and (b) saturate within the first 200 of 2,000
# executions, those in (c) are the best, and those in (d) saturate late. GoodLock* is drawn in (c) but not counted among
# the best, because many programs have no nested locks. GoodLock is not drawn; according to Table 3, it belongs to (a).
VERDICT = {
    "avio": AT_ONCE,
    "avio*": SUITS,
    "concur-pairs": HARDLY,
    "du-pairs": AT_ONCE,
    "du-pairs*": SUITS,
    "eraser": AT_ONCE,
    "eraser*": SUITS,
    "goldilock": SUITS,
    "goldilock*": HARDLY,
    "goodlock": AT_ONCE,
    "goodlock*": SUITS,
    "hbpair": AT_ONCE,
    "hbpair*": SUITS,
    "sync": AT_ONCE,
    "blocks": AT_ONCE,
}

# Table IV of the paper on MAP-coverage: τ for 20 Java classes, without cells that contain "-" or "*". KENDALL holds the
# last row. The text calls the last row the average across all programs, but the averages of the rows above are 0.35
# and 0.29.
TABLE_4 = {
    "map": (
        0.19, 0.38, 0.61, 0.16, 0.74, 0.44, 0.28, 0.20, 0.29, 0.33, 0.54, 0.31, -0.09, 0.53, 0.28, 0.34, 0.56, 0.37,
        0.56, -0.08,
    ),
    "method-pairs": (
        0.20, 0.27, 0.32, 0.16, 0.19, 0.35, 0.54, 0.11, 0.10, 0.65, 0.42, 0.32, 0.39, 0.33, 0.22, 0.18, 0.18,
    ),
}  # fmt: skip
KENDALL = {"map": 0.43, "method-pairs": 0.13}
