"""The ledger of a unit: counts, coverage, findings and notes for its executions."""

from __future__ import annotations

import time
from dataclasses import dataclass

from raddle.corpus import CorpusEntry
from raddle.engine.points import KnownPoints
from raddle.execute.session import Execution, Session
from raddle.exploring.coverage_progress import CoverageProgress
from raddle.exploring.findings import Findings
from raddle.exploring.progress import SEARCHING, ProgressCallback, ProgressUpdate
from raddle.outcome import Outcome, OutcomeKind
from raddle.schedulers.base import Scheduler
from raddle.stop_reason import StopReason

_monotonic = time.monotonic


@dataclass(slots=True)
class Counts:
    """Counts of executions, scheduling points and partial orders."""

    before: int = 0  # number of executions in earlier units; the numbering continues from there
    executions: int = 0
    points: int = 0  # number of scheduling points
    passed: int = 0
    endless: int = 0  # number of executions that reached the step limit
    crashes: int = 0  # number of executions that crashed their process
    crashes_in_a_row: int = 0
    orders: int = 0  # number of partial orders run since the space of schedules last changed
    interleavings: int = 0  # number of further interleavings of the partial orders counted in `orders`
    _space: int = -1

    @property
    def number(self) -> int:
        """The number of the last execution."""
        return self.before + self.executions

    def add(self, outcome: Outcome, points: int) -> None:
        """Count an execution and its scheduling points."""
        self.executions += 1
        self.points += points
        self.passed += not outcome.failed

    def add_ending(self, outcome: Outcome) -> None:
        """Update the counts of crashes and endless executions. Not called for replays and rehearsals."""
        if not outcome.failed:
            self.crashes_in_a_row = 0
        elif outcome.kind == OutcomeKind.CRASH:
            self.crashes += 1
            self.crashes_in_a_row += 1
        else:
            self.crashes_in_a_row = 0
            self.endless += outcome.kind == OutcomeKind.STEP_LIMIT

    def add_order(self, space: int, *, ordered: bool | None) -> None:
        """Count an execution as a further interleaving if `ordered`, otherwise as a new partial order.

        `ordered` is True once all partial orders have been run. If the space of schedules has changed, counting
        restarts at 0.
        """
        if space != self._space:
            self._space, self.orders, self.interleavings = space, 0, 0
        if ordered:
            self.interleavings += 1
        else:
            self.orders += 1


class Clock:
    """The start and the time limit of a search, on the monotonic clock."""

    def __init__(self, seconds: float | None) -> None:
        self.start = _monotonic()
        self.deadline = None if seconds is None else self.start + seconds
        self.new_at = 0.0  # time when coverage last grew, in seconds after the start

    @property
    def seconds(self) -> float:
        return _monotonic() - self.start

    @property
    def over(self) -> bool:
        return self.deadline is not None and _monotonic() >= self.deadline


class Ledger:
    """Counts, coverage, findings and notes for the executions so far."""

    def __init__(
        self, session: Session, counts: Counts, coverage: CoverageProgress, findings: Findings, clock: Clock
    ) -> None:
        self.session = session
        self.counts = counts
        self.coverage = coverage
        self.findings = findings
        self.clock = clock
        self.notes = findings.notes
        self.unfit: list[CorpusEntry] = []  # schedules of the corpus that no longer fit the code
        self.doing = SEARCHING
        self.progress: ProgressCallback | None = None

    def measure(self, execution: Execution, scheduler: Scheduler, known: KnownPoints | None = None) -> None:
        """Add the coverage of an execution to the ledger.

        `known` holds the points known before the execution, or is None if the execution must not be kept in the corpus.
        """
        covered = self.coverage.add(execution, self.counts.number, known)
        if covered is None or execution.observed is None:
            return
        if self.coverage.new:
            self.clock.new_at = self.clock.seconds
        scheduler.learn(*execution.observed, covered, early=self.session.model().early)

    def add_failed(self, execution: Execution, known: KnownPoints) -> None:
        """Turn a new failure into a finding. The deadline is suspended so that it does not cut replays short."""
        if execution.outcome.signature not in self.findings.signatures:
            self.session.end_by(None)
            self.findings.add_failed(execution.outcome, known, execution.decisions, self.counts.number)
            self.session.end_by(self.clock.deadline)

    def cut_off(self, outcome: Outcome) -> StopReason:
        """Return why an execution was aborted: Ctrl-C was pressed, or the time limit was reached (see `Watchdog`)."""
        if self.session.interrupted:
            return StopReason.INTERRUPTED
        where = f" ({outcome.message})" if outcome.message else ""
        self.notes.append(f"an execution was still running at the time limit{where}, so it was not counted")
        return StopReason.SECONDS

    def show(self) -> None:
        """Report progress to the callback."""
        if self.progress is not None:
            now = self.clock.seconds
            self.progress(
                ProgressUpdate(
                    executions=self.counts.executions,
                    findings=len(self.findings.found),
                    seconds=now,
                    covered=self.coverage.counts(),
                    seconds_since_new=now - self.clock.new_at,
                    doing=self.findings.doing or self.doing,
                )
            )

    def show_other_work(self) -> None:
        """Report progress after an execution outside the search, such as a replay."""
        if (self.findings.doing or self.doing) != SEARCHING:
            self.show()
