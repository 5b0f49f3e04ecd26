"""Ends of an execution that twins bring about: a thread leaves raddle's control, or ends the process."""

from __future__ import annotations

from raddle.checks.crash import process_died, stack_lines
from raddle.engine.carrier import Carrier
from raddle.outcome import Outcome, OutcomeKind


def uncontrolled(me: Carrier, message: str) -> None:
    """End the execution, as the thread is about to leave raddle's control."""
    lines = tuple(stack_lines())
    me.engine.finish(
        Outcome(OutcomeKind.UNCONTROLLED, message, me.label, (OutcomeKind.UNCONTROLLED, message), lines), me
    )


def died(me: Carrier, how: str) -> None:
    """End the execution, as the thread is about to end the process."""
    me.engine.finish(process_died(how, me.label), me)
