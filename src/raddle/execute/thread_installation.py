"""The installation for threads: instruments modules and replaces primitives with twins."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace

from raddle import env, probe
from raddle.criteria import DEFAULT
from raddle.engine.engine import Engine
from raddle.entities import METHODS
from raddle.execute.callees import Callees, Monitoring, Profiling
from raddle.execute.domain import Domain
from raddle.execute.installation import Installation
from raddle.execute.quiet_teardown import silence
from raddle.execute.watchdog import BUSY_FACTOR
from raddle.instrument import Hook, Selection, instrument_modules, probe_new_dataclasses
from raddle.instrument.labels import naming_root
from raddle.instrument.model.owners import sites_in
from raddle.observers.recorder import Recorder
from raddle.outcome import Outcome
from raddle.site import SiteTable
from raddle.static_model import StaticModel
from raddle.step import Step
from raddle.threads.calculus import ThreadCalculus
from raddle.threads.patches import Patches, ids_with_twins
from raddle.threads.probes.probes import make_probes
from raddle.threads.world import ThreadWorld


@dataclass(frozen=True, slots=True)
class Threads(Domain):
    """The domain of scenarios with Python threads."""

    default_criteria = DEFAULT

    selection: Selection  # the modules to instrument
    blocks: bool = False  # True to record basic blocks
    patience_seconds: float | None = 5.0  # how long a thread may block outside raddle's control; None if unlimited
    busy_factor: float = BUSY_FACTOR  # how many times as long it may compute without reaching a scheduling point
    methods: int = METHODS  # threads are distinguished by this many of the methods they run first

    def install(self) -> ThreadInstallation:
        """Return an installation, which takes effect when it is entered."""
        return ThreadInstallation(self)

    def table(self) -> SiteTable:
        """Return an empty site table that names files in the same way as an installation."""
        return SiteTable(naming_root(self.selection.root))


class ThreadInstallation(Installation):
    """A context manager that prepares the process for controlled executions with Python threads.

    Only one can be active at a time, because twins and probes affect the whole process.
    """

    world: ThreadWorld

    def __init__(self, threads: Threads) -> None:
        super().__init__(
            ThreadWorld(), ThreadCalculus(), table=threads.table(), patience_seconds=threads.patience_seconds,
            busy_factor=threads.busy_factor,
        )  # fmt: skip
        self._threads = threads
        self._callees = Callees(threads.selection, self.table, self.not_instrumented)
        self._profiling = Profiling(self._callees)
        self._module_entries = 0  # number of entries in `not_instrumented` that are modules
        self._model = StaticModel()
        self._surveyed = -1  # number of sites that the model covers

    def _install(self, stack: ExitStack) -> None:
        hook = Hook(self._threads.selection, self.table, blocks=self._threads.blocks)
        undo = stack.enter_context(
            instrument_modules(hook.loaded(), self.table, replaced=ids_with_twins(), blocks=self._threads.blocks)
        )
        stack.enter_context(hook)
        stack.callback(probe_new_dataclasses(hook))
        self.not_instrumented += undo.not_instrumented
        self._module_entries = len(self.not_instrumented)
        self._callees.made_at_run_time = undo.made_at_run_time
        patches = Patches().install(undo.functions, undo.defaults_holders)
        undo.defaults_holders = []  # drop the references, so that the functions are not kept alive
        stack.callback(patches.remove)
        stack.callback(setattr, threading, "_counter", threading._counter)  # type: ignore[attr-defined]
        stack.callback(probe.detach)
        if env.HAS_MONITORING:
            stack.enter_context(Monitoring(self._callees))
        stack.enter_context(silence())
        self.world.spawned = self._callees.spawned
        self.world.sites_in = lambda function: sites_in(self.table, function)

    def begin(self) -> None:
        """Prepare for another scenario: forget the functions without probes that threads called in the last one."""
        super().begin()
        del self.not_instrumented[self._module_entries :]
        self._callees.forget()

    def model(self) -> StaticModel:
        if self._surveyed != len(self.table):
            self._surveyed = len(self.table)
            from raddle.instrument.model.survey import survey_table

            model = survey_table(self.table)
            # Modules were imported before the execution, so their top-level blocks are not measured.
            blocks = frozenset(site for site in model.blocks if self.table[site].function != "<module>")
            self._model = replace(model, blocks=blocks)
        return self._model

    def step_recorder(self, *, renewed: bool, all_accesses: bool = False) -> Recorder:
        from raddle.observers.identities import (
            Identities,  # slow to import, and needed only for measurements
        )
        from raddle.observers.steps import StepRecorder

        identities = Identities(self.table, self.model, renewed=renewed)
        return StepRecorder(identities, self.table, methods=self._threads.methods, all_accesses=all_accesses)

    def _attach(self, engine: Engine, steps: list[Step] | None) -> None:
        probe.attach(make_probes(engine, steps))

    def _run(self, run: Callable[[], Outcome], *, profiled: bool, complete: bool) -> Outcome:
        if env.HAS_MONITORING or not (profiled or self._profiling.wants(complete=complete)):
            return run()
        return self._profiling.run(run)
