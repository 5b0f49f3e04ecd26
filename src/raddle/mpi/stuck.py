"""Outcomes of executions in which every rank is blocked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from raddle.checks.stuck import Waiter, explain_stuck
from raddle.engine.carrier import Carrier
from raddle.mpi.exchange import Exchange
from raddle.outcome import Outcome
from raddle.wait import Wait

if TYPE_CHECKING:
    from raddle.engine.engine import Engine


def explain_stuck_ranks(blocked: Sequence[Carrier], engine: Engine, exchange: Exchange) -> Outcome:
    """Return the outcome of an execution in which these ranks are blocked forever."""
    waiters = [
        Waiter(
            Wait(thread=carrier.label, kind=carrier.kind, resource=str(carrier.target), place=engine.place(carrier)),
            lost=False,
            daemon=False,
        )
        for carrier in blocked
    ]
    return explain_stuck(waiters)
