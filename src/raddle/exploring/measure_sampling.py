"""Measurement sampling: which executions are measured.

All of them, until coverage is saturated. A search for the first failure goes on after that, and measuring takes longer
than running: where nobody asked for coverage by name, only a sample is measured from then on. If one of those covers
something new, all are measured again.
"""

from __future__ import annotations

ROW = 20  # executions that are measured one after the other, so that schedulers that take turns all have theirs
ROWS_TO_ONE = 8  # that is measured


class MeasurementSampling:
    """Told whether coverage is saturated.

    >>> sampling = MeasurementSampling(always=False)
    >>> sampling.saturated = True
    >>> sum(sampling.wants(number) for number in range(1, 161))
    20
    """

    def __init__(self, *, always: bool, saturated: bool = False) -> None:
        self.always = always  # is every execution to be measured, whatever it may cover?
        self.saturated = saturated

    def wants(self, number: int) -> bool:
        """Is the execution of that number to be measured?"""
        return self.always or not self.saturated or (number - 1) // ROW % ROWS_TO_ONE == 0


def told(measured: int, executions: int) -> str:
    """What to say of it.

    >>> told(240, 1_000)
    'once coverage was saturated, one in 8 executions was measured: 240 of 1,000 in all'
    """
    in_all = f"{measured:,} of {executions:,} in all"
    return f"once coverage was saturated, one in {ROWS_TO_ONE} executions was measured: {in_all}"
