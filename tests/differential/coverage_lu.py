"""The criteria of Lu, Jiang and Zhou (ESEC/FSE 2007), computed directly from their definitions without optimization."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from coverage_events import Event, Execution

Key = tuple[Any, ...]
BEGINNING = 12  # number of accesses that a requirement lists from the beginning of an order
MAX_OCCURRENCES = 16  # number of occurrences of an access that are distinguished
MAX_PINV_OCCURRENCES = 4  # number of occurrences of an access that `pinv` distinguishes


def named(run: Execution, place: int, limit: int = MAX_OCCURRENCES) -> Key:
    """Name the access at `place` by its thread, kind, site and occurrence, which are the same in every execution."""
    event = run.events[place]
    alike = [at for at, e in run.accesses if at <= place and e == event]
    return event.thread, event.kind, event.site, min(len(alike), limit)


def initial(run: Execution, place: int) -> bool:
    """Return whether the event at `place` precedes every thread start.

    A write before all starts belongs to the initial state.
    """
    return all(event.kind != "start" for event in run.events[:place])


def last_write(run: Execution, place: int) -> int | None:
    """Return the index of the write whose value a read returns, or None for the initial state."""
    target = run.events[place].target
    writes = [at for at, e in run.accesses if at < place and e.target == target and e.kind == "write"]
    return writes[-1] if writes and not initial(run, writes[-1]) else None


def reads(run: Execution) -> Iterator[tuple[int, Event]]:
    return ((place, event) for place, event in run.accesses if event.kind == "read")


def def_use(run: Execution) -> Iterator[Key]:
    for place, event in reads(run):
        write = last_write(run, place)
        yield run.variable(event.target), "initial" if write is None else named(run, write), named(run, place)


def lr_def(run: Execution) -> Iterator[Key]:
    for place, event in reads(run):
        write = last_write(run, place)
        local = write is None or run.events[write].thread == event.thread
        yield run.variable(event.target), named(run, place), "local" if local else "remote"


def pairs(run: Execution) -> Iterator[tuple[int, int, list[int]]]:
    """Yield each pair of consecutive accesses by a thread to a variable, with all remote accesses in between."""
    for place, first in run.accesses:
        later = [(at, e) for at, e in run.accesses if at > place and e.target == first.target]
        own = [at for at, e in later if e.thread == first.thread]
        if own:
            yield place, own[0], [at for at, _ in later if at < own[0]]


def pinv(run: Execution) -> Iterator[Key]:
    for first, second, between in pairs(run):
        pair = named(run, first, MAX_PINV_OCCURRENCES), named(run, second, MAX_PINV_OCCURRENCES)
        for other in between:
            yield run.variable(run.events[first].target), *pair, named(run, other, MAX_PINV_OCCURRENCES)
        if not between:
            yield run.variable(run.events[first].target), *pair, "none"


UNSERIALIZABLE = {("read", "write", "read"), ("write", "write", "read"), ("write", "read", "write"),
                  ("read", "write", "write")}  # fmt: skip


def lr_inv(run: Execution) -> Iterator[Key]:
    for first, second, between in pairs(run):
        kinds = {(run.events[first].kind, run.events[other].kind, run.events[second].kind) for other in between}
        verdict = "unserializable" if kinds & UNSERIALIZABLE else "serializable"
        yield run.variable(run.events[first].target), named(run, first), named(run, second), verdict


Order = tuple[Key, Key]  # the variables or threads whose accesses are ordered, and the complete order


def orders(run: Execution, variables: frozenset[str], threads: frozenset[str]) -> Key:
    """Return the order of the given threads' accesses to the given variables."""
    return tuple(
        (run.variable(e.target), *named(run, at))
        for at, e in run.accesses
        if e.target in variables and e.thread in threads
    )


def all_orders(run: Execution) -> Iterator[Order]:
    threads = frozenset(e.thread for _, e in run.accesses)
    if threads:
        yield (), orders(run, run.shared, threads)


def pair_orders(run: Execution, variables: frozenset[str]) -> Iterator[Order]:
    threads = sorted({e.thread for _, e in run.accesses if e.target in variables})
    for one in threads:
        for other in threads:
            if one < other:
                yield (one, other), orders(run, variables, frozenset({one, other}))


def thread_pairs(run: Execution) -> Iterator[Order]:
    return pair_orders(run, run.shared)


def single_variables(run: Execution) -> Iterator[Order]:
    for variable in sorted(run.shared):
        for threads, order in pair_orders(run, frozenset({variable})):
            yield (run.variable(variable), *threads), order


def beginning(order: Key) -> Key:
    """Return the first accesses of an order, in the form used in requirements."""
    listed = []
    for (owner, _, name, own), thread, kind, site, _ in order[:BEGINNING]:
        whole = f"{(own or owner).rpartition(':')[2]}.{name}" if ":" in owner else name
        listed.append((thread, kind, whole, site))
    return tuple(listed)
