"""The options of `raddle run --until`.

This module imports little: every `raddle run` imports this module, but few runs repeat a program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from raddle.errors import UsageError

SATURATED, BUDGET = GOALS = ("saturated", "budget")
RUNS, SATURATION = 1000, 20  # default values of --runs and --saturation
ONLY_REPEATED = ("runs", "seconds", "saturation", "run_seconds")  # options that need --until


@dataclass(frozen=True, slots=True)
class Request:
    """The options for repeating a program; None for each option that was not given."""

    until: str
    runs: int | None = None
    seconds: float | None = None
    saturation: int | None = None
    run_seconds: float | None = None

    @classmethod
    def of(cls, until: str | None, options: dict[str, Any]) -> Request | None:
        """Remove the repetition options from `options`; return them, or None if the program should run once."""
        own = {name: options.pop(name) for name in ONLY_REPEATED}
        given = {name: value for name, value in own.items() if value is not None}
        if until is None:
            if given:
                option = next(iter(given)).replace("_", "-")
                raise UsageError("bad-repetition", f"--{option} only applies to repeated runs: add --until saturated")
            return None
        if until == BUDGET and "saturation" in given:
            raise UsageError("bad-repetition", "--saturation has no effect with --until budget: use --until saturated")
        if until == BUDGET and not {"runs", "seconds"} & given.keys():
            raise UsageError("bad-repetition", "--until budget needs a budget: add --runs or --seconds")
        return cls(until, **given)
