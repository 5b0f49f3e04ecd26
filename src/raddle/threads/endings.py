"""Ends an execution in which a thread is about to leave raddle's control or to end the process."""

from __future__ import annotations

from raddle.checks.crash import frames_of, lines_of, process_died, user_stack
from raddle.engine.carrier import Carrier
from raddle.outcome import Outcome, OutcomeKind


def end_uncontrolled(me: Carrier, message: str) -> None:
    """End the execution because the running thread is about to leave raddle's control."""
    kind, stack = OutcomeKind.UNCONTROLLED, user_stack()
    outcome = Outcome(kind, message, me.label, (kind, message), lines_of(stack), frames=frames_of(stack))
    me.engine.finish(outcome, me)


def end_process(me: Carrier, how: str) -> None:
    """End the execution because the running thread is about to end the process."""
    me.engine.finish(process_died(how, me.label), me)
