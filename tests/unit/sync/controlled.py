"""One execution of a function under control, with nothing but the twins in place."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.instrument import Selection


def controlled(function: Callable[[], Any], *, seed: int | None = None) -> Any:
    """What the function returns under control; without a seed threads are not preempted."""
    (value,) = controlled_often(function, seeds=(seed,))
    return value


def controlled_often(function: Callable[[], Any], *, seeds: Any = range(20)) -> list[Any]:
    """What the function returns in several executions of one session, each with another schedule."""
    values: list[Any] = []
    with Session(lambda: values.append(function()), Threads(Selection(root="/nowhere")).install()) as session:
        for seed in seeds:
            outcome = session.run(_unpreempted if seed is None else _at_random(seed)).outcome
            if outcome.error is not None:
                raise outcome.error
            assert not outcome.failed, f"{outcome.kind}: {outcome.message}"
    return values


def outcome_of(function: Callable[[], Any]) -> Any:
    """How an execution ends that need not pass."""
    with Session(function, Threads(Selection(root="/nowhere")).install()) as session:
        return session.run(_unpreempted).outcome


def _unpreempted(enabled: list[Any], running: Any) -> Any:
    return running if running in enabled else enabled[0]


def _at_random(seed: int) -> Callable[[list[Any], Any], Any]:
    chance = random.Random(seed)
    return lambda enabled, running: chance.choice(enabled)


def said(call: Callable[[], Any]) -> tuple[str, str]:
    """What came of a call: a value, or an exception's type and text."""
    try:
        return "returned", repr(call())
    except Exception as error:
        return type(error).__name__, str(error)
