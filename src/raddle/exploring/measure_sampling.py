"""Measurement sampling: the choice of which executions to measure.

Every execution is measured until coverage is saturated. A search for the first failure continues after that, and
measuring an execution takes longer than running it. From then on, only a sample of the executions is measured, unless
the user selected criteria. Once a measured execution covers something new, every execution is measured again.
"""

from __future__ import annotations

BLOCK = 20  # consecutive executions to measure; enough for every scheduler in the portfolio to have a turn
BLOCKS_PER_MEASURED = 8  # one block in this many is measured


class MeasurementSampling:
    """Chooses the executions to measure; the caller sets `saturated`.

    >>> sampling = MeasurementSampling(always=False)
    >>> sampling.saturated = True
    >>> sum(sampling.should_measure(number) for number in range(1, 161))
    20
    """

    def __init__(self, *, always: bool, saturated: bool = False) -> None:
        self.always = always  # True to measure every execution, even after saturation
        self.saturated = saturated

    def should_measure(self, number: int) -> bool:
        """Return whether to measure the execution with this number."""
        return self.always or not self.saturated or (number - 1) // BLOCK % BLOCKS_PER_MEASURED == 0


def sampling_note(measured: int, executions: int) -> str:
    """Return the note that says how many executions were measured.

    >>> sampling_note(240, 1_000)
    'once coverage was saturated, one in 8 executions was measured: 240 of 1,000 in all'
    """
    in_all = f"{measured:,} of {executions:,} in all"
    return f"once coverage was saturated, one in {BLOCKS_PER_MEASURED} executions was measured: {in_all}"
