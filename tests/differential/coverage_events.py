"""Reconstructs the events of one execution from the log that the program kept.

A log does not say exactly when a condition's wait released the lock. The release happened after the thread reached
the wait and before another thread acquired the lock. Each possible moment of the release gives one reading of the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import product
from typing import NamedTuple

from coverage_log import Entry
from coverage_source import BASES, OWN, Named, Program

LOCKS = ("Lock", "RLock")
METHODS = 20  # a thread is identified by the first 20 methods that it calls


class Event(NamedTuple):
    """One operation performed by a thread."""

    thread: str
    kind: str
    target: str
    site: str
    early: bool = False  # True for a constructor's write to its own object
    actor: str = ""  # the thread, or the pool task that it runs


@dataclass(frozen=True)
class Execution:
    """One possible reading of a log."""

    program: Program
    events: tuple[Event, ...]

    @cached_property
    def accesses(self) -> list[tuple[int, Event]]:
        """The reads and writes of shared variables, each with its index in the execution."""
        return [(at, event) for at, event in enumerate(self.events) if event.target in self.shared and is_access(event)]

    @cached_property
    def shared(self) -> frozenset[str]:
        """The variables with conflicting accesses whose order is not determined by thread starts and joins."""
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
        """For each event, the events that must precede it because of program order, starts and joins alone."""
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
        """Whether a barrier or pool synchronizes threads inside the standard library, where no log is kept."""
        return bool(self.program.workers) or "barrier1" in self.program.resources

    def held(self, place: int) -> dict[str, str]:
        """Map the locks that the event's thread holds just before the event to the sites of their acquires."""
        return self.holding(self.events[place].thread, place)

    def holding(self, thread: str, place: int) -> dict[str, str]:
        """Map the locks that `thread` holds just before the event at `place` to the sites of their acquires."""
        held: dict[str, str] = {}
        for event in self.events[:place]:
            if event.thread == thread and event.kind == "acquire":
                held[event.target] = event.site
            elif event.kind == "release":
                held.pop(event.target, None)
        return held

    # -- names --------------------------------------------------------------------------------------

    def variable(self, target: str) -> tuple[str, str, str, str]:
        """Return the abstract variable: owner, creation site of the object, name, and class.

        The class is empty unless the owner is a base class of the object's class.
        """
        box, _, name = target.rpartition(".")
        if box:
            kind, line = self.program.objects[box]
            if name in OWN.get(kind, ()):
                return f"program.py:{kind}", f"program.py:{line}", name, ""
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
        """Return the object to which a variable belongs."""
        return target.rpartition(".")[0] or target

    def resource(self, target: str) -> tuple[str, str]:
        """Return the abstract resource: its type and creation site."""
        named: Named = self.program.resources[target]
        return named.kind, f"program.py:{named.line}"

    def thread(self, actor: str) -> tuple[str, str]:
        """Return the abstract thread: the function it runs and a digest of the first methods it calls."""
        entered = [event for event in self.events if event.kind == "enter" and event.actor == actor]
        names = [event.target.rpartition(" ")[2] for event in entered]
        digest = blake2b("\n".join(f"program.py:{name}" for name in names[:METHODS]).encode(), digest_size=3)
        kind = "main" if actor == "T0" else self.program.threads.get(actor, actor)
        return kind, digest.hexdigest()


def is_access(event: Event) -> bool:
    return event.kind in ("read", "write")


def readings(program: Program, log: Sequence[Entry]) -> Iterator[Execution]:
    """Yield every execution that could have produced the log."""
    waits = [place for place, entry in enumerate(log) if entry.kind == "waits"]
    for moments in product(*(_moments(log, place) for place in waits)):
        events = _events(log, dict(zip(waits, moments, strict=True)))
        yield Execution(program, tuple(_with_actors(tuple(events))))


def _with_actors(events: Sequence[Event]) -> Iterator[Event]:
    """Set the actor of each event, and insert the starts and joins of pool workers.

    Each task of a pool is a separate actor. The pool starts workers for tasks and joins them at the end.
    """
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
    """Return the places in the log after which the wait at `place` could have released the lock."""
    waiter, lock = log[place].thread, f"{log[place].target}.lock"
    moments = [place]
    for later in range(place + 1, len(log)):
        entry = log[later]
        if entry.thread == waiter or (entry.kind, entry.target) == ("acquire", lock):
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
