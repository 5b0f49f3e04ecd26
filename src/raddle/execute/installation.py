"""Installations, which prepare a process for the controlled executions of a world.

An installation disables the garbage collector, because destructors that run at unpredictable times would make
executions differ. It also handles Ctrl-C and detects blocking calls. A world can add more preparations: the world of
threads instruments modules and patches primitives. Because these preparations take a while, many scenarios can share
one installation.
"""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from raddle import env
from raddle.engine.engine import Engine
from raddle.engine.pool import CarrierPool
from raddle.engine.world import World
from raddle.execute.debugging import debuggable
from raddle.execute.interrupts import Interrupts
from raddle.execute.watchdog import BUSY_FACTOR, Watchdog
from raddle.instrument import NotInstrumented
from raddle.instrument.inplace import live_functions
from raddle.observers.recorder import Recorder
from raddle.outcome import Outcome
from raddle.schedulers.calculus import Calculus
from raddle.site import SiteTable
from raddle.static_model import StaticModel
from raddle.step import Step

COLLECT_EVERY = 500  # executions between two runs of the garbage collector
INSTALLATIONS_TO_COLLECT = 32  # number of installations after which the garbage collector runs
_installations = itertools.count(1)


class Installation:
    """A context manager that prepares the process for controlled executions."""

    def __init__(
        self,
        world: World,
        calculus: Calculus,
        *,
        table: SiteTable | None = None,
        patience_seconds: float | None = 5.0,
        busy_factor: float = BUSY_FACTOR,
    ) -> None:
        self.world = world
        self.calculus = calculus
        self.table = SiteTable() if table is None else table
        self.not_instrumented: list[NotInstrumented] = []  # modules, and functions called by the last scenario
        self.watchdog = Watchdog(patience_seconds, busy_factor=busy_factor)
        self.interrupts = Interrupts()
        self.pool = CarrierPool()
        self.attached: Engine | None = None
        self._since_collection = 0
        self._frozen = False
        self._stack = ExitStack()
        self._entered = 0  # nesting depth, because a workbench and its sessions enter the same installation

    def __enter__(self) -> Installation:
        if self._entered:
            self._entered += 1
            return self
        with ExitStack() as stack:
            self._install(stack)
            self._disable_collector(stack)
            stack.enter_context(debuggable())
            stack.enter_context(self.interrupts)
            stack.enter_context(self.watchdog)
            stack.callback(self.pool.close)
            self._stack = stack.pop_all()
        self._entered = 1
        return self

    def _install(self, stack: ExitStack) -> None:
        """Install everything that the world needs; `stack` undoes the installation on exit."""

    def _disable_collector(self, stack: ExitStack) -> None:
        if gc.isenabled():
            gc.disable()
            stack.callback(gc.enable)
        if gc.get_freeze_count() <= env.MAX_FROZEN_AT_START:  # otherwise the program itself uses gc.freeze
            live_functions.freeze()  # so that collections do not scan the existing objects every time
            stack.callback(live_functions.unfreeze)
            self._frozen = True

    def __exit__(self, *exc: Any) -> None:
        self._entered -= 1
        if self._entered:
            return
        self._stack.close()
        # `gc.unfreeze` moves the frozen objects to the oldest generation, which the collector rarely scans on its own.
        if self._frozen and gc.isenabled() and next(_installations) % INSTALLATIONS_TO_COLLECT == 0:
            gc.collect()

    def leave_entirely(self) -> None:
        """Undo the installation no matter how often it has been entered, as in a forked child with native threads."""
        if self._entered:
            self._entered = 1
            self.__exit__()

    def begin(self) -> None:
        """Prepare for another scenario."""
        self.attached = None

    def model(self) -> StaticModel:
        """Return the static model of everything instrumented so far."""
        return StaticModel()

    def step_recorder(self, *, renewed: bool, all_accesses: bool = False) -> Recorder:
        """Return an observer that records steps for criteria.

        `renewed` means that a setup function runs before each execution. `all_accesses` means that the steps include
        accesses to variables without conflicts, as when calls run alone to find out what they access.
        """
        raise NotImplementedError(f"executions in {type(self.world).__name__} are not measured")

    def attach(self, engine: Engine, steps: list[Step] | None) -> None:
        """Run executions on this engine from now on; `steps` is the list to which probes append accesses, if any."""
        self._attach(engine, steps)
        self.attached = engine
        self.watchdog.engine = self.interrupts.engine = engine

    def execute(self, run: Callable[[], Outcome], *, profiled: bool, complete: bool) -> Outcome:
        """Call `run`, which runs one execution on the attached engine.

        `profiled` means that calls must be observed. `complete` means that the execution belongs to a complete search.
        """
        self._since_collection += 1
        if self._since_collection >= COLLECT_EVERY:
            self._since_collection = 0
            gc.collect()
            if self._frozen:  # the surviving objects will stay alive, so later collections need not scan them
                live_functions.freeze()
        return self._run(run, profiled=profiled, complete=complete)

    def _attach(self, engine: Engine, steps: list[Step] | None) -> None:
        """Connect the code under test to an engine."""

    def _run(self, run: Callable[[], Outcome], *, profiled: bool, complete: bool) -> Outcome:
        return run()
