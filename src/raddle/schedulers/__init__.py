"""Policies that say who runs next, and how to ask for them by name."""

from __future__ import annotations

import difflib

from raddle.errors import UsageError
from raddle.schedulers.base import Scheduler
from raddle.schedulers.exhaustive import Exhaustive
from raddle.schedulers.pct import PCT
from raddle.schedulers.random_walk import RandomWalk
from raddle.schedulers.sequential import Sequential
from raddle.schedulers.twice import Twice

NAMES = ("random", "pct", "exhaustive", "sequential", "twice")
_OPTIONS: dict[str, tuple[str, ...]] = {
    "random": (),
    "pct": ("depth",),
    "exhaustive": ("preemptions",),
    "sequential": (),
}


def make_scheduler(text: str, *, seed: int) -> Scheduler:
    """The scheduler of that name: `random`, `pct:depth=3`, `exhaustive:preemptions=2`, `twice:random`...

    >>> make_scheduler("pct:depth=2", seed=1).begin(1, 0)
    True
    >>> make_scheduler("randon", seed=1)
    Traceback (most recent call last):
    ...
    raddle.errors.UsageError: there is no scheduler 'randon'; did you mean random?
    """
    name, _, rest = text.partition(":")
    if name == "twice":
        return Twice(make_scheduler(rest or "random", seed=seed))
    if name not in _OPTIONS:
        near = difflib.get_close_matches(name, NAMES, n=1)
        hint = f"; did you mean {near[0]}?" if near else f" (there are {', '.join(NAMES)})"
        raise UsageError("unknown-scheduler", f"there is no scheduler {name!r}{hint}")
    options = _parse(name, rest)
    if name == "random":
        return RandomWalk(seed)
    if name == "pct":
        return PCT(seed, depth=options.get("depth", 3))
    if name == "exhaustive":
        return Exhaustive(preemptions=options.get("preemptions"))
    return Sequential()


def _parse(name: str, text: str) -> dict[str, int]:
    options = {}
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        if key not in _OPTIONS[name]:
            known = ", ".join(_OPTIONS[name]) or "none"
            raise UsageError("unknown-option", f"the scheduler {name} has no option {key!r} (it has: {known})")
        if not value.isdigit() or (key == "depth" and int(value) < 1):
            least = " of at least 1" if key == "depth" else ""
            raise UsageError("bad-option", f"the option {key} of {name} takes a whole number{least}, not {value!r}")
        options[key] = int(value)
    return options
