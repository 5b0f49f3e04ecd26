"""Memory-access patterns (Wang et al., ASE 2019, Table I), computed directly from the definition."""

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
    """One step of a pattern as it occurred in an execution."""

    thread: str  # A or B
    kind: str
    variable: tuple[str, str]  # the class that declares it, and its name
    site: str


def patterns(run: Execution) -> Iterator[tuple[Part, ...]]:
    """Yield every occurrence of every pattern. A constructor's accesses to its own object are excluded."""
    steps = [event for _, event in run.accesses if not event.early]
    for table_row in TABLE.values():
        parts = table_row.split()
        for chosen in _matches(run, parts, steps, {}):
            names = [
                Part(part[0], event.kind, (run.variable(event.target)[0], run.variable(event.target)[2]), event.site)
                for part, event in zip(parts, chosen, strict=True)
            ]
            yield canonical(names)


def expand(key: tuple[Any, ...]) -> tuple[Part, ...]:
    """Convert one of raddle's keys to the form that `patterns` yields."""
    number, owner, x, y, *sites = key
    parts = TABLE[number].split()
    cls, _, name = y.rpartition(".")  # y is "program.py:Box.a" if Box is not `owner`, which declares x
    variables = {"x": (owner, x), "y": (cls, name) if cls else (owner, y)}
    return canonical(
        [Part(part[0], KINDS[part[1]], variables[part[2]], site) for part, site in zip(parts, sites, strict=True)]
    )


def canonical(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return the smallest of all patterns that are equivalent to this one.

    Adjacent steps of different threads on different variables commute, and the threads A and B are interchangeable.
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
    run: Execution, parts: Sequence[str], steps: Sequence[Event], bound: dict[str, str]
) -> Iterator[tuple[Event, ...]]:
    """Yield every sequence of events, in execution order, that matches the parts of a pattern.

    `bound` maps the letters matched so far (A, B, x, y) to their threads and variables.
    """
    if not parts:
        yield ()
        return
    thread_letter, kind, variable_letter = parts[0]
    for place, event in enumerate(steps):
        if event.kind != KINDS[kind] or bound.get(thread_letter, event.thread) != event.thread:
            continue
        if bound.get(variable_letter, event.target) != event.target:
            continue
        if event.thread == bound.get("B" if thread_letter == "A" else "A"):
            continue
        if not _pair(run, event.target, bound.get("y" if variable_letter == "x" else "x")):
            continue
        for rest in _matches(
            run, parts[1:], steps[place + 1 :], {**bound, thread_letter: event.thread, variable_letter: event.target}
        ):
            yield (event, *rest)


def _pair(run: Execution, one: str, other: str | None) -> bool:
    """Return whether two variables can be the x and y of one pattern."""
    return other is None or (one != other and run.group(one) == run.group(other))
