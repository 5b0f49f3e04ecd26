"""Turns failures into findings.

Each failure is first replayed from its decisions and recorded. A schedule is derived from the recording, and the
failure is replayed from that schedule. Every reported schedule has therefore been shown to reproduce its failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain

from raddle.engine.points import KnownPoints
from raddle.errors import DivergedError
from raddle.execute.session import Recorded, Session
from raddle.finding import FREE_THREADED_ONLY, THIS_INTERPRETER, Finding
from raddle.guide.simpler import possible_here
from raddle.outcome import Outcome, OutcomeKind
from raddle.place import Place
from raddle.schedule import Schedule
from raddle.schedulers.random_walk import RandomWalk
from raddle.site import SiteTable
from raddle.trace import Trace

TRIES_WITH_GIL = 200  # maximum number of executions in the search for the same failure with the GIL

Signature = tuple[str, ...]

# Returns a simpler execution that satisfies the predicate, or the given execution if there is none.
Shrink = Callable[[Session, Recorded, Callable[[Recorded], bool]], Recorded]


class Findings:
    """The findings of an exploration so far. In all methods, `number` is the number of the failing execution."""

    def __init__(
        self,
        session: Session,
        *,
        seed: int,
        shrink: Shrink | None = None,
        signatures: frozenset[Signature] = frozenset(),
        reported: frozenset[Signature] = frozenset(),
    ) -> None:
        self._session = session
        self._seed = seed
        self._shrink = shrink
        self.doing = ""  # current activity for the progress line; empty while searching
        self.found: list[Finding] = []
        self.notes: list[str] = []
        self.signatures = set(signatures)  # signatures of failures that have already been examined
        self.reported = set(reported)  # signatures of all findings so far, including those of earlier units
        self.signed: list[Signature] = []  # the signature of each finding in `found`

    @contextmanager
    def _while_doing(self, what: str) -> Iterator[None]:
        before, self.doing = self.doing, what
        try:
            yield
        finally:
            self.doing = before

    def add_failed(self, outcome: Outcome, known: KnownPoints, decisions: tuple[int, ...], number: int) -> None:
        """Reproduce a failed execution, first from its decisions and then from its schedule, and add the finding."""
        self.signatures.add(outcome.signature)
        if seen_by_watchdog(outcome):
            self.add(outcome, None, None, number)  # only the stack is known, and reproducing the failure would be slow
            return
        with self._while_doing("reproducing a failure"):
            self._confirm(outcome, known, decisions, number)

    def _confirm(self, outcome: Outcome, known: KnownPoints, decisions: tuple[int, ...], number: int) -> None:
        session = self._session
        reproduced = session.replay_decisions(decisions, known)
        if outcome.kind == reproduced.outcome.kind == OutcomeKind.CRASH and reproduced.divergence is not None:
            self.add(outcome, None, None, number)  # the replay crashed before its decisions could be recorded
            return
        if reproduced.outcome.signature[:1] != outcome.signature[:1]:
            if session.interrupted:
                return
            self._add_divergence(outcome, reproduced, number)
            return
        if reproduced.outcome.signature in self.reported:  # the same failure, but in threads with different names
            return
        replayed, text = self._find_schedule(reproduced)
        self.add(replayed.outcome, text, replayed, number)

    def _find_schedule(self, reproduced: Recorded) -> tuple[Recorded, Schedule | None]:
        """Find a short schedule that reproduces the failure; return its execution and the schedule.

        If no schedule reproduces the failure, return the given execution and None.
        """
        session = self._session
        whole = reproduced.schedule
        best = session.replay(whole)
        if not _same_failure(best, reproduced) and reproduced.every_switch is not None:
            whole = reproduced.every_switch
            best = session.replay(whole)
        if not _same_failure(best, reproduced):
            why = best.divergence or f"the replay ended with '{ending(best.outcome)}'"
            self.notes.append(f"no schedule reproduces this failure, so none is printed: {why}")
            return reproduced, None
        low, high = 1, len(whole.segments)
        while low < high:  # binary search: drop the last segments if the failure happens without them
            middle = (low + high) // 2
            tried = session.replay(Schedule(whole.segments[:middle]))
            if tried.divergence is None and _same_failure(tried, best):
                high, best = middle, tried
            else:
                low = middle + 1
        best = replace(best, schedule=Schedule(whole.segments[:low]))
        if self._shrink is not None:
            signature = best.outcome.signature
            with self._while_doing("shrinking"):
                best = self._shrink(session, best, lambda tried: tried.outcome.signature == signature)
        return best, best.schedule

    def _add_divergence(self, outcome: Outcome, reproduced: Recorded, number: int) -> None:
        message = (
            f"an execution ended with '{ending(outcome)}', but its replay with the same schedule ended with "
            f"'{ending(reproduced.outcome)}'"
        )
        if self._session.repeatable():
            message += (
                ": state survives from one execution to the next. Reset that state with setup=, or use isolate='fork'"
            )
        else:
            message += ": the scenario is not deterministic"
        self.add(
            Outcome(OutcomeKind.DIVERGENCE, message, outcome.thread, (OutcomeKind.DIVERGENCE,)),
            None,
            reproduced,
            number,
        )

    def add(self, outcome: Outcome, schedule: Schedule | None, seen: Recorded | None, number: int) -> None:
        """Add a finding.

        `schedule` is None if no schedule reproduces the failure, and `seen` is None if there is no recording.
        """
        session = self._session
        possible_on = THIS_INTERPRETER
        endless = outcome.kind == OutcomeKind.STEP_LIMIT
        if schedule is not None and seen is not None and not endless and not possible_here(seen):
            with self._while_doing("checking whether the failure is possible with the GIL"):
                with_gil = self._find_with_gil(outcome)
            if with_gil is None:
                possible_on = FREE_THREADED_ONLY
            else:
                seen, schedule = with_gil
                outcome = seen.outcome
        self.signatures.add(outcome.signature)
        self.reported.add(outcome.signature)
        self.signed.append(outcome.signature)
        finding = make_finding(outcome, schedule, seen, session.table, possible_on=possible_on)
        self.found.append(replace(finding, execution=number, replay_options=session.replay_options))

    def _find_with_gil(self, outcome: Outcome) -> tuple[Recorded, Schedule] | None:
        """Search for the same failure among the schedules that are possible with the GIL."""
        session = self._session
        with session.with_gil():
            walk = RandomWalk(self._seed)
            for number in range(1, TRIES_WITH_GIL + 1):
                walk.begin(number, 0)
                known = session.snapshot()
                execution = session.run(walk.choose)
                if session.interrupted:
                    return None
                if execution.outcome.signature == outcome.signature:
                    reproduced = session.replay_decisions(execution.decisions, known)
                    if reproduced.outcome.signature == outcome.signature and possible_here(reproduced):
                        replayed, text = self._find_schedule(reproduced)
                        if text is not None and possible_here(replayed):
                            return replayed, text
        return None


def replayed_finding(session: Session, schedule: Schedule) -> Finding | None:
    """Replay a schedule; return the finding, or None if the execution passes."""
    seen = session.replay(schedule)
    if session.interrupted:
        raise KeyboardInterrupt
    # A thread that blocks outside raddle's control cannot follow the schedule to its end.
    if seen.divergence is not None and not seen_by_watchdog(seen.outcome):
        step = seen.divergence_step or 1
        raise DivergedError(
            "schedule-diverged",
            f"the schedule does not fit this code: segment {step}, '{schedule.segments[step - 1]}': {seen.divergence}",
        )
    if not seen.outcome.failed:
        return None
    here = possible_here(seen)
    finding = make_finding(
        seen.outcome, schedule, seen, session.table, possible_on=THIS_INTERPRETER if here else FREE_THREADED_ONLY
    )
    return replace(finding, replay_options=session.replay_options)


def make_finding(
    outcome: Outcome, schedule: Schedule | None, seen: Recorded | None, table: SiteTable, *, possible_on: str
) -> Finding:
    """Return the finding for a failed execution; `seen` is its recording, if there is one."""
    paths = table.paths()
    return Finding(
        kind=outcome.kind,
        message=outcome.message,
        thread=outcome.thread,
        possible_on=possible_on,
        schedule=schedule,
        trace=seen.trace if seen else Trace(()),
        details=outcome.details,
        notes=outcome.notes,
        preemptions=seen.preemptions if seen else (),
        paths=paths,
        error=outcome.error,
        waits=outcome.waits,
        place=_place(outcome, paths),
        signature=outcome.signature,
    )


def _place(outcome: Outcome, paths: Mapping[str, str]) -> Place | None:
    """Return the innermost line of instrumented code that failed or blocked; `paths` maps file labels to paths."""
    labels = {path: label for label, path in paths.items()}
    raised = (Place(labels[frame.file], frame.line) for frame in outcome.frames if frame.file in labels)
    waits = (wait.place for wait in outcome.waits if wait.thread == outcome.thread)
    return next(chain(raised, (place for place in waits if place and place.file in paths)), None)


def seen_by_watchdog(outcome: Outcome) -> bool:
    """Return whether a thread blocked, or ran forever, in code that raddle does not control."""
    endless = outcome.kind == OutcomeKind.STEP_LIMIT and outcome.signature != (OutcomeKind.STEP_LIMIT,)
    return endless or outcome.kind == OutcomeKind.UNCONTROLLED


def _same_failure(one: Recorded, other: Recorded) -> bool:
    """Return whether two executions failed in the same way and took the same steps.

    For endless executions, equal signatures are enough.
    """
    if other.outcome.kind == OutcomeKind.STEP_LIMIT:
        return one.outcome.signature == other.outcome.signature
    return one.divergence is None and one.same_as(other)


def ending(outcome: Outcome) -> str:
    """Return a phrase that says how an execution ended."""
    return f"{outcome.kind}: {outcome.message}" if outcome.failed else OutcomeKind.PASSED
