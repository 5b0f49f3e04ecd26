"""A session: everything set up to execute one scenario under control, and taken down again.

Modules are instrumented, twins put in place, the garbage collector held back (a destructor that runs now
or then would make executions differ), Ctrl-C and the watchdog looked after.
"""

from __future__ import annotations

import functools
import gc
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from types import CodeType, ModuleType
from typing import Any, NamedTuple, TypeVar

from raddle import probe
from raddle.analysis.equivalence import first_difference
from raddle.cast import Cast
from raddle.checks.crash import is_plumbing
from raddle.errors import RaddleError
from raddle.event import Preemption
from raddle.execute.controller import Choose, Controller
from raddle.execute.interrupts import Interrupts
from raddle.execute.isolate import ChildDiedError, can_fork, in_child
from raddle.execute.learned import Learned
from raddle.execute.probes import make_probes
from raddle.execute.watchdog import Watchdog
from raddle.execute.watched import Watched
from raddle.instrument import NotInstrumented, Selection, install_hook, instrument_modules
from raddle.model import Model
from raddle.outcome import Outcome
from raddle.schedule import Schedule, Segment
from raddle.schedulers.again import Again
from raddle.schedulers.base import Scheduler
from raddle.schedulers.replay import Replay
from raddle.site import SiteTable
from raddle.step import Step
from raddle.sync.patch import Patches
from raddle.trace import Trace

T = TypeVar("T")
WITHOUT_PREEMPTION = Schedule((Segment("T0"),))
COLLECT_EVERY = 500  # executions between two runs of the garbage collector


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

    def same_as(self, other: Recorded) -> bool:
        """The same steps where threads meet, and the same end?"""
        return (
            self.outcome.signature == other.outcome.signature
            and first_difference(self.trace, other.trace, died=self.outcome.died) is None
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
        patience_seconds: float = 5.0,
        isolate: bool = False,
        measuring: bool = False,
        blocks: bool = False,
    ) -> None:
        self._scenario = scenario
        self._setup = setup
        self._isolate = isolate
        self._measuring = measuring
        self._blocks = blocks
        self._selection = selection
        self.step_limit = step_limit
        self.switches = switches
        self.table = SiteTable()
        self.learned = Learned()
        self.not_instrumented: list[NotInstrumented] = []
        self._watchdog = Watchdog(patience_seconds)
        self._interrupts = Interrupts()
        self._since_collection = 0
        self._frozen = False
        self._stack = ExitStack()
        self._attached: Controller | None = None
        self._snapshot: Learned | None = None
        self._model = Model()
        self._surveyed = -1  # how many sites the model knows

    # -- set-up -------------------------------------------------------------------------------------

    def __enter__(self) -> Session:
        with ExitStack() as stack:
            modules = [m for m in list(sys.modules.values()) if self._wants(m)]
            undo = stack.enter_context(instrument_modules(modules, self.table, **self._options()))
            self._hook = stack.enter_context(install_hook(self._selection, self.table, **self._options()))
            self.not_instrumented += undo.not_instrumented
            patches = Patches().install()
            stack.callback(patches.remove)
            stack.callback(setattr, threading, "_counter", threading._counter)  # type: ignore[attr-defined]
            stack.callback(probe.detach)
            if gc.isenabled():
                gc.disable()
                stack.callback(gc.enable)
            if not gc.get_freeze_count():  # what is there already need not be looked through every time
                gc.freeze()
                stack.callback(gc.unfreeze)
                self._frozen = True
            stack.enter_context(self._interrupts)
            stack.enter_context(self._watchdog)
            self._lean = self._controller()
            stack.callback(self._lean.close)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exc: Any) -> None:
        self._stack.close()

    def _options(self) -> dict[str, bool]:
        return {"blocks": True} if self._blocks else {}

    def _controller(self) -> Controller:
        if not self._measuring:
            return Controller(self.learned, step_limit=self.step_limit, switchable=self._switchable())
        from raddle.execute.measured import Measured  # not needed otherwise, and slow to import

        return Measured(
            self.learned,
            table=self.table,
            model=self.model,
            step_limit=self.step_limit,
            switchable=self._switchable(),
        )

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

    def _wants(self, module: object) -> bool:
        if not isinstance(module, ModuleType):
            return False
        return bool(self._selection(module.__name__, getattr(module, "__file__", None)))

    def _switchable(self) -> set[int] | None:
        if self.switches == "free-threaded":
            return None
        return {number for number in self.table if self.table[number].switchable}

    # -- executions ---------------------------------------------------------------------------------

    @property
    def interrupted(self) -> bool:
        """Was Ctrl-C pressed?"""
        return self._interrupts.seen

    def run(self, choose: Choose) -> Execution:
        """One execution, as fast as it goes."""
        lean = self._lean
        outcome = self._execute(lean, choose)
        observed = lean.observed() if self._measuring else None
        return Execution(outcome, tuple(lean.decisions), lean.steps, observed)

    def run_for(self, scheduler: Scheduler) -> Execution:
        """One execution decided by a scheduler that was told of its beginning."""
        self._lean.sampling = not scheduler.complete
        self._lean.thorough = scheduler.complete
        if not self._isolate:
            execution = self.run(scheduler.choose)
            scheduler.end()
            return execution

        def run() -> tuple[Execution, object]:
            execution = self.run(scheduler.choose)
            return execution._replace(outcome=replace(execution.outcome, error=None)), scheduler.memory()

        execution, memory = self._in_child(run)
        scheduler.remember(memory)
        scheduler.end()
        return execution

    def rehearse(self, schedule: Schedule = WITHOUT_PREEMPTION) -> Recorded:
        """One execution, usually without preemption, watched and learnt from."""
        return self._apart(lambda: self._replay(schedule, self.learned))

    def again(self, decisions: Sequence[int], learned: Learned) -> Recorded:
        """An execution done again, watched; `learned` is what was known when it first ran."""

        def run() -> Recorded:
            again = Again(decisions)
            recorded = self._watch(learned.copy(), again.choose)
            if again.differed is None:
                return recorded
            return replace(recorded, divergence=f"decision {again.differed + 1} cannot be taken again")

        return self._apart(run)

    def replay(self, schedule: Schedule) -> Recorded:
        """An execution that follows a schedule's text."""
        return self._apart(lambda: self._replay(schedule, self.learned.copy()))

    def _replay(self, schedule: Schedule, learned: Learned) -> Recorded:
        watched = Watched(learned, table=self.table, step_limit=self.step_limit, everywhere=True)
        replay = Replay(schedule, lambda thread: watched.standing.get(thread.index, ""))
        watched.fair = lambda: replay.finished  # type: ignore[method-assign]
        try:
            outcome = self._execute(watched, replay.choose)
        finally:
            watched.close()
        replay.over()
        self._note_bodies(watched.bodies)
        return Recorded(
            outcome, watched.trace, schedule, replay.divergence, replay.divergence_step, watched.preemptions
        )

    def _note_bodies(self, bodies: Sequence[Any]) -> None:
        """Threads that run Python code without probes are under control, but their accesses are not seen."""
        for body in bodies:
            while isinstance(body, functools.partial):
                body = body.func
            code = getattr(getattr(body, "__func__", body), "__code__", None)
            if code is None or probe.NAME in code.co_names or is_plumbing(code.co_filename):
                continue
            if code.co_name == "<lambda>" and code.co_filename in self.table.paths().values():
                continue  # unlike a def it has no probe of its own where there is nothing to watch: `lambda: f(x)`
            module = getattr(body, "__module__", None) or "?"
            refused = NotInstrumented(f"{module}.{body.__qualname__}, run by a thread", self._why_not(module, code))
            if refused not in self.not_instrumented:
                self.not_instrumented.append(refused)

    def _why_not(self, module: str, code: CodeType) -> str:
        verdict = self._selection(module, code.co_filename)
        return "it has nothing to watch or is to be ignored" if verdict else verdict.why

    def _apart(self, run: Callable[[], Recorded]) -> Recorded:
        return self._in_child(lambda: _bare(run())) if self._isolate else run()

    def _in_child(self, run: Callable[[], T]) -> T:
        """Run in a child, and take over what was learnt there."""

        def inside() -> tuple[T, set[int], set[str]]:
            self._watchdog.start()
            return run(), self.learned.sites, self.learned.kinds

        try:
            answer, sites, kinds = in_child(inside)
        except ChildDiedError as died:
            raise RaddleError("child-died", f"an isolated execution ended without an answer: {died}") from None
        for number in sorted(sites):
            self.learned.site(number)
        for kind in sorted(kinds):
            self.learned.kind(kind)
        return answer

    def snapshot(self) -> Learned:
        """What is known now, for doing the next execution again later."""
        if self._snapshot is None or self._snapshot.version != self.learned.version:
            self._snapshot = self.learned.copy()
        return self._snapshot

    def repeatable(self) -> bool:
        """Does the same schedule give the same execution from the same state? False where nobody can tell."""
        if not can_fork():
            return False
        one, other = (in_child(lambda: _bare(self._replay(WITHOUT_PREEMPTION, self.learned))) for _ in range(2))
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

    def _watch(self, learned: Learned, choose: Choose) -> Recorded:
        watched = Watched(learned, table=self.table, step_limit=self.step_limit, switchable=self._switchable())
        try:
            outcome = self._execute(watched, choose)
        finally:
            watched.close()
        return Recorded(outcome, watched.trace, watched.schedule(), preemptions=watched.preemptions)

    def _execute(self, controller: Controller, choose: Choose) -> Outcome:
        if self._setup is not None:
            self._setup()
        if self._attached is not controller:
            probe.attach(make_probes(controller))
            self._attached = controller
            self._watchdog.controller = self._interrupts.controller = controller
        self._since_collection += 1
        if self._since_collection >= COLLECT_EVERY:
            self._since_collection = 0
            gc.collect()
            if self._frozen:  # what has been found out by now stays, and need not be looked through again
                gc.freeze()
        return controller.run(self._scenario, choose)


def _bare(recorded: Recorded) -> Recorded:
    """Without the exception itself, which need not be picklable."""
    return replace(recorded, outcome=replace(recorded.outcome, error=None))
