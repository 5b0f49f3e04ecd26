"""Attention: which executions are measured.

All of them, until coverage is saturated. A search for the first failure goes on after that, and measuring takes longer
than running: where nobody asked for coverage by name, only a sample is measured from then on. If one of those covers
something new, all are measured again.
"""

from __future__ import annotations

ROW = 20  # executions that are measured one after the other, so that schedulers that take turns all have theirs
ONE_IN = 8  # rows


class Attention:
    """Told whether coverage is saturated.

    >>> attention = Attention(always=False)
    >>> attention.saturated = True
    >>> sum(attention.wants(number) for number in range(1, 161))
    20
    """

    def __init__(self, *, always: bool, saturated: bool = False) -> None:
        self.always = always  # is every execution to be measured, whatever it may cover?
        self.saturated = saturated

    def wants(self, number: int) -> bool:
        """Is the execution of that number to be measured?"""
        return self.always or not self.saturated or (number - 1) // ROW % ONE_IN == 0


def told(left_out: int, executions: int) -> tuple[str, ...]:
    """What to say of it.

    >>> told(760, 1_000)
    ('once coverage was saturated, one in 8 executions was measured: 240 of 1,000 in all',)
    >>> told(0, 1_000)
    ()
    """
    if not left_out:
        return ()
    in_all = f"{executions - left_out:,} of {executions:,} in all"
    return (f"once coverage was saturated, one in {ONE_IN} executions was measured: {in_all}",)
