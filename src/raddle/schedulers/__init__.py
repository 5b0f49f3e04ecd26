"""Creates schedulers by name. A scheduler decides which participant runs next."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module

from raddle.errors import UsageError
from raddle.schedulers.base import Scheduler


@dataclass(frozen=True, slots=True)
class SchedulerEntry:
    """A scheduler that can be selected by name."""

    class_path: str  # module and class, separated by a colon
    seeded: bool = False  # True if the class takes a seed
    options: Mapping[str, int] = field(default_factory=dict)  # maps the name of an option to its smallest valid value

    def make(self, seed: int, options: Mapping[str, int]) -> Scheduler:
        """Import the class and return a new scheduler. The import is delayed because most classes are never used."""
        module, _, name = self.class_path.partition(":")
        kind = getattr(import_module(f"raddle.schedulers.{module}"), name)
        made: Scheduler = kind(seed, **options) if self.seeded else kind(**options)
        return made


_SCHEDULERS = {
    "random": SchedulerEntry("random_walk:RandomWalk", seeded=True),
    "pct": SchedulerEntry("pct:PCT", seeded=True, options={"depth": 1}),
    "pos": SchedulerEntry("partial_order_sampling:PartialOrderSampling", seeded=True),
    "surw": SchedulerEntry("uniform_walk:UniformWalk", seeded=True),
    "round-robin": SchedulerEntry("round_robin:RoundRobin", options={"quantum": 1}),
    "exhaustive": SchedulerEntry("exhaustive:Exhaustive", options={"preemptions": 0}),
    "deepening": SchedulerEntry("deepening:Deepening", options={"preemptions": 0}),
    "reachability": SchedulerEntry("reachability:Reachability"),
    "sequential": SchedulerEntry("sequential:Sequential"),
}
_TWICE = "twice"  # runs each execution of another scheduler twice
NAMES = (*_SCHEDULERS, _TWICE)


def make_scheduler(text: str, *, seed: int, others: Sequence[str] = ()) -> Scheduler:
    """Return a new scheduler for a text such as `random`, `pct:depth=3`, `exhaustive:preemptions=2` or `twice:random`.

    `others` are additional names that an error message may suggest.

    >>> make_scheduler("pct:depth=2", seed=1).begin(1, 0)
    True
    >>> make_scheduler("randon", seed=1)
    Traceback (most recent call last):
    ...
    raddle.errors.UsageError: there is no scheduler 'randon'; did you mean random?
    """
    name, _, rest = text.partition(":")
    if name == _TWICE:
        inner = make_scheduler(rest or "random", seed=seed)
        if inner.follows:  # the inner scheduler would have to observe the repetition without learning from it
            raise UsageError("bad-option", f"'twice' cannot repeat the executions of {rest!r}; use twice:exhaustive")
        from raddle.schedulers.determinism import RunTwice

        return RunTwice(inner)
    if name not in _SCHEDULERS:
        names = (*others, *NAMES)
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"; did you mean {near[0]}?" if near else f"; choose from {', '.join(names)}"
        raise UsageError("unknown-scheduler", f"there is no scheduler {name!r}{hint}")
    return _SCHEDULERS[name].make(seed, _parse(name, rest))


def _parse(name: str, text: str) -> dict[str, int]:
    options = {}
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        least = _SCHEDULERS[name].options.get(key)
        if least is None:
            valid = ", ".join(_SCHEDULERS[name].options) or "none"
            raise UsageError("unknown-option", f"the scheduler {name!r} has no option {key!r} (valid options: {valid})")
        if not value.isdigit() or int(value) < least:
            bound = f" of at least {least}" if least else ""
            raise UsageError("bad-option", f"the option {key!r} of {name!r} takes a whole number{bound}, not {value!r}")
        options[key] = int(value)
    return options
