"""A session: everything set up to execute one scenario under control, and taken down again.

Modules are instrumented, twins put in place, the garbage collector held back (a destructor that runs now
or then would make executions differ), Ctrl-C and the watchdog looked after.
"""

from __future__ import annotations

import gc
import itertools
import threading
from bdb import BdbQuit
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from raddle import env, probe
from raddle.analysis.equivalence import first_difference
from raddle.cast import METHODS, Cast
from raddle.event import Preemption
from raddle.execute.apart import Apart
from raddle.execute.callees import Callees, Monitoring, Profiling
from raddle.execute.controller import Choose, Controller
from raddle.execute.debugging import debuggable
from raddle.execute.followed import Followed, followed_by
from raddle.execute.interrupts import Interrupts
from raddle.execute.isolate import ChildDiedError, can_fork, in_child
from raddle.execute.last_words import Choices, Mortal
from raddle.execute.learned import Learned
from raddle.execute.probes import make_probes
from raddle.execute.silence import silence
from raddle.execute.watchdog import Watchdog
from raddle.execute.watched import Watched
from raddle.instrument import Hook, NotInstrumented, Selection, instrument_modules, probe_new_ones
from raddle.instrument.labels import naming_root
from raddle.instrument.owners import sites_in
from raddle.model import Model
from raddle.outcome import Outcome
from raddle.replaying import PLAINLY, Replaying
from raddle.schedule import Schedule, Segment
from raddle.schedulers.again import Again
from raddle.schedulers.base import Scheduler, chooser
from raddle.schedulers.replay import Replay
from raddle.site import SiteTable
from raddle.step import Step
from raddle.sync.patch import Patches
from raddle.trace import Trace

T = TypeVar("T")
WITHOUT_PREEMPTION = Schedule((Segment("T0"),))
UNKNOWN_END = "it is not known where it died"
COLLECT_EVERY = 500  # executions between two runs of the garbage collector
SESSIONS_TO_COLLECT = 32
_sessions = itertools.count(1)


class Execution(NamedTuple):
    """One execution, as the exploration needs it."""

    outcome: Outcome
    decisions: tuple[int, ...]
    steps: int
    observed: tuple[tuple[Step, ...], Cast] | None = None  # what criteria are shown, where there are any


@dataclass(frozen=True, slots=True)
class Recorded:
    """One execution that was watched."""

    outcome: Outcome
    trace: Trace
    schedule: Schedule
    divergence: str | None = None
    divergence_step: int | None = None
    preemptions: tuple[Preemption, ...] = ()
    closely: Schedule | None = None  # with every switch, also where no two threads are known to meet
    steps: int = 0  # scheduling points that threads came to

    def same_as(self, other: Recorded) -> bool:
        """The same steps where threads meet, and the same end?"""
        return (
            self.outcome.signature == other.outcome.signature
            and first_difference(self.trace, other.trace, died=self.outcome.died, passed=not self.outcome.failed)
            is None
        )


class Session:
    """Executes a scenario, in as many ways as one likes.

    One session at a time: the twins and the probes are the process's own.
    """

    def __init__(
        self,
        scenario: Callable[[], object],
        *,
        selection: Selection,
        setup: Callable[[], object] | None = None,
        switches: str = "free-threaded",
        step_limit: int = 50_000,
        patience_seconds: float | None = 5.0,
        isolate: bool = False,
        measuring: bool = False,
        blocks: bool = False,
        thread_methods: int = METHODS,
        replaying: Replaying = PLAINLY,
    ) -> None:
        self._scenario = scenario
        self._setup = setup
        self._measuring = measuring
        self._blocks = blocks
        self._thread_methods = thread_methods  # that tell threads apart
        self._selection = selection
        self.step_limit = step_limit
        self.replaying = replaying  # how to say what options this session has
        self.switches = switches
        root = getattr(selection, "root", "")
        self.table = SiteTable(naming_root(root) if root else "")
        self.learned = Learned()
        self.not_instrumented: list[NotInstrumented] = []
        self._callees = Callees(selection, self.table, self.not_instrumented)
        self._profiling = Profiling(self._callees)
        self._watchdog = Watchdog(patience_seconds)
        self._interrupts = Interrupts()
        # A child that runs the execution ignores Ctrl-C, so the parent cannot wait for it to reach a scheduling point.
        waits_for_child = isolate and patience_seconds is None
        self._interrupts.at_once = lambda: waits_for_child or self._watchdog.blocked
        self._since_collection = 0
        self._frozen = False
        self._stack = ExitStack()
        self._attached: Controller | None = None
        self._followed: Controller | None = None  # for schedulers that want to be asked and told more
        self._unmeasured: Controller | None = None  # for executions of which nobody wants to know what they cover
        self._snapshot: Learned | None = None
        self._model = Model()
        self._surveyed = -1  # how many sites the model knows
        self._switchable_sites: set[int] = set()
        self._looked_through = 0  # how many sites were looked at for these
        # Each execution in a child, which may die, if that is asked for.
        self._apart = (
            Apart(self.table, lambda: self.learned, self.not_instrumented, self._watchdog) if isolate else None
        )
        self.after_each: Callable[[], None] = lambda: None  # called after each execution, whatever it was for

    # -- set-up -------------------------------------------------------------------------------------

    def __enter__(self) -> Session:
        with ExitStack() as stack:
            self._hook = Hook(self._selection, self.table, **self._options())
            undo = stack.enter_context(instrument_modules(self._hook.loaded(), self.table, **self._options()))
            stack.enter_context(self._hook)
            stack.callback(probe_new_ones(self._hook))
            self.not_instrumented += undo.not_instrumented
            self._callees.made_at_run_time = undo.made_at_run_time
            patches = Patches().install(undo.functions, undo.everywhere)
            undo.everywhere = []  # nobody is to be kept alive
            stack.callback(patches.remove)
            stack.callback(setattr, threading, "_counter", threading._counter)  # type: ignore[attr-defined]
            stack.callback(probe.detach)
            if gc.isenabled():
                gc.disable()
                stack.callback(gc.enable)
            if gc.get_freeze_count() <= env.MOST_FROZEN_AT_START:  # else the program wants its objects to stay frozen
                gc.freeze()  # what is there already need not be looked through every time
                stack.callback(gc.unfreeze)
                self._frozen = True
            if env.HAS_MONITORING:
                stack.enter_context(Monitoring(self._callees))
            stack.enter_context(silence())
            stack.enter_context(debuggable())
            stack.enter_context(self._interrupts)
            stack.enter_context(self._watchdog)
            self._lean = self._controller()
            stack.callback(self._let_go)
            self._stack = stack.pop_all()
        self._refused = len(self.not_instrumented)
        return self

    def __exit__(self, *exc: Any) -> None:
        self._stack.close()
        # What was frozen counts as old, and of what is old the collector waits for very much more before it looks.
        if self._frozen and gc.isenabled() and next(_sessions) % SESSIONS_TO_COLLECT == 0:
            gc.collect()

    def forget(self) -> None:
        """As if nothing had been executed yet. Modules stay instrumented and twins in place: these take a while."""
        self._let_go()
        self.learned, self._snapshot = Learned(), None
        self._followed = self._unmeasured = self._attached = None
        self._lean = self._controller()
        del self.not_instrumented[self._refused :]
        self._callees.forget()

    def _let_go(self) -> None:
        for controller in (self._lean, self._followed, self._unmeasured):
            if controller is not None:
                controller.close()

    def _options(self) -> dict[str, bool]:
        return {"blocks": True} if self._blocks else {}

    def _controller(self, *, followed: bool = False, measuring: bool = True) -> Controller:
        kind: Any = Controller
        options: dict[str, Any] = {}
        if self._measuring and measuring:  # not needed otherwise, and slow to import
            from raddle.execute.measured import Measured

            kind = Measured
            options = {"table": self.table, "model": self.model, "methods": self._thread_methods}
            options["renewed"] = self._setup is not None
        if followed:
            kind = followed_by(kind)
        made: Controller = kind(self.learned, step_limit=self.step_limit, switchable=self._switchable(), **options)
        return made

    def model(self) -> Model:
        """The static model of everything instrumented so far."""
        if self._surveyed != len(self.table):
            self._surveyed = len(self.table)
            from raddle.instrument.survey import survey_table

            model = survey_table(self.table)
            # What modules do at import was done before, and is not measured.
            blocks = frozenset(site for site in model.blocks if self.table[site].function != "<module>")
            self._model = replace(model, blocks=blocks)
        return self._model

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
            self.learned.version += bool(known)  # there are more schedules than before
        return sites

    # -- executions ---------------------------------------------------------------------------------

    @property
    def interrupted(self) -> bool:
        """Was Ctrl-C pressed?"""
        return self._interrupts.seen

    def end_by(self, deadline: float | None) -> None:
        """End any execution that is still running at that time of the monotonic clock; None: end none."""
        self._watchdog.deadline = float("inf") if deadline is None else deadline

    def run(self, choose: Choose) -> Execution:
        """One execution, as fast as it goes."""
        return self._run(self._lean, choose)[0]

    def _run(
        self, controller: Controller, choose: Choose, memory: Callable[[], object] = lambda: None
    ) -> tuple[Execution, object]:
        """One execution, and what whoever chose has to remember of it."""
        answer = self._run_apart(controller, choose, memory)
        self.after_each()
        return answer

    def _run_apart(
        self, controller: Controller, choose: Choose, memory: Callable[[], object]
    ) -> tuple[Execution, object]:
        """In a child, if that is asked for."""
        apart = self._apart
        if apart is None:
            return self._run_here(controller, choose), memory()
        choices = Choices(apart.pulse, choose, lambda: controller.decisions)

        def run() -> tuple[Execution, object]:
            execution = self._run_here(controller, choices.choose)
            return execution._replace(outcome=replace(execution.outcome, error=None)), memory()

        def so_far(outcome: Outcome) -> tuple[Execution, object]:
            if isinstance(controller, Followed) and controller.running:
                controller.stop_following()
            observed = controller.observed() if controller.measuring else None
            return Execution(outcome, choices.decisions, controller.steps, observed), memory()

        def nothing(outcome: Outcome) -> tuple[Execution, object]:
            if isinstance(controller, Followed):
                controller.begin_to_follow()
            return Execution(outcome, (), 0, ((), Cast()) if controller.measuring else None), memory()

        return apart.run(run, so_far, nothing)

    def _run_here(self, controller: Controller, choose: Choose) -> Execution:
        outcome = self._execute(controller, choose)
        observed = controller.observed() if controller.measuring else None
        return Execution(outcome, tuple(controller.decisions), controller.steps, observed)

    def prepare(self, scheduler: Scheduler) -> Controller:
        """Get ready for a scheduler; one that `follows` is asked and told more, and wants more to be a step."""
        if not getattr(scheduler, "follows", False):
            return self._lean
        for kind in scheduler.kinds:  # type: ignore[attr-defined]
            self.learned.kind(kind)
        if self._followed is None:
            self._followed = self._controller(followed=True)
        self._followed.follower = scheduler  # type: ignore[attr-defined]
        return self._followed

    def run_for(self, scheduler: Scheduler, *, measured: bool = True) -> Execution:
        """One execution decided by a scheduler that was told of its beginning."""
        controller = self.prepare(scheduler) if measured or not self._measuring else self._without_measuring()
        controller.sampling = not scheduler.complete
        controller.thorough = scheduler.complete
        if controller is not self._followed:
            controller.ask_always = getattr(scheduler, "asks_always", False)
        execution, memory = self._run(controller, chooser(scheduler), scheduler.memory)
        if self._apart is not None:
            scheduler.remember(memory)
        scheduler.end()
        return execution

    def _without_measuring(self) -> Controller:
        if self._unmeasured is None:
            self._unmeasured = self._controller(measuring=False)
        return self._unmeasured

    def rehearse(self, schedule: Schedule = WITHOUT_PREEMPTION) -> Recorded:
        """One execution, usually without preemption, watched and learnt from."""
        return self._replay(schedule, self.learned, rehearsing=True)

    def again(self, decisions: Sequence[int], learned: Learned) -> Recorded:
        """An execution done again, watched; `learned` is what was known when it first ran."""
        watched = self._watched(learned.copy(), switchable=self._switchable())
        again = Again(decisions)

        def recorded(outcome: Outcome) -> Recorded:
            taken = again.differed
            differed = None if taken is None else f"decision {taken + 1} cannot be taken again"
            seen = Recorded(outcome, watched.trace, watched.schedule(), differed, preemptions=watched.preemptions)
            return replace(seen, closely=watched.schedule(closely=True)) if outcome.failed else seen

        return self._watch(watched, again.choose, recorded, WITHOUT_PREEMPTION)

    def run_again(self, decisions: Sequence[int], learned: Learned) -> Execution | None:
        """An execution done again as fast as it goes, with the scheduling points it had; None if it does not fit."""
        lean, own, again = self._lean, self._lean.learned, Again(decisions)
        lean.sampling, lean.thorough, lean.ask_always = True, False, False
        lean.learned, lean.placed_version = learned, -1
        try:
            execution, differed = self._run(lean, again.choose, lambda: again.differed)
        finally:
            lean.learned, lean.placed_version = own, -1
        return execution if differed is None else None

    def replay(self, schedule: Schedule) -> Recorded:
        """An execution that follows a schedule's text."""
        return self._replay(schedule, self.learned.copy())

    def _replay(self, schedule: Schedule, learned: Learned, *, rehearsing: bool = False) -> Recorded:
        watched = self._watched(learned, everywhere=True)
        replay = Replay(schedule, lambda thread: watched.standing.get(thread.index, ""))
        watched.fair = lambda: replay.finished  # type: ignore[method-assign]

        def recorded(outcome: Outcome) -> Recorded:
            replay.over()
            return Recorded(
                outcome,
                watched.trace,
                schedule,
                replay.divergence,
                replay.divergence_step,
                watched.preemptions,
                steps=watched.steps,
            )

        return self._watch(watched, replay.choose, recorded, schedule, rehearsing=rehearsing)

    def snapshot(self) -> Learned:
        """What is known now, for doing the next execution again later."""
        if self._snapshot is None or self._snapshot.version != self.learned.version:
            self._snapshot = self.learned.copy()
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
        self._lean = Controller(self.learned, step_limit=self.step_limit, switchable=self._switchable())
        try:
            yield
        finally:
            self._lean.close()
            self._lean, self.switches = lean, switches

    def _watched(self, learned: Learned, **options: Any) -> Watched:
        """For one execution that is watched."""
        if self._apart is None:
            return Watched(learned, table=self.table, step_limit=self.step_limit, **options)
        mortal = Mortal(learned, table=self.table, step_limit=self.step_limit, **options)
        mortal.pulse = self._apart.pulse
        return mortal

    def _watch(
        self,
        watched: Watched,
        choose: Choose,
        recorded: Callable[[Outcome], Recorded],
        schedule: Schedule,
        *,
        rehearsing: bool = False,
    ) -> Recorded:
        """One execution that is watched; the schedule is for one of which nothing else is known."""

        def run() -> Recorded:
            try:
                outcome = self._execute(watched, choose, rehearsing=rehearsing)
            finally:
                watched.close()
            return recorded(outcome)

        def nothing(outcome: Outcome) -> Recorded:
            return Recorded(outcome, Trace(()), schedule, UNKNOWN_END)

        seen = run() if self._apart is None else self._apart.run(lambda: _bare(run()), recorded, nothing)
        self.after_each()
        return seen

    def _execute(self, controller: Controller, choose: Choose, *, rehearsing: bool = False) -> Outcome:
        if self._setup is not None:
            self._setup()
        if self._attached is not controller:
            probe.attach(make_probes(controller))
            self._attached = controller
            controller.spawned = self._callees.spawned
            controller.sites_in = lambda function: sites_in(self.table, function)
            self._watchdog.controller = self._interrupts.controller = controller
        self._switchable()
        self._since_collection += 1
        if self._since_collection >= COLLECT_EVERY:
            self._since_collection = 0
            gc.collect()
            if self._frozen:  # what has been found out by now stays, and need not be looked through again
                gc.freeze()
        if env.HAS_MONITORING or not (rehearsing or self._profiling.wants(complete=controller.thorough)):
            outcome = controller.run(self._scenario, choose)
        else:
            outcome = self._profiling.run(lambda: controller.run(self._scenario, choose))
        if isinstance(outcome.error, BdbQuit):  # the command `quit` of a debugger
            self._interrupts.seen = True
            return Outcome("interrupted")
        return outcome


def _bare(recorded: Recorded) -> Recorded:
    """Without the exception itself, which need not be picklable."""
    return replace(recorded, outcome=replace(recorded.outcome, error=None))
