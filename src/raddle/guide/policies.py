"""Creates schedulers by name, including the guided ones that target uncovered requirements."""

from __future__ import annotations

from collections.abc import Sequence

from raddle.criteria import MESSAGES
from raddle.criterion_settings import DEFAULT_SETTINGS, CriterionSettings
from raddle.errors import UsageError
from raddle.schedulers import make_scheduler
from raddle.schedulers.base import Scheduler

GUIDED = ("portfolio", "directed")  # schedulers that target uncovered requirements


def is_guided(scheduler: str) -> bool:
    """Return whether a scheduler targets uncovered requirements."""
    return scheduler.partition(":")[0] in GUIDED


def make_policy(
    scheduler: str, *, seed: int, criteria: Sequence[str], settings: CriterionSettings = DEFAULT_SETTINGS
) -> Scheduler:
    """Return the scheduler with this name. Guided schedulers target the requirements of `criteria`.

    >>> make_policy("pos", seed=1, criteria=[]).complete
    False
    >>> make_policy("directed", seed=1, criteria=[])
    Traceback (most recent call last):
    ...
    raddle.errors.UsageError: the scheduler 'directed' needs at least one criterion to target
    """
    name, _, options = scheduler.partition(":")
    if name not in GUIDED:
        return make_scheduler(scheduler, seed=seed, others=GUIDED)
    if options:
        raise UsageError("unknown-option", f"the scheduler {name!r} has no option {options!r} (valid options: none)")
    from raddle.guide import portfolio  # slow to import, and not always needed

    # Plans are predicted by reordering the steps of threads. The steps of ranks are covered elements, not operations.
    criteria = [criterion for criterion in criteria if criterion not in MESSAGES]
    if name == "portfolio":
        return portfolio.portfolio(criteria, seed=seed, settings=settings)
    if not criteria:
        raise UsageError("no-criteria", "the scheduler 'directed' needs at least one criterion to target")
    return portfolio.directed(criteria, seed=seed, settings=settings)
