"""Policies that say who runs next, and how to ask for them by name."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from raddle.errors import UsageError
from raddle.schedulers.base import Scheduler
from raddle.schedulers.deepening import Deepening
from raddle.schedulers.determinism import Twice
from raddle.schedulers.exhaustive import Exhaustive
from raddle.schedulers.partial_order_sampling import PartialOrderSampling
from raddle.schedulers.pct import PCT
from raddle.schedulers.random_walk import RandomWalk
from raddle.schedulers.reachability import Reachability
from raddle.schedulers.round_robin import RoundRobin
from raddle.schedulers.sequential import Sequential
from raddle.schedulers.uniform_walk import UniformWalk

NAMES = (
    "random",
    "pct",
    "pos",
    "surw",
    "round-robin",
    "exhaustive",
    "deepening",
    "reachability",
    "sequential",
    "twice",
)
_OPTIONS: dict[str, tuple[str, ...]] = {
    "random": (),
    "pct": ("depth",),
    "pos": (),
    "surw": (),
    "round-robin": ("quantum",),
    "exhaustive": ("preemptions",),
    "deepening": ("preemptions",),
    "reachability": (),
    "sequential": (),
}
_AT_LEAST_ONE = frozenset({"depth", "quantum"})


def make_scheduler(text: str, *, seed: int, others: Sequence[str] = ()) -> Scheduler:
    """The scheduler of that name: `random`, `pct:depth=3`, `pos`, `exhaustive:preemptions=2`, `twice:random`...

    `others` are names that somebody else knows.

    >>> make_scheduler("pct:depth=2", seed=1).begin(1, 0)
    True
    >>> make_scheduler("randon", seed=1)
    Traceback (most recent call last):
    ...
    raddle.errors.UsageError: there is no scheduler 'randon'; did you mean random?
    """
    name, _, rest = text.partition(":")
    if name == "twice":
        inner = make_scheduler(rest or "random", seed=seed)
        if getattr(inner, "follows", False):  # it has to be told of everything, and of nothing twice
            raise UsageError("bad-option", f"twice cannot run the executions of {rest} again; use twice:exhaustive")
        return Twice(inner)
    if name not in _OPTIONS:
        names = (*others, *NAMES)
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"; did you mean {near[0]}?" if near else f" (there are {', '.join(names)})"
        raise UsageError("unknown-scheduler", f"there is no scheduler {name!r}{hint}")
    options = _parse(name, rest)
    if name == "random":
        return RandomWalk(seed)
    if name == "pct":
        return PCT(seed, depth=options.get("depth", 3))
    if name == "pos":
        return PartialOrderSampling(seed)
    if name == "surw":
        return UniformWalk(seed)
    if name == "round-robin":
        return RoundRobin(quantum=options.get("quantum"))
    if name == "exhaustive":
        return Exhaustive(preemptions=options.get("preemptions"))
    if name == "deepening":
        return Deepening(preemptions=options.get("preemptions"))
    if name == "reachability":
        return Reachability()
    return Sequential()


def _parse(name: str, text: str) -> dict[str, int]:
    options = {}
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        if key not in _OPTIONS[name]:
            known = ", ".join(_OPTIONS[name]) or "none"
            raise UsageError("unknown-option", f"the scheduler {name} has no option {key!r} (it has: {known})")
        if not value.isdigit() or (key in _AT_LEAST_ONE and int(value) < 1):
            least = " of at least 1" if key in _AT_LEAST_ONE else ""
            raise UsageError("bad-option", f"the option {key} of {name} takes a whole number{least}, not {value!r}")
        options[key] = int(value)
    return options
