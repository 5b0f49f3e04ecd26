"""Noise: delays at random that let threads meet in other ways.

After Křena, Letko and Vojnar (and ConTest before them): what is done, where, how often and how strongly. Each
thread draws from a generator of its own, seeded with the thread's place in the tree of threads, one number for each
place that it comes to, used or not: so what a thread decides does not depend on the others, nor on when it was
learnt that a place is shared.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from time import perf_counter, sleep
from typing import Any

from raddle.errors import UsageError
from raddle.native.recorder import ThreadRecord
from raddle.operation import READ, WRITE
from raddle.step import Step

__tracebackhide__ = True  # frames of this module, in what pytest shows

KINDS = ("yield", "sleep", "busy", "switch-interval")
PLACES = ("everywhere", "shared", "locks")
LEARNING_STEPS = 256  # between two looks at what is shared
SHORTEST_INTERVAL = 1e-6  # seconds between two switches of threads

# The probes before which there can be noise: those that access something.
ACCESSING = (
    "read", "write", "delete", "method", "getitem", "setitem", "delitem", "contains", "content", "iterate", "inplace",
    "function", "read_name", "write_name", "delete_name",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Noise:
    """One kind of noise.

    >>> Noise.parse("sleep:where=shared,strength=5")
    Noise(kind='sleep', where='shared', probability=0.05, strength=5.0)
    """

    kind: str
    where: str = "everywhere"
    probability: float = 0.05
    strength: float = 1.0  # milliseconds at most

    @classmethod
    def parse(cls, text: str) -> Noise:
        """As it is written: `kind:key=value,key=value`."""
        kind, _, rest = text.partition(":")
        _check_word(kind, KINDS, f"{text!r}: there is no noise")
        options: dict[str, Any] = {}
        for part in filter(None, rest.split(",")):
            key, _, value = part.partition("=")
            _check_word(key, ("where", "probability", "strength"), f"{text!r}: noise has no option")
            options[key] = value if key == "where" else _number(text, key, value)
        noise = cls(kind, **options)
        _check_word(noise.where, PLACES, f"{text!r}: noise cannot be made at")
        if not 0 < noise.probability <= 1:
            raise UsageError("bad-noise", f"{text!r}: probability must be more than 0 and at most 1")
        if not 0 < noise.strength <= 10_000:
            raise UsageError("bad-noise", f"{text!r}: strength, in milliseconds, must be more than 0 and at most 10000")
        return noise


def _check_word(word: str, known: Sequence[str], complaint: str) -> None:
    if word in known:
        return
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}? " if near else ""
    raise UsageError("bad-noise", f"{complaint} {word!r}; {hint}there are {', '.join(known)}")


def _number(text: str, key: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise UsageError("bad-noise", f"{text!r}: {key} must be a number, not {value!r}") from None


class Disturbance:
    """Makes noise of several kinds."""

    def __init__(self, noises: Sequence[Noise], *, seed: int) -> None:
        self._seed = seed
        self._at_accesses = [noise for noise in noises if noise.where != "locks"]
        self._at_locks = [noise for noise in noises if noise.where != "shared"]
        self._interval = sys.getswitchinterval()
        self._first: dict[
            int, tuple[int, set[int]]
        ] = {}  # by variable that one thread touched: who, and at which sites
        self._shared_variables: set[int] = set()
        self._shared_sites: set[int] = set()
        self._generators: dict[ThreadRecord, Random] = {}
        self._actions: dict[str, Callable[[float], None]] = {
            "yield": lambda amount: sleep(0),
            "sleep": sleep,
            "busy": _spin,
            "switch-interval": lambda amount: sys.setswitchinterval(max(SHORTEST_INTERVAL, amount)),
        }

    @property
    def needs_steps(self) -> bool:
        """Must it be told what is shared?"""
        return any(noise.where == "shared" for noise in self._at_accesses)

    def at_access(self, thread: ThreadRecord, site: int) -> None:
        """A thread comes to an access."""
        self._make(thread, site, self._at_accesses)

    def at_lock(self, thread: ThreadRecord, site: int) -> None:
        """A thread comes to a synchronization."""
        self._make(thread, site, self._at_locks)

    def _make(self, thread: ThreadRecord, site: int, noises: Iterable[Noise]) -> None:
        if thread.busy:
            return
        chance = self._generators.get(thread)
        if chance is None:
            chance = self._generators[thread] = Random(f"{self._seed} {thread.label}")
        for noise in noises:
            drawn = chance.random()
            if drawn >= noise.probability or (noise.where == "shared" and site not in self._shared_sites):
                continue
            amount = drawn / noise.probability  # as random as what was drawn
            self._actions[noise.kind](amount * noise.strength / 1000)

    def learn(self, steps: Sequence[Step]) -> None:
        """See which sites touch what several threads touch."""
        shared, first = self._shared_variables, self._first
        for thread, kind, variable, site in steps:
            if kind != READ and kind != WRITE:
                continue
            if variable in shared:
                self._shared_sites.add(site)
                continue
            who, sites = first.setdefault(variable, (thread, set()))
            sites.add(site)
            if who != thread:
                shared.add(variable)
                self._shared_sites |= first.pop(variable)[1]

    def noisy(
        self, probes: dict[str, Callable[..., Any]], thread: Callable[[], ThreadRecord]
    ) -> dict[str, Callable[..., Any]]:
        """Probes that make noise before they do anything."""
        return probes | {name: self._noisy(probes[name], thread) for name in ACCESSING if self._at_accesses}

    def _noisy(self, probe: Callable[..., Any], who: Callable[[], ThreadRecord]) -> Callable[..., Any]:
        def noisy(*args: Any) -> Any:
            self.at_access(who(), args[-1])
            return probe(*args)

        return noisy

    def end(self) -> None:
        """Leave no trace."""
        if any(noise.kind == "switch-interval" for noise in (*self._at_accesses, *self._at_locks)):
            sys.setswitchinterval(self._interval)


def _spin(seconds: float) -> None:
    until = perf_counter() + seconds
    while perf_counter() < until:
        pass
