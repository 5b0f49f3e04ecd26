"""The probes of native runs. Each probe performs the operation that the source contains, then records one step.

An access to a known variable takes a fast path: the probe looks up the variable's number by the object's `id` and the
variable's name, and appends a step. When a variable is first seen, `VariableNumbers` assigns its number. Objects are
examined through `raddle.inspection`, which runs no code of the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from raddle.native.function_table import FunctionTable
from raddle.native.ids.variables import VariableNumbers
from raddle.native.probes.attributes import AttributeProbes
from raddle.native.probes.calls import CallProbes
from raddle.native.probes.contents import ContentProbes
from raddle.native.probes.functions import FunctionProbes
from raddle.native.probes.methods import MethodProbes
from raddle.native.probes.names import ClosureCells, NameProbes
from raddle.native.recorder import Recorder


def make_probes(
    recorder: Recorder,
    variable_numbers: VariableNumbers,
    functions: FunctionTable,
    is_primitive: Callable[[type, str], bool],
) -> dict[str, Callable[..., Any]]:
    """Return the probes by name. `is_primitive(cls, name)` is true for methods that record their own steps."""
    contents = ContentProbes(recorder, variable_numbers)
    attributes = AttributeProbes(recorder, variable_numbers, contents)
    calls = CallProbes(contents, attributes, variable_numbers)
    names = NameProbes(recorder, variable_numbers)
    bodies = FunctionProbes(recorder, variable_numbers, functions, is_primitive)
    return {
        "read": attributes.read, "write": attributes.write, "delete": attributes.delete,
        "method": MethodProbes(recorder, variable_numbers, contents, attributes, calls, is_primitive).method,
        "getitem": contents.getitem, "setitem": contents.setitem, "delitem": contents.delitem,
        "contains": contents.contains, "content": contents.content, "iterate": contents.iterate,
        "inplace": contents.inplace, "function": calls.function,
        "cells": ClosureCells,
        "read_name": names.read_name, "write_name": names.write_name, "delete_name": names.delete_name,
        "guard": bodies.guard, "enter": bodies.enter, "leave": bodies.leave, "block": bodies.block,
    }  # fmt: skip
