"""Write the corpus: executions that covered something new, kept for a later search."""

from __future__ import annotations

from raddle.corpus import CorpusEntry, run_length_encoded
from raddle.engine.points import KnownPoints
from raddle.execute.session import Session

MAX_KEPT = 200  # executions
MAX_DECISIONS = 5_000  # of one that is kept
MAX_TOLD = 20_000  # decisions, of all whose schedules are told as texts: they have to be run once more


class CorpusWriter:
    """Keeps executions by their decisions, and writes their schedules as texts in the end."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kept: list[
            tuple[int, int, tuple[int, ...], KnownPoints]
        ] = []  # number, newly_covered, decisions, what was known

    def keep(self, number: int, newly_covered: int, decisions: tuple[int, ...], known: KnownPoints) -> None:
        """An execution covered so many requirements that were new."""
        if len(self._kept) < MAX_KEPT and len(decisions) <= MAX_DECISIONS:
            self._kept.append((number, newly_covered, decisions, known))

    def corpus(self) -> tuple[CorpusEntry, ...]:
        """All of them, for the data file."""
        session, told = self._session, 0
        corpus = []
        for number, newly_covered, decisions, known in self._kept:
            text = ""
            told += len(decisions)
            if told <= MAX_TOLD and not session.interrupted:
                again = session.replay_decisions(decisions, known)
                text = str(again.schedule) if again.divergence is None else ""
            sites, kinds = frozenset(known.sites), frozenset(known.kinds)
            runs, switches = run_length_encoded(decisions), session.switches
            corpus.append(
                CorpusEntry("", number, newly_covered, runs, sites, kinds, switches, text, session.replay_options)
            )
        return tuple(corpus)
