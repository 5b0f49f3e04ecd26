"""Corpus replay: a search starts with the executions that earlier runs kept in the data file."""

from __future__ import annotations

from collections.abc import Sequence

from raddle.corpus import CorpusEntry
from raddle.engine.points import KnownPoints
from raddle.exploring.ledger import Ledger
from raddle.exploring.stop_rules import Budget
from raddle.outcome import OutcomeKind
from raddle.result import CORPUS_NOTE
from raddle.schedulers.base import Scheduler
from raddle.stop_reason import StopReason
from raddle.wording import count


def replay_corpus(
    ledger: Ledger, corpus: Sequence[CorpusEntry], budget: Budget, scheduler: Scheduler
) -> StopReason | None:
    """Replay each execution of the corpus; return a reason to stop the search, or None."""
    session, counts = ledger.session, ledger.counts
    session.end_by(ledger.clock.deadline)
    for kept in corpus:
        if session.interrupted:
            return StopReason.INTERRUPTED
        if budget.executions is not None and counts.executions >= budget.executions:
            return StopReason.EXECUTIONS
        known = KnownPoints()
        known.sites, known.kinds = set(kept.sites), set(kept.kinds)
        execution = session.rerun(kept.decisions, known.copy())
        if execution is None:
            ledger.unfit.append(kept)
            continue
        for site in kept.sites:
            session.known_points.add_site(site)
        for kind in kept.kinds:
            session.known_points.add_kind(kind)
        if execution.outcome.kind == OutcomeKind.INTERRUPTED:
            return ledger.cut_off(execution.outcome)
        counts.add(execution.outcome, execution.steps)
        ledger.measure(execution, scheduler)
        if execution.outcome.failed:
            ledger.add_failed(execution, known)
            if budget.until == "first-finding" and ledger.findings.found:
                return StopReason.FIRST_FINDING
    fit = len(corpus) - len(ledger.unfit)
    if fit:
        covered = count(ledger.coverage.covered, "requirement")
        ledger.notes.append(f"{CORPUS_NOTE}{count(fit, 'schedule')} kept by earlier runs, covering {covered}")
    return None
