"""The figures of Souza, Souza and Zaluska (Structural testing for message-passing concurrent programs, 2014).

Tables II to VI and VIII are as printed. Of Table VII, whose cells are illegible in part, only the totals are kept.
Those of sieve, mmult and pairwise are the ones that Table VIII repeats.
"""

from __future__ import annotations

from typing import NamedTuple

PROGRAMS = (
    "sieve", "gcd", "mmult", "philosophers", "pairwise", "reduction", "qsort", "jacobi", "van-der-waals"
)  # fmt: skip


class Characteristics(NamedTuple):
    """A row of Table II."""

    processes: int
    lines: int
    sends: int
    receives: int


class Elements(NamedTuple):
    """A row of Table III: required and infeasible elements."""

    edges: int
    infeasible_edges: int
    uses: int
    infeasible_uses: int


class Costs(NamedTuple):
    """A row of Table IV: the numbers of SYN-sequences that each approach executed, for T1 and for T2."""

    covt: int
    rt: int
    rtcovt: int
    rtcovt_t2: int


class Effectiveness(NamedTuple):
    """A row of Table VIII: the defects that each approach revealed, in percent."""

    covt: float
    rtcovt: float
    random: float


TABLE_2 = {
    "sieve": Characteristics(4, 114, 7, 7),
    "gcd": Characteristics(4, 111, 7, 5),
    "mmult": Characteristics(4, 198, 15, 27),
    "philosophers": Characteristics(10, 152, 29, 28),
    "pairwise": Characteristics(8, 176, 32, 32),
    "reduction": Characteristics(6, 133, 6, 6),
    "qsort": Characteristics(4, 480, 17, 29),
    "jacobi": Characteristics(6, 525, 71, 109),
    "van-der-waals": Characteristics(4, 552, 4, 4),
}
TABLE_3 = {
    "sieve": Elements(39, 18, 57, 36),
    "gcd": Elements(14, 4, 34, 15),
    "mmult": Elements(189, 144, 252, 202),
    "philosophers": Elements(81, 27, 108, 36),
    "pairwise": Elements(896, 864, 1344, 1304),
    "reduction": Elements(30, 25, 60, 55),
    "qsort": Elements(171, 78, 300, 190),
    "jacobi": Elements(151, 32, 255, 130),
    "van-der-waals": Elements(66, 54, 156, 143),
}
TABLE_4 = {
    "sieve": Costs(840, 144, 84, 41),
    "gcd": Costs(700, 126, 70, 40),
    "mmult": Costs(1680, 432, 168, 126),
    "philosophers": Costs(450, 45, 45, 45),
    "pairwise": Costs(240, 24, 24, 24),
    "reduction": Costs(200, 20, 20, 20),
    "qsort": Costs(1560, 1404, 156, 286),
    "jacobi": Costs(1860, 1674, 186, 248),
    "van-der-waals": Costs(440, 44, 44, 44),
}
# Tables V and VI: coverage after each test case, in percent: all-edges-s and all-s-uses, each for CovT and RTCovT
TABLE_5 = (
    (19.3, 19.3, 8.7, 8.7),
    (38.6, 49.1, 26.1, 34.8),
    (82.5, 94.7, 60.9, 71.0),
    (84.2, 96.5, 68.1, 78.3),
    (94.7, 100.0, 78.3, 82.6),
    (100.0, 100.0, 78.3, 82.6),
)
TABLE_6 = ((60.0, 93.3, 63.2, 89.5), (60.0, 93.3, 68.4, 94.7), (73.3, 93.3, 78.9, 94.7), (86.7, 93.3, 89.5, 94.7))
TABLE_7_TOTALS = {
    "sieve": 60, "gcd": 30, "mmult": 44, "philosophers": 23, "pairwise": 50, "reduction": 22, "qsort": 35,
    "jacobi": 71, "van-der-waals": 39,
}  # fmt: skip
TABLE_8 = {
    "sieve": Effectiveness(98.3, 100.0, 100.0),
    "gcd": Effectiveness(100.0, 100.0, 96.7),
    "mmult": Effectiveness(90.9, 97.7, 97.7),
    "pairwise": Effectiveness(100.0, 100.0, 94.0),
    "reduction": Effectiveness(100.0, 100.0, 98.0),
    "qsort": Effectiveness(100.0, 100.0, 100.0),
    "jacobi": Effectiveness(94.4, 100.0, 36.6),
    "van-der-waals": Effectiveness(100.0, 100.0, 89.7),
}
TABLE_1_EDGES = ("(2m,20)", "(3m,21)", "(7m,22)", "(80,4m)", "(80,5m)", "(81,4m)", "(81,5m)", "(82,8m)")
