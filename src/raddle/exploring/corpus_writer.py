"""The corpus writer: keeps executions that covered something new, for later searches."""

from __future__ import annotations

from raddle.corpus import CorpusEntry, run_length_encoded
from raddle.engine.points import KnownPoints
from raddle.execute.session import Session

MAX_KEPT = 200  # maximum number of executions kept in the corpus
MAX_DECISIONS = 5_000  # maximum number of decisions in a kept execution
MAX_REPLAYED = 20_000  # maximum number of decisions replayed to write the schedules of all kept executions


class CorpusWriter:
    """Keeps the decisions of executions during the search, and converts them to schedules at the end."""

    def __init__(self, session: Session) -> None:
        self._session = session
        # (execution number, number of newly covered requirements, decisions, points known before the execution)
        self._kept: list[tuple[int, int, tuple[int, ...], KnownPoints]] = []

    def keep(self, number: int, newly_covered: int, decisions: tuple[int, ...], known: KnownPoints) -> None:
        """Keep an execution that covered `newly_covered` requirements for the first time, unless a limit is reached."""
        if len(self._kept) < MAX_KEPT and len(decisions) <= MAX_DECISIONS:
            self._kept.append((number, newly_covered, decisions, known))

    def corpus(self) -> tuple[CorpusEntry, ...]:
        """Return the kept executions, for the data file."""
        session, replayed = self._session, 0
        corpus = []
        for number, newly_covered, decisions, known in self._kept:
            text = ""
            replayed += len(decisions)
            if replayed <= MAX_REPLAYED and not session.interrupted:
                replay = session.replay_decisions(decisions, known)
                text = str(replay.schedule) if replay.divergence is None else ""
            sites, kinds = frozenset(known.sites), frozenset(known.kinds)
            runs, switches = run_length_encoded(decisions), session.switches
            corpus.append(
                CorpusEntry("", number, newly_covered, runs, sites, kinds, switches, text, session.replay_options)
            )
        return tuple(corpus)
