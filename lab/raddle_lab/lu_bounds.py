"""Table 1 of Lu, Jiang and Zhou: how many executions each criterion costs, by the size of a program.

The paper supposes that each of M threads has n accesses, n / V of them to each of V variables. Its bounds are orders of
magnitude, so their values here leave constants out: a complete test set may be larger than its bound. In the copy of
the paper that this was written after, the lower bounds of the last four criteria and the upper bound of LR-Inv are not
legible. The last follows from the text: there are at most 2 PN requirements, and PN is at most n M.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log10
from typing import NamedTuple

from raddle.criteria.observed_accesses import ObservedAccesses

PLAIN = 4  # digits of a bound that is written in full


class Shape(NamedTuple):
    """The size of a program."""

    threads: int  # M: those that touch shared variables
    accesses: float  # n: of a thread to shared variables, on average
    variables: int  # V: shared ones

    @classmethod
    def of(cls, by_threads: ObservedAccesses, by_variables: ObservedAccesses) -> Shape:
        """Return the shape of a program of which `tpair` and `svar` saw this; of a thread, its longest execution."""
        longest: dict[str, int] = {}
        for variable, thread, profile, _ in by_threads.lines:
            if variable is None:
                accesses = sum(number for _, number in profile)
                longest[thread] = max(accesses, longest.get(thread, 0))
        variables = {variable for variable, *_ in by_variables.lines if variable is not None}
        return cls(len(longest), sum(longest.values()) / len(longest) if longest else 0.0, len(variables))


class Bound(NamedTuple):
    """A formula, and the decimal logarithm of its value: some values have hundreds of digits."""

    formula: str
    logarithm: Callable[[Shape], float]

    def value(self, shape: Shape) -> str:
        """Return the value for a program, as a table shows it.

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
    """log(4^n / √n): interleavings of two threads with n accesses each, without a constant."""
    return accesses * log10(4) - log10(accesses) / 2


def _variable(shape: Shape) -> float:
    return _whole(shape.accesses / shape.variables)


_ALL = Bound("(4^n / √n)^(M-1)", lambda s: _whole(s.accesses) * (s.threads - 1))
_LINEAR = Bound("n M", lambda s: log10(s.accesses * s.threads))

# By criterion: the lower bound where it is legible, and the upper one.
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
