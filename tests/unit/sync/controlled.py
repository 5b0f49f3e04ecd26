"""Helpers that run a function in controlled executions with only the twins installed."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.instrument import Selection


def controlled(function: Callable[[], Any], *, seed: int | None = None) -> Any:
    """Run the function in one controlled execution and return its result.

    Without a seed, threads are not preempted.
    """
    (value,) = controlled_with_seeds(function, seeds=(seed,))
    return value


def controlled_with_seeds(function: Callable[[], Any], *, seeds: Any = range(20)) -> list[Any]:
    """Run the function once per seed in one session and return the results.

    Each seed selects a random schedule.
    """
    values: list[Any] = []
    with Session(lambda: values.append(function()), Threads(Selection(root="/nowhere")).install()) as session:
        for seed in seeds:
            outcome = session.run(_without_preemption if seed is None else _random_policy(seed)).outcome
            if outcome.error is not None:
                raise outcome.error
            assert not outcome.failed, f"{outcome.kind}: {outcome.message}"
    return values


def outcome_of(function: Callable[[], Any]) -> Any:
    """Run the function in one controlled execution and return the outcome, which may be a failure."""
    with Session(function, Threads(Selection(root="/nowhere")).install()) as session:
        return session.run(_without_preemption).outcome


def _without_preemption(enabled: list[Any], running: Any) -> Any:
    return running if running in enabled else enabled[0]


def _random_policy(seed: int) -> Callable[[list[Any], Any], Any]:
    rng = random.Random(seed)
    return lambda enabled, running: rng.choice(enabled)


def result_of(call: Callable[[], Any]) -> tuple[str, str]:
    """Return ("returned", repr of the value), or the type and text of the exception that the call raises."""
    try:
        return "returned", repr(call())
    except Exception as error:
        return type(error).__name__, str(error)
