"""Table 1 of Lu, Jiang and Zhou: bounds on the number of executions that each criterion requires, by program size.

The paper assumes that each of M threads has n accesses, n / V of them to each of V variables. The paper's bounds give
only orders of magnitude. The values here omit constant factors, so a complete test set may be larger than its bound. In
the available copy of the paper, the lower bounds of the last four criteria and the upper bound of LR-Inv are illegible.
The upper bound of LR-Inv follows from the text: there are at most two requirements for each consecutive pair of
accesses, and at most n M such pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log10
from typing import NamedTuple

from raddle.criteria.observed_accesses import ObservedAccesses

PLAIN = 4  # bounds with at most this many digits are written in full


class Shape(NamedTuple):
    """The size of a program."""

    threads: int  # M: number of threads that access shared variables
    accesses: float  # n: average number of accesses to shared variables per thread
    variables: int  # V: number of shared variables

    @classmethod
    def of(cls, by_threads: ObservedAccesses, by_variables: ObservedAccesses) -> Shape:
        """Return the shape of a program, computed from the accesses that `tpair` and `svar` observed.

        Each thread's accesses are counted in the execution in which it made the most.
        """
        longest: dict[str, int] = {}
        for variable, thread, profile, _ in by_threads.lines:
            if variable is None:
                accesses = sum(number for _, number in profile)
                longest[thread] = max(accesses, longest.get(thread, 0))
        variables = {variable for variable, *_ in by_variables.lines if variable is not None}
        return cls(len(longest), sum(longest.values()) / len(longest) if longest else 0.0, len(variables))


class Bound(NamedTuple):
    """A formula, and a function that returns log10 of its value; the value itself may be too large for a float."""

    formula: str
    logarithm: Callable[[Shape], float]

    def value(self, shape: Shape) -> str:
        """Return the value for a program, formatted for a table.

        >>> BOUNDS["pinv"][1].value(Shape(threads=4, accesses=4, variables=2))
        '32'
        >>> BOUNDS["all"][1].value(Shape(threads=4, accesses=4, variables=2))
        '2e6'
        """
        if not (shape.threads and shape.accesses and shape.variables):
            return "0"
        digits = self.logarithm(shape)
        if digits < PLAIN:
            return f"{10**digits:,.0f}"
        exponent = int(digits)
        mantissa = round(10 ** (digits - exponent))
        return f"1e{exponent + 1}" if mantissa == 10 else f"{mantissa}e{exponent}"


def _whole(accesses: float) -> float:
    """Return log(4^n / √n): up to a constant, the log of the number of interleavings of two threads with n accesses."""
    return accesses * log10(4) - log10(accesses) / 2


def _variable(shape: Shape) -> float:
    return _whole(shape.accesses / shape.variables)


_ALL = Bound("(4^n / √n)^(M-1)", lambda s: _whole(s.accesses) * (s.threads - 1))
_LINEAR = Bound("n M", lambda s: log10(s.accesses * s.threads))

# Maps each criterion to its lower bound, if legible in the paper, and its upper bound.
BOUNDS: dict[str, tuple[Bound | None, Bound]] = {
    "all": (_ALL, _ALL),
    "tpair": (
        Bound("4^n / √n", lambda s: _whole(s.accesses)),
        Bound("4^n / √n · M", lambda s: _whole(s.accesses) + log10(s.threads)),
    ),
    "svar": (
        Bound("4^(n/V) / √(n/V)", _variable),
        Bound("4^(n/V) / √(n/V) · V M", lambda s: _variable(s) + log10(s.variables * s.threads)),
    ),
    "pinv": (None, Bound("n² M / V", lambda s: log10(s.accesses**2 * s.threads / s.variables))),
    "def-use": (
        None,
        Bound("n² M / V + n", lambda s: log10(s.accesses**2 * s.threads / s.variables + s.accesses)),
    ),
    "lr-inv": (None, _LINEAR),
    "lr-def": (None, _LINEAR),
}
CRITERIA = tuple(BOUNDS)
