"""The probe interface is frozen: instrumented code calls exactly these functions, with these arguments."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

from raddle import probe
from raddle.engine.engine import Engine
from raddle.engine.observer import Observer
from raddle.engine.points import GilPoints, KnownPoints, Points
from raddle.engine.step_limit import StepLimit
from raddle.native.function_table import FunctionTable
from raddle.native.ids.names import VariableNames
from raddle.native.ids.registry import EntityRegistry
from raddle.native.ids.variables import VariableNumbers
from raddle.native.probes import make_probes as make_native
from raddle.native.recorder import Recorder
from raddle.native.stream import Stream
from raddle.site import SiteTable
from raddle.threads.probes.probes import make_probes as make_controlled
from raddle.threads.world import ThreadWorld

FROZEN = {
    "read": "obj name site",
    "write": "value obj name site",
    "delete": "obj name site",
    "method": "obj name site",
    "getitem": "obj key site",
    "setitem": "value obj key site",
    "delitem": "obj key site",
    "contains": "key obj site",
    "iterate": "obj site",
    "content": "obj site",
    "inplace": "operation obj value site",
    "function": "called site",
    "cells": "",
    "read_name": "owner name site",
    "write_name": "value owner name site",
    "delete_name": "owner name site",
    "guard": "manager site",
    "enter": "site",
    "leave": "site",
    "block": "site",
}


def parameters(function: object) -> str:
    """Return the names of a function's parameters, after checking that they are positional and have no defaults."""
    found = inspect.signature(function).parameters.values()  # type: ignore[arg-type] # the function is callable
    assert all(item.kind is item.POSITIONAL_OR_KEYWORD and item.default is item.empty for item in found)
    return " ".join(item.name for item in found)


def test_the_plain_probes_have_the_frozen_names_and_parameters() -> None:
    assert {name: parameters(function) for name, function in probe.PLAIN.items()} == FROZEN


def test_probe_globals_returns_the_namespace_of_the_caller() -> None:
    assert probe.globals() is globals()


class Observing(Observer):
    """An observer that overrides `accessed`, so that the engine creates probes for accesses."""

    def accessed(self, *access: object) -> None: ...


def engine(points: Points, *observers: Observer) -> Engine:
    return Engine(ThreadWorld(), KnownPoints(), step_limit=StepLimit(100), points=points, observers=observers)


def test_the_controlled_probes_have_the_frozen_parameters() -> None:
    made = make_controlled(engine(Points(), Observing()))
    found = {name: parameters(function) for name, function in made.items()}
    assert found | {"cells": ""} == FROZEN  # controlled executions use the plain probe `cells`


def test_both_switch_models_have_the_same_probes() -> None:
    assert make_controlled(engine(GilPoints({1}))).keys() == make_controlled(engine(Points())).keys()


class Discarding:
    """A sink that discards all steps."""

    def begin(self, entities: object) -> None: ...

    def feed(self, steps: Sequence[object]) -> None: ...

    def end(self) -> None: ...


def test_the_native_probes_have_the_frozen_parameters() -> None:
    table = SiteTable("")
    registry = EntityRegistry(VariableNames(table))
    recorder = Recorder(registry, Stream(registry, Discarding))
    made = make_native(recorder, VariableNumbers(recorder, table), FunctionTable(table), lambda kind, name: False)
    assert {name: parameters(function) for name, function in made.items()} == FROZEN
