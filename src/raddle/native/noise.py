"""Noise: random delays that make threads interleave in different ways.

The technique follows Křena, Letko and Vojnar, and the earlier tool ConTest. A noise setting consists of a kind, a
place, a probability and a strength. Each thread draws from its own random generator, seeded with the thread's position
in the tree of threads. A thread draws a number at every place that it reaches, whether or not the number is used. A
thread's decisions therefore depend neither on other threads nor on when a variable was found to be shared.
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

__tracebackhide__ = True  # hide the frames of this module in pytest's tracebacks

KINDS = ("yield", "sleep", "busy", "switch-interval")
PLACES = ("everywhere", "shared", "locks")
LEARNING_STEPS = 256  # number of steps between two updates of the shared sites
SHORTEST_INTERVAL = 1e-6  # minimum switch interval of the interpreter, in seconds

# Probes that access a variable; noise is injected before each of them runs.
ACCESSING = (
    "read", "write", "delete", "method", "getitem", "setitem", "delitem", "contains", "content", "iterate", "inplace",
    "function", "read_name", "write_name", "delete_name",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Noise:
    """A noise setting, as given to `--noise`.

    >>> Noise.parse("sleep:where=shared,strength=5")
    Noise(kind='sleep', where='shared', probability=0.05, strength=5.0)
    """

    kind: str
    where: str = "everywhere"
    probability: float = 0.05
    strength: float = 1.0  # maximum delay in milliseconds

    @classmethod
    def parse(cls, text: str) -> Noise:
        """Parse the form `kind:key=value,key=value`."""
        kind, _, rest = text.partition(":")
        _check_word(kind, KINDS, "unknown kind of noise")
        options: dict[str, Any] = {}
        for part in filter(None, rest.split(",")):
            key, _, value = part.partition("=")
            _check_word(key, ("where", "probability", "strength"), f"{text!r}: unknown noise option")
            options[key] = value if key == "where" else _number(text, key, value)
        noise = cls(kind, **options)
        _check_word(noise.where, PLACES, f"{text!r}: unknown place for noise")
        if not 0 < noise.probability <= 1:
            raise UsageError("bad-noise", f"{text!r}: probability must be more than 0 and at most 1")
        if not 0 < noise.strength <= 10_000:
            raise UsageError("bad-noise", f"{text!r}: strength, in milliseconds, must be more than 0 and at most 10000")
        return noise


def _check_word(word: str, choices: Sequence[str], message: str) -> None:
    if word in choices:
        return
    near = difflib.get_close_matches(word, choices, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}? " if near else ""
    raise UsageError("bad-noise", f"{message} {word!r}; {hint}choose from {', '.join(choices)}")


def _number(text: str, key: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise UsageError("bad-noise", f"{text!r}: {key} must be a number, not {value!r}") from None


class Disturbance:
    """Injects noise during one run."""

    def __init__(self, noises: Sequence[Noise], *, seed: int) -> None:
        self._seed = seed
        self._at_accesses = [noise for noise in noises if noise.where != "locks"]
        self._at_locks = [noise for noise in noises if noise.where != "shared"]
        self._interval = sys.getswitchinterval()
        # Maps a variable that only one thread has accessed to that thread and the sites of its accesses.
        self._unshared: dict[int, tuple[int, set[int]]] = {}
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
        """Whether `learn` must be called with the recorded steps."""
        return any(noise.where == "shared" for noise in self._at_accesses)

    def at_access(self, thread: ThreadRecord, site: int) -> None:
        """Inject noise before an access to a variable."""
        self._make(thread, site, self._at_accesses)

    def at_lock(self, thread: ThreadRecord, site: int) -> None:
        """Inject noise before a synchronization operation."""
        self._make(thread, site, self._at_locks)

    def _make(self, thread: ThreadRecord, site: int, noises: Iterable[Noise]) -> None:
        if thread.busy:
            return
        generator = self._generators.get(thread)
        if generator is None:
            generator = self._generators[thread] = Random(f"{self._seed} {thread.label}")
        for noise in noises:
            drawn = generator.random()
            if drawn >= noise.probability or (noise.where == "shared" and site not in self._shared_sites):
                continue
            amount = drawn / noise.probability  # uniform between 0 and 1, because `drawn` is below the probability
            self._actions[noise.kind](amount * noise.strength / 1000)

    def learn(self, steps: Sequence[Step]) -> None:
        """Update the set of sites that access variables shared by several threads."""
        shared, unshared = self._shared_variables, self._unshared
        for thread, kind, variable, site in steps:
            if kind != READ and kind != WRITE:
                continue
            if variable in shared:
                self._shared_sites.add(site)
                continue
            first_thread, sites = unshared.setdefault(variable, (thread, set()))
            sites.add(site)
            if first_thread != thread:
                shared.add(variable)
                self._shared_sites |= unshared.pop(variable)[1]

    def noisy(
        self, probes: dict[str, Callable[..., Any]], running_thread: Callable[[], ThreadRecord]
    ) -> dict[str, Callable[..., Any]]:
        """Wrap the probes that access variables, so that each injects noise first."""
        return probes | {name: self._noisy(probes[name], running_thread) for name in ACCESSING if self._at_accesses}

    def _noisy(self, probe: Callable[..., Any], running_thread: Callable[[], ThreadRecord]) -> Callable[..., Any]:
        def noisy(*args: Any) -> Any:
            self.at_access(running_thread(), args[-1])
            return probe(*args)

        return noisy

    def end(self) -> None:
        """Restore the switch interval of the interpreter."""
        if any(noise.kind == "switch-interval" for noise in (*self._at_accesses, *self._at_locks)):
            sys.setswitchinterval(self._interval)


def _spin(seconds: float) -> None:
    until = perf_counter() + seconds
    while perf_counter() < until:
        pass
