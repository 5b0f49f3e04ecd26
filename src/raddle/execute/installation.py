"""An installation: everything in place to run code under control, and taken out again at the end.

Modules are instrumented, twins stand in for primitives, the garbage collector is held back (a destructor that runs at
another moment would make executions differ), and Ctrl-C and calls that block are watched for. That takes a while, so
many scenarios can be run on one installation.
"""

from __future__ import annotations

import gc
import itertools
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from raddle import env, probe
from raddle.engine.engine import Engine
from raddle.engine.pool import CarrierPool
from raddle.execute.callees import Callees, Monitoring, Profiling
from raddle.execute.debugging import debuggable
from raddle.execute.interrupts import Interrupts
from raddle.execute.quiet_teardown import silence
from raddle.execute.watchdog import Watchdog
from raddle.instrument import Hook, NotInstrumented, Selection, instrument_modules, probe_new_ones
from raddle.instrument.inplace import live_functions
from raddle.instrument.labels import naming_root
from raddle.instrument.owners import sites_in
from raddle.model import Model
from raddle.outcome import Outcome
from raddle.site import SiteTable
from raddle.step import Step
from raddle.threads.patches import Patches, replaced
from raddle.threads.probes.probes import make_probes
from raddle.threads.world import ThreadWorld

COLLECT_EVERY = 500  # executions between two runs of the garbage collector
INSTALLATIONS_TO_COLLECT = 32
_installations = itertools.count(1)


class Installation:
    """Puts everything in place while entered.

    There can be one at a time: the twins and the probes are those of the whole process.
    """

    def __init__(
        self, selection: Selection, *, blocks: bool = False, patience_seconds: float | None = 5.0
    ) -> None:  # fmt: skip
        self.selection = selection
        root = getattr(selection, "root", "")
        self.table = SiteTable(naming_root(root) if root else "")
        self.not_instrumented: list[NotInstrumented] = []  # modules, and what the threads of the last scenario call
        self.watchdog = Watchdog(patience_seconds)
        self.interrupts = Interrupts()
        self.world = ThreadWorld()
        self.pool = CarrierPool()
        self._blocks = blocks
        self._callees = Callees(selection, self.table, self.not_instrumented)
        self._profiling = Profiling(self._callees)
        self._modules_refused = 0  # how many entries of `not_instrumented` are modules
        self._attached: Engine | None = None
        self._since_collection = 0
        self._frozen = False
        self._model = Model()
        self._surveyed = -1  # how many sites the model knows
        self._stack = ExitStack()

    def __enter__(self) -> Installation:
        with ExitStack() as stack:
            hook = Hook(self.selection, self.table, blocks=self._blocks)
            undo = stack.enter_context(
                instrument_modules(hook.loaded(), self.table, replaced=replaced(), blocks=self._blocks)
            )
            stack.enter_context(hook)
            stack.callback(probe_new_ones(hook))
            self.not_instrumented += undo.not_instrumented
            self._modules_refused = len(self.not_instrumented)
            self._callees.made_at_run_time = undo.made_at_run_time
            patches = Patches().install(undo.functions, undo.holding)
            undo.holding = []  # these functions are not to be kept alive
            stack.callback(patches.remove)
            stack.callback(setattr, threading, "_counter", threading._counter)  # type: ignore[attr-defined]
            stack.callback(probe.detach)
            self._hold_back_collector(stack)
            if env.HAS_MONITORING:
                stack.enter_context(Monitoring(self._callees))
            stack.enter_context(silence())
            stack.enter_context(debuggable())
            stack.enter_context(self.interrupts)
            stack.enter_context(self.watchdog)
            self.world.spawned = self._callees.spawned
            self.world.sites_in = lambda function: sites_in(self.table, function)
            stack.callback(self.pool.close)
            self._stack = stack.pop_all()
        return self

    def _hold_back_collector(self, stack: ExitStack) -> None:
        if gc.isenabled():
            gc.disable()
            stack.callback(gc.enable)
        if gc.get_freeze_count() <= env.MOST_FROZEN_AT_START:  # else the program wants its objects to stay frozen
            live_functions.freeze()  # what is there already need not be looked through every time
            stack.callback(gc.unfreeze)
            self._frozen = True

    def __exit__(self, *exc: Any) -> None:
        self._stack.close()
        # Frozen objects count as old, and the collector waits much longer before it looks at old objects.
        if self._frozen and gc.isenabled() and next(_installations) % INSTALLATIONS_TO_COLLECT == 0:
            gc.collect()

    def begin(self) -> None:
        """Begin another scenario: forget which functions without probes the threads of the last one called."""
        self._attached = None
        del self.not_instrumented[self._modules_refused :]
        self._callees.forget()

    def model(self) -> Model:
        """Return the static model of everything instrumented so far."""
        if self._surveyed != len(self.table):
            self._surveyed = len(self.table)
            from raddle.instrument.survey import survey_table

            model = survey_table(self.table)
            # What modules do at import was done before, and is not measured.
            blocks = frozenset(site for site in model.blocks if self.table[site].function != "<module>")
            self._model = replace(model, blocks=blocks)
        return self._model

    def execute(
        self, engine: Engine, run: Callable[[], Outcome], *, steps: list[Step] | None, profiled: bool, complete: bool
    ) -> Outcome:
        """Call `run`, which runs one execution on the engine; `steps` is where probes append accesses, if anywhere.

        `profiled`: observe the callees in any case. `complete`: the execution belongs to a complete search.
        """
        if self._attached is not engine:
            probe.attach(make_probes(engine, steps))
            self._attached = engine
            self.watchdog.engine = self.interrupts.engine = engine
        self._since_collection += 1
        if self._since_collection >= COLLECT_EVERY:
            self._since_collection = 0
            gc.collect()
            if self._frozen:  # what has been found out by now stays, and need not be looked through again
                live_functions.freeze()
        if env.HAS_MONITORING or not (profiled or self._profiling.wants(complete=complete)):
            return run()
        return self._profiling.run(run)
