"""The watch: installs the hooks, patches and probes that record a process, and removes them again."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from raddle import probe
from raddle.entities import METHODS
from raddle.instrument import NotInstrumented, instrument_modules
from raddle.instrument.compiled import expose_probes
from raddle.instrument.hook import Select
from raddle.native.function_table import FunctionTable
from raddle.native.ids.names import VariableNames
from raddle.native.ids.registry import EntityRegistry
from raddle.native.ids.variables import VariableNumbers
from raddle.native.import_hook import WatchImportHook
from raddle.native.noise import LEARNING_STEPS, Disturbance, Noise
from raddle.native.patch import Patches, is_primitive
from raddle.native.probes import make_probes
from raddle.native.recorder import Recorder
from raddle.native.stream import MAX_STEPS, Sink, Stream
from raddle.native.suspension import MODULE, Suspension
from raddle.site import SiteTable


class Watch:
    """Records the process from `start` to `stop`. Only one watch is active at a time."""

    def __init__(
        self,
        selection: Select,
        make_sink: Callable[[VariableNames], Sink],
        *,
        noises: Sequence[Noise] = (),
        seed: int = 1,
        blocks: bool = False,
        methods: int = METHODS,
        max_steps: int | None = None,
        root: str = "",
        table: SiteTable | None = None,  # that of an earlier watch, whose probes are still in the modules
    ) -> None:
        self.table = SiteTable(root) if table is None else table
        self.names = VariableNames(self.table)
        self._blocks = blocks
        disturbance = Disturbance(noises, seed=seed)
        if max_steps is None:
            max_steps = LEARNING_STEPS if disturbance.needs_steps else MAX_STEPS
        registry = EntityRegistry(self.names, methods=methods)
        self.stream = Stream(registry, lambda: make_sink(self.names), max_steps=max_steps)
        self.recorder = Recorder(registry, self.stream)
        self._variable_numbers = VariableNumbers(self.recorder, self.table)
        self._patches = Patches(self.recorder)
        self.hook = WatchImportHook(selection, self.table, blocks=blocks)
        self._probes = make_probes(self.recorder, self._variable_numbers, FunctionTable(self.table), is_primitive)
        self._disturbance = disturbance
        if noises:
            self._probes = disturbance.noisy(self._probes, lambda: self.recorder.local.thread)
            self.recorder.disturb = disturbance.at_lock
            self.stream.learn = disturbance.learn if disturbance.needs_steps else None
        self._suspension = Suspension(self.table, self._patches.twins, self.suspend, self.resume)
        self._not_instrumented: list[NotInstrumented] = []
        self.active = False
        self._suspended = False
        self._owner = os.getpid()

    def start(self) -> Watch:
        """Instrument the modules that are already imported, install all hooks, and start recording."""
        self._not_instrumented += instrument_modules(self.hook.loaded(), self.table, blocks=self._blocks).all_refused
        expose_probes({})  # needed for the main script even if no module was instrumented
        self.hook.install()
        self.hook.on_import(MODULE, self._suspension.patch_installation)
        self._patches.install()
        self._variable_numbers.objects.attach()
        probe.attach(self._probes)
        self.active = True
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)
        return self

    def suspend(self) -> None:
        """Pause recording and remove all hooks, patches and probes."""
        self._suspended = True
        self.stream.recording = False
        probe.detach()
        self._patches.remove()
        self.hook.detach()

    def resume(self) -> None:
        """Continue recording after `suspend`."""
        self.hook.reattach()
        self._patches.install()
        probe.attach(self._probes)
        self.stream.recording = self.stream.error is None
        self._suspended = False

    def stop(self) -> None:
        """Flush the remaining steps and remove all hooks; the probes of instrumented modules become no-ops."""
        if self.active:
            self.recorder.end_thread()
            self.abandon()
            self.stream.end()

    def abandon(self) -> None:
        """Stop without flushing the recorded steps."""
        self.active = False
        self.suspend()
        self.hook()
        self._suspension.end()
        self._variable_numbers.objects.detach()
        self._disturbance.end()

    @property
    def is_child(self) -> bool:
        """Whether this process was forked from the process that created the watch."""
        return os.getpid() != self._owner

    @property
    def not_instrumented(self) -> list[NotInstrumented]:
        return [*self._not_instrumented, *self.hook.not_instrumented]

    def _forked(self) -> None:
        """Discard the recorded steps in a forked child, since the parent reports them."""
        if self._suspended:
            self.active = False  # the child runs a controlled execution, which is measured without the watch
        elif self.active:
            self._variable_numbers.reset_after_fork()
            self.recorder.reset_after_fork()
