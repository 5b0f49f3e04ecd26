"""A session: executes one scenario under control, for searches, replays and rehearsals."""

from __future__ import annotations

import itertools
from bdb import BdbQuit
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from raddle.analysis.equivalence import first_difference
from raddle.criteria import points_for
from raddle.engine.engine import Engine, Policy
from raddle.engine.observer import Observer
from raddle.engine.points import GilPoints, KnownPoints, Points
from raddle.engine.rules import DEFAULT_RULES, Rules, Timeouts
from raddle.engine.step_limit import StepLimit
from raddle.entities import Entities
from raddle.event import Preemption
from raddle.execute.crash_replay import DecisionPulse, MomentPulse
from raddle.execute.fork import ChildDiedError, can_fork, in_child
from raddle.execute.forked_run import Apart
from raddle.execute.installation import Installation
from raddle.labels import first_label
from raddle.observers.follower import Follower
from raddle.observers.places import Places
from raddle.observers.recorded_points import RecordedPoints
from raddle.observers.recorder import Recorder
from raddle.observers.recording_engine import RecordingEngine
from raddle.observers.schedule import ScheduleRecorder
from raddle.observers.story import StoryRecorder
from raddle.outcome import Outcome, OutcomeKind
from raddle.replay_options import DEFAULT_REPLAY_OPTIONS, ReplayOptions
from raddle.schedule import Schedule, Segment
from raddle.schedulers.base import Scheduler, Thread
from raddle.schedulers.fixed_decisions import FixedDecisions
from raddle.schedulers.replay import Replay
from raddle.step import Step
from raddle.trace import Trace

UNKNOWN_END = "it is not known where it died"


class Execution(NamedTuple):
    """One execution, as the exploration needs it."""

    outcome: Outcome
    decisions: tuple[int, ...]
    steps: int
    observed: tuple[tuple[Step, ...], Entities] | None = None  # what criteria are shown, where there are any


@dataclass(frozen=True, slots=True)
class Recorded:
    """One execution that was watched."""

    outcome: Outcome
    trace: Trace
    schedule: Schedule
    divergence: str | None = None
    divergence_step: int | None = None
    preemptions: tuple[Preemption, ...] = ()
    every_switch: Schedule | None = None  # with every switch, also where no two threads are known to meet
    steps: int = 0  # scheduling points that threads came to

    def same_as(self, other: Recorded) -> bool:
        """The same steps where threads meet, and the same end?"""
        return (
            self.outcome.signature == other.outcome.signature
            and first_difference(self.trace, other.trace, died=self.outcome.died, passed=not self.outcome.failed)
            is None
        )


Choose = Callable[[Any, Any], Any]  # given the enabled threads and the one that was running


class Choosing(Scheduler):
    """Chooses threads by a function."""

    def __init__(self, choose: Choose) -> None:
        self._choose = choose

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Any:
        return self._choose(enabled, current)

    def chooser(self) -> Choose:
        return self._choose


class Runner(NamedTuple):
    """An engine, with the observers that are asked for results."""

    engine: Engine
    recorder: Recorder | None
    follower: Follower | None

    @property
    def steps(self) -> list[Step] | None:
        """Where probes append accesses."""
        return None if self.recorder is None else self.recorder.stream

    def observed(self) -> tuple[tuple[Step, ...], Entities] | None:
        """Return what criteria are shown of the execution just run, if anything is measured."""
        return None if self.recorder is None else self.recorder.observed()


class Recording(NamedTuple):
    """An engine for one execution that is recorded."""

    engine: Engine
    story: StoryRecorder
    switches: ScheduleRecorder

    @property
    def steps(self) -> None:
        """Probes notify the observers of every access."""


class Session:
    """Executes one scenario, in as many ways as one likes, while entered, and so is its installation."""

    def __init__(
        self,
        scenario: Callable[[], object],
        installation: Installation,
        *,
        setup: Callable[[], object] | None = None,
        switches: str = "free-threaded",
        step_limit: int = 50_000,
        isolate: bool = False,
        measuring: bool = False,
        criteria: Sequence[str] = (),
        rules: Rules = DEFAULT_RULES,
        replay_options: ReplayOptions = DEFAULT_REPLAY_OPTIONS,
    ) -> None:
        self._scenario = scenario
        self._installation = installation
        self._setup = setup
        self._measuring = measuring
        self._criteria = criteria  # names of those that are measured: they may need more scheduling points
        self.step_limit = step_limit
        self.replay_options = replay_options  # how to say what options this session has
        self.switches = switches
        self._rules = rules
        self._known_rules: dict[tuple[bool, bool, bool], Rules] = {}
        self.table = installation.table
        self.not_instrumented = installation.not_instrumented
        self.model = installation.model
        # Each execution in a child, which may die, if that is asked for.
        watchdog = installation.watchdog
        self._apart = Apart(self.table, lambda: self.known_points, self.not_instrumented, watchdog) if isolate else None
        self._switchable_sites: set[int] = set()
        self._looked_through = 0  # how many sites were looked at for these
        self.after_each: Callable[[], None] = lambda: None  # called after each execution, whatever it was for
        self.known_points = KnownPoints()

    def __enter__(self) -> Session:
        with ExitStack() as stack:
            stack.enter_context(self._installation)
            self._prepare()
            stack.pop_all()
        return self

    def _prepare(self) -> None:
        # A child that runs the execution ignores Ctrl-C, so the parent cannot wait for it to reach a scheduling point.
        isolated, watchdog = self._apart is not None, self._installation.watchdog
        self._installation.interrupts.at_once = lambda: (isolated and not watchdog.is_limited) or watchdog.blocked
        self.forget()

    def __exit__(self, *exc: Any) -> None:
        self._installation.__exit__(*exc)

    def forget(self) -> None:
        """Begin as if nothing had been executed yet."""
        self._installation.begin()
        self.known_points = KnownPoints()
        for kind in sorted(points_for(self._criteria)):
            self.known_points.operation(kind)
        self._snapshot: KnownPoints | None = None
        self._followed: Runner | None = None  # for schedulers that want to be asked and informed more
        self._unmeasured: Runner | None = None  # for executions that are not measured
        self._lean = self._runner()

    def _runner(self, *, followed: bool = False, measuring: bool = True) -> Runner:
        """Make an engine with the observers for these executions."""
        recorder = follower = None
        observers: list[Observer] = []
        if followed:
            observers.append(follower := Follower(self._installation.calculus))
        if self._measuring and measuring:
            observers.append(recorder := self._installation.step_recorder(renewed=self._setup is not None))
        if self._apart is not None:
            observers.append(DecisionPulse(self._apart.pulse))
        engine = Engine(
            self._installation.world,
            self.known_points,
            step_limit=StepLimit(self.step_limit),
            points=self._points(),
            observers=observers,
            pool=self._installation.pool,
        )
        return Runner(engine, recorder, follower)

    def _points(self) -> Points:
        switchable = self._switchable()
        return Points() if switchable is None else GilPoints(switchable)

    def _switchable(self) -> set[int] | None:
        """The sites where CPython with the GIL may switch, one set for all: executions import more modules."""
        if self.switches == "free-threaded":
            return None
        known, sites = self._looked_through, self._switchable_sites
        if known < len(self.table):
            self._looked_through = len(self.table)
            sites.update(
                number for number in itertools.islice(self.table, known, None) if self.table[number].switchable
            )
            self.known_points.version += bool(known)  # there are more schedules than before
        return sites

    @property
    def timeouts(self) -> Timeouts:
        """When timed waits may expire."""
        return self._rules.timeouts

    # -- executions ---------------------------------------------------------------------------------

    @property
    def interrupted(self) -> bool:
        """Was Ctrl-C pressed?"""
        return self._installation.interrupts.seen

    def end_by(self, deadline: float | None) -> None:
        """End any execution that is still running at that time of the monotonic clock; None: end none."""
        self._installation.watchdog.deadline = float("inf") if deadline is None else deadline

    def run(self, choose: Choose) -> Execution:
        """Run one execution, as fast as possible."""
        return self._run(self._lean, Choosing(choose), self._rules)[0]

    def _run(
        self,
        runner: Runner,
        policy: Policy,
        rules: Rules,
        known_points: KnownPoints | None = None,
        memory: Callable[[], object] = lambda: None,
    ) -> tuple[Execution, object]:
        """Run one execution, in a child if that is asked for; return it and the scheduler's state after it."""
        if self._apart is None:
            answer = self._run_here(runner, policy, rules, known_points), memory()
        else:
            answer = self._run_in_child(self._apart, runner, policy, rules, known_points, memory)
        self.after_each()
        return answer

    def _run_here(self, runner: Runner, policy: Policy, rules: Rules, known_points: KnownPoints | None) -> Execution:
        engine = runner.engine
        outcome = self._execute(runner, policy, rules, known_points)
        return Execution(outcome, tuple(engine.decisions), engine.steps, runner.observed())

    def _run_in_child(
        self,
        apart: Apart,
        runner: Runner,
        policy: Policy,
        rules: Rules,
        known_points: KnownPoints | None,
        memory: Callable[[], object],
    ) -> tuple[Execution, object]:
        engine = runner.engine

        def run() -> tuple[Execution, object]:
            execution = self._run_here(runner, policy, rules, known_points)
            return execution._replace(outcome=replace(execution.outcome, error=None)), memory()

        def so_far(outcome: Outcome) -> tuple[Execution, object]:
            if engine.running:
                engine.cut_short()
            return Execution(outcome, tuple(engine.decisions), engine.steps, runner.observed()), memory()

        def nothing(outcome: Outcome) -> tuple[Execution, object]:
            if runner.follower is not None:
                runner.follower.watch(engine)
            return Execution(outcome, (), 0, ((), Entities()) if runner.recorder is not None else None), memory()

        return apart.run(run, so_far, nothing)

    def prepare(self, scheduler: Scheduler) -> Runner:
        """Get ready for a scheduler; one that `follows` is asked and informed more, and wants more to be a step."""
        if not scheduler.follows:
            return self._lean
        for kind in scheduler.kinds:
            self.known_points.kind(kind)
        if self._followed is None:
            self._followed = self._runner(followed=True)
        assert self._followed.follower is not None
        self._followed.follower.scheduler = scheduler
        return self._followed

    def run_for(self, scheduler: Scheduler, *, measured: bool = True) -> Execution:
        """Run one execution decided by a scheduler, whose `begin` was called."""
        runner = self.prepare(scheduler) if measured or not self._measuring else self._without_measuring()
        follows = runner is self._followed
        rules = self._rules_for(scheduler.complete, follows, scheduler.sees_forced_steps)
        execution, memory = self._run(runner, scheduler, rules, None, scheduler.memory)
        if self._apart is not None:
            scheduler.remember(memory)
        scheduler.end()
        return execution

    def _rules_for(self, complete: bool, follows: bool, sees_forced_steps: bool) -> Rules:
        key = complete, follows, sees_forced_steps
        rules = self._known_rules.get(key)
        if rules is None:  # making them takes as long as five steps
            rules = self._known_rules[key] = replace(
                self._rules,
                samples=not complete,
                thorough=complete,
                sees_forced_steps=follows or sees_forced_steps,
                fair=not follows,  # such a scheduler sees to it that no thread runs for ever
            )
        return rules

    def _without_measuring(self) -> Runner:
        if self._unmeasured is None:
            self._unmeasured = self._runner(measuring=False)
        return self._unmeasured

    @property
    def without_preemption(self) -> Schedule:
        """The schedule by which a participant runs until it blocks or ends."""
        return Schedule((Segment(first_label(self._installation.world.letter)),))

    def rehearse(self) -> Recorded:
        """Run one execution without preemption; record it and learn from it."""
        return self._replay(self.without_preemption, self.known_points, rehearsing=True)

    def replay_decisions(self, decisions: Sequence[int], known_points: KnownPoints) -> Recorded:
        """Run an execution again and record it; `known_points` is what was known when it first ran."""
        recording = self._recording(known_points.copy(), everywhere=False, with_gil=self._switchable() is not None)
        again = FixedDecisions(decisions)

        def recorded(outcome: Outcome) -> Recorded:
            taken = again.differed
            differed = None if taken is None else f"decision {taken + 1} cannot be taken again"
            switches = recording.switches
            seen = Recorded(
                outcome, recording.story.trace, switches.schedule(), differed, preemptions=switches.preemptions
            )  # fmt: skip
            return replace(seen, every_switch=switches.schedule(every_switch=True)) if outcome.failed else seen

        return self._record(recording, again, self._rules, recorded, self.without_preemption)

    def rerun(self, decisions: Sequence[int], known_points: KnownPoints) -> Execution | None:
        """Run an execution again, with the scheduling points it had; return None if the decisions do not fit."""
        again = FixedDecisions(decisions)
        rules = replace(self._rules, samples=True)
        execution, differed = self._run(self._lean, again, rules, known_points, lambda: again.differed)
        return execution if differed is None else None

    def replay(self, schedule: Schedule) -> Recorded:
        """Run an execution that follows a schedule's text."""
        return self._replay(schedule, self.known_points.copy())

    def _replay(self, schedule: Schedule, known_points: KnownPoints, *, rehearsing: bool = False) -> Recorded:
        recording = self._recording(known_points, everywhere=True, with_gil=False)
        replay = Replay(schedule, lambda thread: recording.switches.positions.get(thread.index, ""))

        def recorded(outcome: Outcome) -> Recorded:
            replay.over()
            return Recorded(
                outcome,
                recording.story.trace,
                schedule,
                replay.divergence,
                replay.divergence_step,
                recording.switches.preemptions,
                steps=recording.engine.steps,
            )

        rules = replace(self._rules, eager=False, sees_forced_steps=True)
        return self._record(recording, replay, rules, recorded, schedule, rehearsing=rehearsing)

    def snapshot(self) -> KnownPoints:
        """What is known now, for doing the next execution again later."""
        if self._snapshot is None or self._snapshot.version != self.known_points.version:
            self._snapshot = self.known_points.copy()
        return self._snapshot

    def repeatable(self) -> bool:
        """Does the same schedule give the same execution from the same state? False where nobody can tell."""
        if not can_fork():
            return False
        if self._apart is not None:
            return self.rehearse().same_as(self.rehearse())
        try:
            one, other = (in_child(lambda: _bare(self.rehearse())) for _ in range(2))
        except ChildDiedError:
            return False
        return one.same_as(other)

    @contextmanager
    def with_gil(self) -> Iterator[None]:
        """Only schedules that CPython with the GIL can have, for a while."""
        lean, switches = self._lean, self.switches
        self.switches = "gil"
        self._lean = self._runner(measuring=False)
        try:
            yield
        finally:
            self._lean, self.switches = lean, switches

    def _recording(self, known_points: KnownPoints, *, everywhere: bool, with_gil: bool) -> Recording:
        """Make an engine for one execution whose trace and schedule are wanted."""
        places = Places(self.table)
        points = RecordedPoints(self.table, everywhere=everywhere, with_gil=with_gil)
        story = StoryRecorder(self.table, places)
        schedule = ScheduleRecorder(places, points, lambda: len(story.events))
        observers: list[Observer] = [schedule, story]
        if self._apart is not None:
            observers.append(MomentPulse(self._apart.pulse))
        # Local steps count too where every operation is a scheduling point, so there are more of them.
        engine = RecordingEngine(
            self._installation.world,
            known_points,
            step_limit=StepLimit(self.step_limit, factor=4 if everywhere else 1),
            points=points,
            observers=observers,
            pool=self._installation.pool,
        )
        return Recording(engine, story, schedule)

    def _record(
        self,
        recording: Recording,
        policy: Policy,
        rules: Rules,
        recorded: Callable[[Outcome], Recorded],
        schedule: Schedule,
        *,
        rehearsing: bool = False,
    ) -> Recorded:
        """Run one execution and record it; the schedule is for one of which nothing else is known."""

        def run() -> Recorded:
            return recorded(self._execute(recording, policy, rules, rehearsing=rehearsing))

        def nothing(outcome: Outcome) -> Recorded:
            return Recorded(outcome, Trace(()), schedule, UNKNOWN_END)

        seen = run() if self._apart is None else self._apart.run(lambda: _bare(run()), recorded, nothing)
        self.after_each()
        return seen

    def _execute(
        self,
        runner: Runner | Recording,
        policy: Policy,
        rules: Rules,
        known_points: KnownPoints | None = None,
        rehearsing: bool = False,
    ) -> Outcome:
        engine = runner.engine
        if self._setup is not None:
            self._setup()
        self._switchable()
        installation = self._installation
        if installation.attached is not engine:
            installation.attach(engine, runner.steps)
        outcome = installation.execute(
            lambda: engine.run(self._scenario, policy, rules=rules, known_points=known_points),
            profiled=rehearsing,
            complete=rules.thorough,
        )
        if isinstance(outcome.error, BdbQuit):  # the command `quit` of a debugger
            self._installation.interrupts.seen = True
            return Outcome(OutcomeKind.INTERRUPTED)
        return outcome


def _bare(recorded: Recorded) -> Recorded:
    """Without the exception itself, which need not be picklable."""
    return replace(recorded, outcome=replace(recorded.outcome, error=None))
