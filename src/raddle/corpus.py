"""The corpus: schedules that covered something new, kept so that a later run can begin with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from raddle.replay_options import DEFAULT_REPLAY_OPTIONS, ReplayOptions

Runs = tuple[tuple[int, int], ...]  # (thread, so many decisions in a row)


@dataclass(frozen=True, slots=True)
class CorpusEntry:
    """One execution, with what is needed to have it again.

    >>> runs, sites = ((1, 2), (2, 1)), frozenset({70001})
    >>> kept = CorpusEntry("explore a.py::scenario", 3, 5, runs, sites, frozenset(), "free-threaded")
    >>> kept.decisions
    (1, 1, 2)
    """

    origin: str  # what was explored: "explore log.py::scenario"
    number: int  # of the execution
    newly_covered: int  # requirements that were new then
    runs: Runs  # its decisions, those in a row for the same thread together
    sites: frozenset[int]  # that were scheduling points then
    kinds: frozenset[str]  # of resources that were
    switches: str  # where threads could be switched
    schedule: str = ""  # as a text for `raddle replay`; "" where nobody took the trouble to find out
    replay_options: ReplayOptions = DEFAULT_REPLAY_OPTIONS  # what the schedule alone does not tell

    def identity(self) -> tuple[object, ...]:
        """Return what identifies the schedule."""
        return self.origin, self.switches, self.runs, self.sites, self.kinds, self.replay_options

    @property
    def decisions(self) -> tuple[int, ...]:
        return tuple(thread for thread, times in self.runs for _ in range(times))


def run_length_encoded(decisions: Sequence[int]) -> Runs:
    """Decisions, shorter.

    >>> run_length_encoded([1, 1, 2])
    ((1, 2), (2, 1))
    """
    return tuple((thread, sum(1 for _ in same)) for thread, same in groupby(decisions))


def split_by_fit(
    corpus: Iterable[CorpusEntry], origin: str, switches: str, replay_options: ReplayOptions, sites: Iterable[int]
) -> tuple[list[CorpusEntry], list[CorpusEntry]]:
    """Return the schedules kept for a scenario that may still fit, and those that name places that are gone."""
    there = set(sites)
    rules = replay_options.timeouts, replay_options.wakeups  # with other rules there are other decisions
    own = [
        kept
        for kept in corpus
        if kept.origin == origin
        and kept.switches == switches
        and (kept.replay_options.timeouts, kept.replay_options.wakeups) == rules
    ]
    return [kept for kept in own if kept.sites <= there], [kept for kept in own if not kept.sites <= there]
