"""The installation of the world of threads: modules are instrumented, and twins stand in for primitives."""

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
    """Scenarios of Python threads."""

    default_criteria = DEFAULT

    selection: Selection  # the modules to instrument
    blocks: bool = False  # whether to count basic blocks
    patience_seconds: float | None = 5.0  # how long a thread may be blocked outside of raddle's control; None: for ever
    methods: int = METHODS  # the number of methods that tell threads apart

    def install(self) -> ThreadInstallation:
        """Return an installation, which is put in place when it is entered."""
        return ThreadInstallation(self)

    def table(self) -> SiteTable:
        """Return an empty table of sites, which names files as an installation does."""
        return SiteTable(naming_root(self.selection.root))


class ThreadInstallation(Installation):
    """Runs Python threads under control while entered.

    There can be one at a time: the twins and the probes are those of the whole process.
    """

    world: ThreadWorld

    def __init__(self, threads: Threads) -> None:
        super().__init__(
            ThreadWorld(), ThreadCalculus(), table=threads.table(), patience_seconds=threads.patience_seconds
        )
        self._threads = threads
        self._callees = Callees(threads.selection, self.table, self.not_instrumented)
        self._profiling = Profiling(self._callees)
        self._modules_refused = 0  # how many entries of `not_instrumented` are modules
        self._model = StaticModel()
        self._surveyed = -1  # how many sites the model knows

    def _install(self, stack: ExitStack) -> None:
        hook = Hook(self._threads.selection, self.table, blocks=self._threads.blocks)
        undo = stack.enter_context(
            instrument_modules(hook.loaded(), self.table, replaced=ids_with_twins(), blocks=self._threads.blocks)
        )
        stack.enter_context(hook)
        stack.callback(probe_new_dataclasses(hook))
        self.not_instrumented += undo.not_instrumented
        self._modules_refused = len(self.not_instrumented)
        self._callees.made_at_run_time = undo.made_at_run_time
        patches = Patches().install(undo.functions, undo.defaults_holders)
        undo.defaults_holders = []  # these functions are not to be kept alive
        stack.callback(patches.remove)
        stack.callback(setattr, threading, "_counter", threading._counter)  # type: ignore[attr-defined]
        stack.callback(probe.detach)
        if env.HAS_MONITORING:
            stack.enter_context(Monitoring(self._callees))
        stack.enter_context(silence())
        self.world.spawned = self._callees.spawned
        self.world.sites_in = lambda function: sites_in(self.table, function)

    def begin(self) -> None:
        """Begin another scenario: forget which functions without probes the threads of the last one called."""
        super().begin()
        del self.not_instrumented[self._modules_refused :]
        self._callees.forget()

    def model(self) -> StaticModel:
        if self._surveyed != len(self.table):
            self._surveyed = len(self.table)
            from raddle.instrument.model.survey import survey_table

            model = survey_table(self.table)
            # What modules do at import was done before, and is not measured.
            blocks = frozenset(site for site in model.blocks if self.table[site].function != "<module>")
            self._model = replace(model, blocks=blocks)
        return self._model

    def step_recorder(self, *, renewed: bool) -> Recorder:
        from raddle.observers.identities import (
            Identities,  # not needed unless something is measured, and slow to import
        )
        from raddle.observers.steps import StepRecorder

        identities = Identities(self.table, self.model, renewed=renewed)
        return StepRecorder(identities, self.table, methods=self._threads.methods)

    def _attach(self, engine: Engine, steps: list[Step] | None) -> None:
        probe.attach(make_probes(engine, steps))

    def _run(self, run: Callable[[], Outcome], *, profiled: bool, complete: bool) -> Outcome:
        if env.HAS_MONITORING or not (profiled or self._profiling.wants(complete=complete)):
            return run()
        return self._profiling.run(run)
