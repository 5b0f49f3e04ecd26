"""A session: runs controlled executions of one scenario, for searches, replays and rehearsals."""

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
from raddle.execute.crash_replay import DecisionCounter, EventCounter
from raddle.execute.fork import ChildDiedError, can_fork, in_child
from raddle.execute.forked_run import IsolatedRunner
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

UNKNOWN_END = "the place where the process died is unknown"


class Execution(NamedTuple):
    """The result of one execution in a search."""

    outcome: Outcome
    decisions: tuple[int, ...]
    steps: int  # number of scheduling points that the threads reached
    observed: tuple[tuple[Step, ...], Entities] | None = None  # input for criteria, if any are measured


@dataclass(frozen=True, slots=True)
class Recorded:
    """The result of one recorded execution."""

    outcome: Outcome
    trace: Trace
    schedule: Schedule
    divergence: str | None = None
    divergence_step: int | None = None
    preemptions: tuple[Preemption, ...] = ()
    every_switch: Schedule | None = None  # the schedule with all switches, even where no threads are known to interact
    steps: int = 0  # number of scheduling points that the threads reached

    def same_as(self, other: Recorded) -> bool:
        """Return whether two executions have the same interactions between threads and the same outcome."""
        return (
            self.outcome.signature == other.outcome.signature
            and first_difference(self.trace, other.trace, died=self.outcome.died, passed=not self.outcome.failed)
            is None
        )


Choose = Callable[[Any, Any], Any]  # called with the enabled threads and the thread that was running


class FunctionScheduler(Scheduler):
    """Calls a function for each decision."""

    def __init__(self, choose: Choose) -> None:
        self._choose = choose

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Any:
        return self._choose(enabled, current)

    def chooser(self) -> Choose:
        return self._choose


class Runner(NamedTuple):
    """An engine with the observers that record its executions."""

    engine: Engine
    recorder: Recorder | None
    follower: Follower | None

    @property
    def steps(self) -> list[Step] | None:
        """The list to which probes append accesses; None if nothing is measured."""
        return None if self.recorder is None else self.recorder.stream

    def observed(self) -> tuple[tuple[Step, ...], Entities] | None:
        """Return the steps and entities of the last execution; None if nothing is measured."""
        return None if self.recorder is None else self.recorder.observed()


class Recording(NamedTuple):
    """An engine for one recorded execution, with its recorders."""

    engine: Engine
    story: StoryRecorder
    switches: ScheduleRecorder

    @property
    def steps(self) -> None:
        """None, because probes notify the observers instead of appending accesses to a list."""


class Session:
    """Runs executions of one scenario. Entering a session also enters its installation."""

    def __init__(
        self,
        scenario: Callable[[], object],
        installation: Installation,
        *,
        setup: Callable[[], object] | None = None,
        renewed: bool = True,
        all_accesses: bool = False,
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
        self._all_accesses = all_accesses  # whether steps include accesses to variables without conflicts
        self._renewed = renewed and setup is not None  # whether the setup replaces objects that modules hold
        self._measuring = measuring
        self._criteria = criteria  # names of the measured criteria, which may need more scheduling points
        self.step_limit = step_limit
        self.replay_options = replay_options  # the options of this session, as a replay command shows them
        self.switches = switches
        self._rules = rules
        self._cached_rules: dict[tuple[bool, bool, bool], Rules] = {}
        self.table = installation.table
        self.not_instrumented = installation.not_instrumented
        self.model = installation.model
        watchdog = installation.watchdog
        self._isolated = (
            IsolatedRunner(self.table, lambda: self.known_points, self.not_instrumented, watchdog) if isolate else None
        )
        self._switchable_sites: set[int] = set()
        self._checked_sites = 0  # number of sites that `_switchable` has checked
        self.after_each: Callable[[], None] = lambda: None  # called after each execution, including replays
        self.known_points = KnownPoints()

    def __enter__(self) -> Session:
        with ExitStack() as stack:
            stack.enter_context(self._installation)
            self._prepare()
            stack.pop_all()
        return self

    def _prepare(self) -> None:
        # A child process ignores Ctrl-C, so the parent cannot wait for it to reach a scheduling point.
        isolated, watchdog = self._isolated is not None, self._installation.watchdog
        self._installation.interrupts.ends_immediately = lambda: (
            (isolated and not watchdog.is_limited) or watchdog.notified
        )
        self.forget()

    def __exit__(self, *exc: Any) -> None:
        self._installation.__exit__(*exc)

    def forget(self) -> None:
        """Forget the scheduling points and engines of all executions so far."""
        self._installation.begin()
        self.known_points = KnownPoints()
        for kind in sorted(points_for(self._criteria)):
            self.known_points.add_operation(kind)
        self._snapshot: KnownPoints | None = None
        self._followed: Runner | None = None  # for schedulers that follow executions
        self._unmeasured: Runner | None = None  # for executions that are not measured
        self._lean = self._runner()  # for all other executions

    def _runner(self, *, followed: bool = False, measuring: bool = True) -> Runner:
        """Return a new engine with observers; `followed` adds the follower for a scheduler that follows executions."""
        recorder = follower = None
        observers: list[Observer] = []
        if followed:
            observers.append(follower := Follower(self._installation.calculus))
        if self._measuring and measuring:
            recorder = self._installation.step_recorder(renewed=self._renewed, all_accesses=self._all_accesses)
            observers.append(recorder)
        if self._isolated is not None:
            observers.append(DecisionCounter(self._isolated.counter))
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
        """Return the sites where CPython with the GIL can switch threads; None in the `free-threaded` switch model.

        All executions share this set, which grows when they import more modules.
        """
        if self.switches == "free-threaded":
            return None
        checked, sites = self._checked_sites, self._switchable_sites
        if checked < len(self.table):
            self._checked_sites = len(self.table)
            sites.update(
                number for number in itertools.islice(self.table, checked, None) if self.table[number].switchable
            )
            self.known_points.version += bool(checked)  # the new sites allow more schedules
        return sites

    @property
    def timeouts(self) -> Timeouts:
        """The rule that determines when timed waits may expire."""
        return self._rules.timeouts

    # -- executions ---------------------------------------------------------------------------------

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self._installation.interrupts.seen

    def end_by(self, deadline: float | None) -> None:
        """Set the time, on the monotonic clock, at which a running execution is ended; None removes the deadline."""
        self._installation.watchdog.deadline = float("inf") if deadline is None else deadline

    def run(self, choose: Choose) -> Execution:
        """Run one execution, in which a function makes the decisions, without recording it."""
        return self._run(self._lean, FunctionScheduler(choose), self._rules)[0]

    def _run(
        self,
        runner: Runner,
        policy: Policy,
        rules: Rules,
        known_points: KnownPoints | None = None,
        memory: Callable[[], object] = lambda: None,
    ) -> tuple[Execution, object]:
        """Run one execution, in a child process if isolated; return its result and the scheduler's state afterwards."""
        if self._isolated is None:
            result = self._run_here(runner, policy, rules, known_points), memory()
        else:
            result = self._run_in_child(self._isolated, runner, policy, rules, known_points, memory)
        self.after_each()
        return result

    def _run_here(self, runner: Runner, policy: Policy, rules: Rules, known_points: KnownPoints | None) -> Execution:
        engine = runner.engine
        outcome = self._execute(runner, policy, rules, known_points)
        return Execution(outcome, tuple(engine.decisions), engine.steps, runner.observed())

    def _run_in_child(
        self,
        isolated: IsolatedRunner,
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

        return isolated.run(run, so_far, nothing)

    def prepare(self, scheduler: Scheduler) -> Runner:
        """Prepare for executions in which a scheduler makes the decisions; return their runner.

        A scheduler that follows executions needs a follower, and more kinds of operation as scheduling points.
        """
        if not scheduler.follows:
            return self._lean
        for kind in scheduler.kinds:
            self.known_points.add_kind(kind)
        if self._followed is None:
            self._followed = self._runner(followed=True)
        assert self._followed.follower is not None
        self._followed.follower.scheduler = scheduler
        return self._followed

    def run_for(self, scheduler: Scheduler, *, measured: bool = True) -> Execution:
        """Run one execution in which a scheduler makes the decisions; the caller has already called its `begin`."""
        runner = self.prepare(scheduler) if measured or not self._measuring else self._without_measuring()
        follows = runner is self._followed
        rules = self._rules_for(scheduler.complete, follows, scheduler.sees_forced_steps)
        execution, memory = self._run(runner, scheduler, rules, None, scheduler.memory)
        if self._isolated is not None:
            scheduler.remember(memory)
        scheduler.end()
        return execution

    def _rules_for(self, complete: bool, follows: bool, sees_forced_steps: bool) -> Rules:
        key = complete, follows, sees_forced_steps
        rules = self._cached_rules.get(key)
        if rules is None:  # cached, because creating the rules takes as long as five steps
            rules = self._cached_rules[key] = replace(
                self._rules,
                samples=not complete,
                thorough=complete,
                sees_forced_steps=follows or sees_forced_steps,
                fair=not follows,  # a scheduler that follows executions ensures fairness itself
            )
        return rules

    def _without_measuring(self) -> Runner:
        if self._unmeasured is None:
            self._unmeasured = self._runner(measuring=False)
        return self._unmeasured

    @property
    def without_preemption(self) -> Schedule:
        """The schedule without preemptions: each participant runs until it blocks or ends."""
        return Schedule((Segment(first_label(self._installation.world.letter)),))

    def rehearse(self) -> Recorded:
        """Run and record one execution without preemption; the scheduling points that it finds are kept."""
        return self._replay(self.without_preemption, self.known_points, rehearsing=True)

    def replay_decisions(self, decisions: Sequence[int], known_points: KnownPoints) -> Recorded:
        """Repeat an execution from its decisions and record it; `known_points` are those of the original execution."""
        recording = self._recording(known_points.copy(), everywhere=False, with_gil=self._switchable() is not None)
        policy = FixedDecisions(decisions)

        def recorded(outcome: Outcome) -> Recorded:
            failed = policy.differed
            divergence = None if failed is None else f"decision {failed + 1} cannot be repeated"
            switches = recording.switches
            result = Recorded(
                outcome, recording.story.trace, switches.schedule(), divergence, preemptions=switches.preemptions
            )  # fmt: skip
            return replace(result, every_switch=switches.schedule(every_switch=True)) if outcome.failed else result

        return self._record(recording, policy, self._rules, recorded, self.without_preemption)

    def rerun(self, decisions: Sequence[int], known_points: KnownPoints) -> Execution | None:
        """Repeat an execution with its original scheduling points; return None if the decisions no longer fit."""
        policy = FixedDecisions(decisions)
        rules = replace(self._rules, samples=True)
        execution, differed = self._run(self._lean, policy, rules, known_points, lambda: policy.differed)
        return execution if differed is None else None

    def replay(self, schedule: Schedule) -> Recorded:
        """Run and record an execution that follows a schedule."""
        return self._replay(schedule, self.known_points.copy())

    def _replay(self, schedule: Schedule, known_points: KnownPoints, *, rehearsing: bool = False) -> Recorded:
        recording = self._recording(known_points, everywhere=True, with_gil=False)
        replay = Replay(schedule, lambda thread: recording.switches.positions.get(thread.index, ""))

        def recorded(outcome: Outcome) -> Recorded:
            replay.ended()
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
        """Return a snapshot of the known points, with which the next execution can be repeated later."""
        if self._snapshot is None or self._snapshot.version != self.known_points.version:
            self._snapshot = self.known_points.copy()
        return self._snapshot

    def repeatable(self) -> bool:
        """Return whether two executions with the same schedule are equal; False if that cannot be checked."""
        if not can_fork():
            return False
        if self._isolated is not None:
            return self.rehearse().same_as(self.rehearse())
        try:
            one, other = (in_child(lambda: _without_error(self.rehearse())) for _ in range(2))
        except ChildDiedError:
            return False
        return one.same_as(other)

    @contextmanager
    def with_gil(self) -> Iterator[None]:
        """Restrict executions inside the `with` block to schedules that are possible in CPython with the GIL."""
        lean, switches = self._lean, self.switches
        self.switches = "gil"
        self._lean = self._runner(measuring=False)
        try:
            yield
        finally:
            self._lean, self.switches = lean, switches

    def _recording(self, known_points: KnownPoints, *, everywhere: bool, with_gil: bool) -> Recording:
        """Return a new engine for one execution whose trace and schedule are recorded.

        With `everywhere`, every operation is a scheduling point.
        """
        places = Places(self.table)
        points = RecordedPoints(self.table, everywhere=everywhere, with_gil=with_gil)
        story = StoryRecorder(self.table, places)
        schedule = ScheduleRecorder(places, points, lambda: len(story.events))
        observers: list[Observer] = [schedule, story]
        if self._isolated is not None:
            observers.append(EventCounter(self._isolated.counter))
        # If every operation is a scheduling point, local operations count as steps too, so the limit is higher.
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
        """Run one execution and return what `recorded` returns for its outcome.

        `schedule` is used in the result if the child process dies and nothing else is known about the execution.
        """

        def run() -> Recorded:
            return recorded(self._execute(recording, policy, rules, rehearsing=rehearsing))

        def nothing(outcome: Outcome) -> Recorded:
            return Recorded(outcome, Trace(()), schedule, UNKNOWN_END)

        result = (
            run() if self._isolated is None else self._isolated.run(lambda: _without_error(run()), recorded, nothing)
        )
        self.after_each()
        return result

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
        if isinstance(outcome.error, BdbQuit):  # raised by the debugger command `quit`
            self._installation.interrupts.seen = True
            return Outcome(OutcomeKind.INTERRUPTED)
        return outcome


def _without_error(recorded: Recorded) -> Recorded:
    """Return a copy without the exception object, which may not be picklable."""
    return replace(recorded, outcome=replace(recorded.outcome, error=None))
