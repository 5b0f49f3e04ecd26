"""The probes to attach while a program runs natively: each does what the source says, and then records one step.

The path of an access that was seen before is short: its number is looked up by the object's `id` and the name, and a
step is appended. `VariableNumbers` does everything else, at first sight. What the source does not say is found out by
way of `raddle.inspection`, so that no code of the program runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from raddle.native.function_table import FunctionTable
from raddle.native.ids.variables import VariableNumbers
from raddle.native.probes.attributes import Attributes
from raddle.native.probes.calls import Calls
from raddle.native.probes.contents import Contents
from raddle.native.probes.functions import FunctionProbes
from raddle.native.probes.methods import Methods
from raddle.native.probes.names import Cells, Names
from raddle.native.recorder import Recorder


def make_probes(
    recorder: Recorder,
    variable_numbers: VariableNumbers,
    functions: FunctionTable,
    is_primitive: Callable[[type, str], bool],
) -> dict[str, Callable[..., Any]]:
    """Return the probes, by name; `is_primitive` says which methods of which classes record steps of their own."""
    contents = Contents(recorder, variable_numbers)
    attributes = Attributes(recorder, variable_numbers, contents)
    calls = Calls(contents, attributes, variable_numbers)
    names = Names(recorder, variable_numbers)
    bodies = FunctionProbes(recorder, variable_numbers, functions, is_primitive)
    return {
        "read": attributes.read, "write": attributes.write, "delete": attributes.delete,
        "method": Methods(recorder, variable_numbers, contents, attributes, calls, is_primitive).method,
        "getitem": contents.getitem, "setitem": contents.setitem, "delitem": contents.delitem,
        "contains": contents.contains, "content": contents.content, "iterate": contents.iterate,
        "inplace": contents.inplace, "function": calls.function,
        "cells": Cells, "read_name": names.read_name, "write_name": names.write_name, "delete_name": names.delete_name,
        "guard": bodies.guard, "enter": bodies.enter, "leave": bodies.leave, "block": bodies.block,
    }  # fmt: skip
