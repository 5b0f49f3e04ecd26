"""The memory-access patterns of Wang et al. (ASE 2019, Table I), read off an execution, however slowly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from coverage_events import Event, Execution

# A and B are two threads, x and y two variables of one object.
TABLE = {
    1: "ARx BWx", 2: "AWx BRx", 3: "AWx BWx",
    4: "ARx BWx ARx", 5: "AWx BWx ARx", 6: "AWx BRx AWx", 7: "ARx BWx AWx", 8: "AWx BWx AWx",
    9: "AWx BWx BWy AWy", 10: "AWx BWy BWx AWy", 11: "AWx BWy AWy BWx", 12: "AWx BRx BRy AWy", 13: "AWx BRy BRx AWy",
    14: "ARx BWx BWy ARy", 15: "ARx BWy BWx ARy", 16: "ARx BWy ARy BWx", 17: "AWx BRy AWy BRx",
}  # fmt: skip
KINDS = {"R": "read", "W": "write"}


class Part(NamedTuple):
    """One step of a pattern that occurred."""

    thread: str  # A or B
    kind: str
    variable: str
    site: str


def patterns(run: Execution) -> Iterator[tuple[Any, ...]]:
    """Every occurrence of every pattern. What constructors do to their own objects is no part of any."""
    steps = [event for _, event in run.accesses if not event.early]
    for table_row in TABLE.values():
        parts = table_row.split()
        for chosen in _matches(run, parts, steps, {}):
            names = [
                Part(part[0], event.kind, run.variable(event.target)[2], event.site)
                for part, event in zip(parts, chosen, strict=True)
            ]
            yield run.variable(chosen[0].target)[0], canonical(names)


def expand(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """A requirement of raddle in the same form."""
    number, owner, x, y, *sites = key
    parts = TABLE[number].split()
    names = [
        Part(part[0], KINDS[part[1]], x if part[2] == "x" else y, site) for part, site in zip(parts, sites, strict=True)
    ]
    return owner, canonical(names)


def canonical(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The least of all patterns that say the same.

    Neighbours of different threads on different variables can change places, and it does not matter which thread is A.
    """
    found = [tuple(parts)]
    for order in found:
        for place in range(len(order) - 1):
            one, other = order[place : place + 2]
            if one.thread != other.thread and one.variable != other.variable:
                changed = (*order[:place], other, one, *order[place + 2 :])
                if changed not in found:
                    found.append(changed)
    return min(_renamed(order) for order in found)


def _renamed(parts: Sequence[Part]) -> tuple[Part, ...]:
    return tuple(part._replace(thread="A" if part.thread == parts[0].thread else "B") for part in parts)


def _matches(
    run: Execution, parts: Sequence[str], steps: Sequence[Event], known: dict[str, str]
) -> Iterator[tuple[Event, ...]]:
    """Every way to choose later and later events for the parts; `known` says who is A, B, x and y."""
    if not parts:
        yield ()
        return
    who, kind, what = parts[0]
    for place, event in enumerate(steps):
        if event.kind != KINDS[kind] or known.get(who, event.thread) != event.thread:
            continue
        if known.get(what, event.target) != event.target:
            continue
        if event.thread == known.get("B" if who == "A" else "A"):
            continue
        if not _pair(run, event.target, known.get("y" if what == "x" else "x")):
            continue
        for rest in _matches(run, parts[1:], steps[place + 1 :], {**known, who: event.thread, what: event.target}):
            yield (event, *rest)


def _pair(run: Execution, one: str, other: str | None) -> bool:
    """Whether two variables can be x and y."""
    return other is None or (one != other and run.group(one) == run.group(other))
