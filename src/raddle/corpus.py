"""The corpus: schedules that covered something new. A later run starts by replaying these schedules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from raddle.replay_options import DEFAULT_REPLAY_OPTIONS, ReplayOptions

Runs = tuple[tuple[int, int], ...]  # run-length encoded decisions: (thread, number of consecutive decisions)


@dataclass(frozen=True, slots=True)
class CorpusEntry:
    """One execution in the corpus, with everything needed to replay it.

    >>> runs, sites = ((1, 2), (2, 1)), frozenset({70001})
    >>> entry = CorpusEntry("explore a.py::scenario", 3, 5, runs, sites, frozenset(), "free-threaded")
    >>> entry.decisions
    (1, 1, 2)
    """

    origin: str  # the command and scenario: "explore log.py::scenario"
    number: int  # number of the execution
    newly_covered: int  # number of requirements that the execution was the first to cover
    runs: Runs  # the decisions, run-length encoded
    sites: frozenset[int]  # sites that were scheduling points during the execution
    kinds: frozenset[str]  # kinds of resources whose operations were scheduling points
    switches: str  # the switch model: "free-threaded" or "gil"
    schedule: str = ""  # the schedule as text for `raddle replay`; "" if it was not computed
    replay_options: ReplayOptions = DEFAULT_REPLAY_OPTIONS  # other options needed for a replay

    def identity(self) -> tuple[object, ...]:
        """Return the fields that identify the schedule."""
        return self.origin, self.switches, self.runs, self.sites, self.kinds, self.replay_options

    @property
    def decisions(self) -> tuple[int, ...]:
        return tuple(thread for thread, times in self.runs for _ in range(times))


def run_length_encoded(decisions: Sequence[int]) -> Runs:
    """Run-length encode decisions.

    >>> run_length_encoded([1, 1, 2])
    ((1, 2), (2, 1))
    """
    return tuple((thread, sum(1 for _ in same)) for thread, same in groupby(decisions))


def split_by_fit(
    corpus: Iterable[CorpusEntry], origin: str, switches: str, replay_options: ReplayOptions, sites: Iterable[int]
) -> tuple[list[CorpusEntry], list[CorpusEntry]]:
    """Split a scenario's entries into those that may still fit the code and those that refer to a deleted site."""
    existing = set(sites)
    rules = replay_options.timeouts, replay_options.wakeups  # decisions made under other rules cannot be replayed
    own = [
        entry
        for entry in corpus
        if entry.origin == origin
        and entry.switches == switches
        and (entry.replay_options.timeouts, entry.replay_options.wakeups) == rules
    ]
    return [entry for entry in own if entry.sites <= existing], [entry for entry in own if not entry.sites <= existing]
