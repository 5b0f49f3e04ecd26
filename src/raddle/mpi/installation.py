"""The installation for ranks, and the domain of scenarios with ranks."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from raddle.engine.carrier import Carrier, getcurrent
from raddle.execute.domain import Domain
from raddle.execute.installation import Installation
from raddle.mpi import exit_functions
from raddle.mpi.calculus import MpiCalculus
from raddle.mpi.graph_of_script import NodeCompiler, add_sites, graph_of
from raddle.mpi.input import InputLines
from raddle.mpi.isolation import Isolation
from raddle.mpi.library.module import mpi_modules
from raddle.mpi.library.refusal import RefusingFinder, refuse
from raddle.mpi.operations import PASS_TIME
from raddle.mpi.options import DEFAULT_OPTIONS, MpiOptions
from raddle.mpi.output import RankStream
from raddle.mpi.point_to_point import resume
from raddle.mpi.program import CodeCache, ProgramFinder, Script, run_script
from raddle.mpi.recorder import ElementRecorder
from raddle.mpi.world import MpiWorld
from raddle.observers.recorder import Recorder
from raddle.operation import SLEEP
from raddle.pcfg.coverage import CoverageOfExecutions
from raddle.pcfg.elements import Element
from raddle.pcfg.graph import Options as GraphOptions
from raddle.pcfg.graph import Pcfg
from raddle.static_model import StaticModel
from raddle.threads.twins.time import NAMES

BUSY_FACTOR = 3.0  # how many times its patience raddle waits for a rank that computes without calling MPI


@dataclass(frozen=True)
class Ranks(Domain):
    """The domain of scenarios with `size` ranks.

    If `script` is given, each rank executes that file.
    """

    size: int
    options: MpiOptions = DEFAULT_OPTIONS
    script: Script | None = None
    seed: int = 1  # for the module `random` of each rank
    input_lines: InputLines | None = field(default=None, compare=False)  # for rank 0
    patience_seconds: float | None = 5.0  # how long a rank may block outside raddle's control
    criteria: tuple[str, ...] = ()  # the structural criteria to measure
    graph: GraphOptions | None = None  # how the graph of the script is built; None if nothing is measured

    def install(self) -> MpiInstallation:
        return MpiInstallation(self)


class MpiInstallation(Installation):
    """A context manager that prepares the process for controlled executions with ranks."""

    world: MpiWorld

    def __init__(self, ranks: Ranks) -> None:
        world = MpiWorld(ranks.size, ranks.options, ranks.input_lines)
        super().__init__(
            world,
            MpiCalculus(ranks.size, ranks.options.polls),
            patience_seconds=ranks.patience_seconds,
            busy_factor=BUSY_FACTOR,
        )
        self._ranks = ranks
        self._codes = CodeCache()
        self._graph: Pcfg | None = None
        script = ranks.script
        if script is not None:
            self.table.root = script.folder  # so that files in subfolders have different names
        if script is not None and ranks.graph is not None:
            self._graph = graph_of(script, ranks.graph)
            for source in self._graph.sources:
                add_sites(self.table, source, os.path.join(script.folder, source.file))
            self._codes = CodeCache(NodeCompiler(script.folder, self.table))

    def model(self) -> StaticModel:
        return StaticModel() if self._graph is None else StaticModel(graphs=(self._graph,))

    def step_recorder(self, *, renewed: bool, all_accesses: bool = False) -> Recorder:
        if self._graph is None:
            return super().step_recorder(renewed=renewed, all_accesses=all_accesses)
        wanted = [Element(name) for name in self._ranks.criteria]
        return ElementRecorder(self.world, CoverageOfExecutions(self._graph, wanted))

    def _install(self, stack: ExitStack) -> None:
        world = self.world
        modules: dict[str, Any] = dict(mpi_modules())
        _replace_items(stack, sys.modules, modules)
        stream = RankStream(lambda: world.running_rank, lambda: world.output)
        for name in ("stdout", "stderr"):
            _replace(stack, sys, name, stream)
        _replace(stack, sys, "stdin", world.input)
        for function in (exit_functions.register, exit_functions.unregister):
            _replace(stack, atexit, function.__name__, function)
        for real, twin in NAMES.items():
            _replace(stack, time, real.__name__, _sleep if real.__name__ == "sleep" else twin)
        _replace(stack, threading.Thread, "start", _start_outside_ranks)
        refusing = RefusingFinder()
        sys.meta_path.insert(0, refusing)
        stack.callback(sys.meta_path.remove, refusing)
        script = self._ranks.script
        if script is not None:
            isolation = Isolation(script, self._ranks.size, self._ranks.seed)
            isolation.install(stack.callback)
            world.begun, world.switched = isolation.begin, isolation.switched
            world.used_random = isolation.used_random
            finder = ProgramFinder(script.folder, self._codes)
            sys.meta_path.insert(0, finder)
            stack.callback(sys.meta_path.remove, finder)
            sys.path.insert(0, script.folder)
            stack.callback(sys.path.remove, script.folder)

    def scenario(self, program: Callable[[int], object] | None = None) -> Callable[[], None]:
        """Return the scenario in which all ranks call `program`, or execute the script."""
        if program is not None:
            return lambda: self.world.run(program)
        script = self._ranks.script
        assert script is not None
        return lambda: self.world.run(lambda rank: run_script(script, self._codes))


_start = threading.Thread.start


def _start_outside_ranks(thread: threading.Thread) -> None:
    """Start a thread unless the caller is a rank: raddle could not tell to which rank the thread belongs."""
    if isinstance(getcurrent(), Carrier):
        refuse("threads inside ranks (Thread.start)")
    _start(thread)


_real_sleep = time.sleep


def _sleep(seconds: float) -> None:
    """Let virtual time pass if the caller is a rank.

    Other ranks may continue, but a sleep orders nothing: a message that another rank has sent in the meantime may still
    be under way. So the rank need not wait until all others are blocked.
    """
    me = getcurrent()
    if not isinstance(me, Carrier):
        _real_sleep(seconds)
        return
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    me.engine.operate(me, SLEEP, None)
    me.engine.clock.now += seconds
    resume(me)
    world = me.engine.world
    assert isinstance(world, MpiWorld)
    world.exchange.record(me.own.number, PASS_TIME, None)


def _replace(stack: ExitStack, owner: object, name: str, value: object) -> None:
    """Set an attribute until the stack is closed."""
    stack.callback(setattr, owner, name, getattr(owner, name))
    setattr(owner, name, value)


def _replace_items(stack: ExitStack, items: dict[str, Any], new: dict[str, Any]) -> None:
    """Set items of a dictionary until the stack is closed."""
    kept = {name: items[name] for name in new if name in items}

    def restore() -> None:
        for name in new:
            items.pop(name, None)
        items.update(kept)

    stack.callback(restore)
    items.update(new)
