"""The events of one execution, from the log that a program kept of itself.

A log does not say when exactly a wait on a condition gave the lock back, only that this was after the thread came to
the wait and before another thread had the lock. So there are as many readings of a log as there are such moments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import product
from typing import NamedTuple

from coverage_log import Entry
from coverage_source import BASES, Named, Program

LOCKS = ("Lock", "RLock")
METHODS = 20  # the first ones that tell threads apart


class Event(NamedTuple):
    """Something that a thread did."""

    thread: str
    kind: str
    target: str
    site: str
    early: bool = False  # by a constructor, to its own object
    actor: str = ""  # the thread, or the task of a pool that it works at


@dataclass(frozen=True)
class Execution:
    """One reading of a log."""

    program: Program
    events: tuple[Event, ...]

    @cached_property
    def accesses(self) -> list[tuple[int, Event]]:
        """The reads and writes of shared variables, each with its place in the execution."""
        return [(at, event) for at, event in enumerate(self.events) if event.target in self.shared and is_access(event)]

    @cached_property
    def shared(self) -> frozenset[str]:
        """The variables on which two threads conflict, with no start or join between their accesses."""
        touched = [(at, event) for at, event in enumerate(self.events) if is_access(event)]
        return frozenset(
            one.target
            for at, one in touched
            for later, other in touched
            if at < later
            and one.target == other.target
            and one.thread != other.thread
            and "write" in (one.kind, other.kind)
            and at not in self._before[later]
        )

    @cached_property
    def _before(self) -> list[set[int]]:
        """For each event, those that must come before it by the order of each thread, starts and joins alone."""
        before: list[set[int]] = []
        last: dict[str, int] = {}
        starts: dict[str, int] = {}
        for at, event in enumerate(self.events):
            causes = [last[event.thread]] if event.thread in last else []
            if event.thread not in last and event.thread in starts:
                causes.append(starts[event.thread])
            if event.kind == "join" and event.target in last:
                causes.append(last[event.target])
            before.append(set(causes).union(*(before[cause] for cause in causes)))
            last[event.thread] = at
            if event.kind == "start":
                starts[event.target] = at
        return before

    @property
    def has_inner_steps(self) -> bool:
        """Whether a barrier or a pool synchronizes threads by steps of the standard library, which no log has."""
        return bool(self.program.workers) or "barrier1" in self.program.resources

    def held(self, place: int) -> dict[str, str]:
        """The locks that the thread of an event holds when it comes to it, and where it acquired them."""
        return self.holding(self.events[place].thread, place)

    def holding(self, thread: str, place: int) -> dict[str, str]:
        """The locks that a thread holds just before an event."""
        held: dict[str, str] = {}
        for event in self.events[:place]:
            if event.thread == thread and event.kind == "acquire":
                held[event.target] = event.site
            elif event.kind == "release":
                held.pop(event.target, None)
        return held

    # -- names --------------------------------------------------------------------------------------

    def variable(self, target: str) -> tuple[str, str, str, str]:
        """The abstract variable: owner, where its object was made, name; the object's class, if the owner is a base."""
        box, _, name = target.rpartition(".")
        if box:
            kind, line = self.program.objects[box]
            own = f"program.py:{kind}" if kind in BASES else ""
            return f"program.py:{BASES.get(kind, kind)}", f"program.py:{line}", name, own
        if target == "total":
            return "program.py", "", "total", ""
        if target == "count":
            return "program.py:Box", "", "count", ""
        if target == "inner":
            return "program.py:counter", "", "inner", ""
        return "list", "", target, ""

    def group(self, target: str) -> str:
        """The object that a variable belongs to."""
        return target.rpartition(".")[0] or target

    def resource(self, target: str) -> tuple[str, str]:
        """The abstract resource: its type and where it was made."""
        named: Named = self.program.resources[target]
        return named.kind, f"program.py:{named.line}"

    def thread(self, actor: str) -> tuple[str, str]:
        """The abstract thread: what it runs, and a digest of its first methods."""
        entered = [event for event in self.events if event.kind == "enter" and event.actor == actor]
        names = [event.target.rpartition(" ")[2] for event in entered]
        digest = blake2b("\n".join(f"program.py:{name}" for name in names[:METHODS]).encode(), digest_size=3)
        kind = "main" if actor == "T0" else self.program.threads.get(actor, actor)
        return kind, digest.hexdigest()


def is_access(event: Event) -> bool:
    return event.kind in ("read", "write")


def readings(program: Program, log: Sequence[Entry]) -> Iterator[Execution]:
    """Yield the executions that a log can be of."""
    waits = [place for place, entry in enumerate(log) if entry.kind == "waits"]
    for moments in product(*(_moments(log, place) for place in waits)):
        events = _events(log, dict(zip(waits, moments, strict=True)))
        yield Execution(program, tuple(_with_actors(tuple(events))))


def _with_actors(events: Sequence[Event]) -> Iterator[Event]:
    """A task of a pool is an actor of its own. The pool starts workers for tasks, and joins them in the end."""
    actors: dict[str, str] = {}
    for place, event in enumerate(events):
        if event.kind == "submits":
            hired = [e for e in events[place:] if e.kind == "hired" and e.site == event.site]
            for later in hired:
                yield Event(event.thread, "start", later.target, event.site, actor=event.thread)
        if event.kind == "task":
            actors[event.thread] = event.target
        if event.kind == "shutdown":
            for worker in sorted(actors):
                yield Event(event.thread, "join", worker, event.site, actor=event.thread)
        yield event._replace(actor=actors.get(event.thread, event.thread))


def _moments(log: Sequence[Entry], place: int) -> list[int]:
    """The places in the log after which a wait can have given the lock back."""
    me, lock = log[place].thread, f"{log[place].target}.lock"
    moments = [place]
    for later in range(place + 1, len(log)):
        entry = log[later]
        if entry.thread == me or (entry.kind, entry.target) == ("acquire", lock):
            break
        if entry.kind in ("woken", "expired") and f"{entry.target}.lock" == lock:
            break
        moments.append(later)
    return moments


def _events(log: Sequence[Entry], moments: dict[int, int]) -> Iterator[Event]:
    depths: dict[tuple[str, str], int] = {}
    for place, (thread, kind, target, site) in enumerate(log):
        depth = depths.get((thread, target), 0)
        if kind == "early write":
            yield Event(thread, "write", target, site, early=True)
        elif kind == "acquire" and depth:
            depths[thread, target] = depth + 1
            yield Event(thread, "inner", target, site)
        elif kind == "release" and depth > 1:
            depths[thread, target] = depth - 1
        elif kind in ("woken", "expired"):
            if kind == "woken":
                yield Event(thread, "woken", target, site)
            yield Event(thread, "acquire", f"{target}.lock", site)
        elif kind not in ("waits", "made"):
            depths[thread, target] = depth + (kind == "acquire") - (kind == "release")
            yield Event(thread, kind, target, site)
        for wait, moment in moments.items():
            if moment == place:
                waiting = log[wait]
                yield Event(waiting.thread, "release", f"{waiting.target}.lock", waiting.site)
                yield Event(waiting.thread, "wait", waiting.target, waiting.site)
