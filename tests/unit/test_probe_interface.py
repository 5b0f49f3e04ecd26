"""The interface of the probes is frozen: instrumented code calls exactly these functions, with these arguments."""

from __future__ import annotations

import inspect

from raddle import probe

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
    """The names of a function's parameters, all of which can be given by position."""
    found = inspect.signature(function).parameters.values()  # type: ignore[arg-type] # it can be called
    assert all(one.kind is one.POSITIONAL_OR_KEYWORD and one.default is one.empty for one in found)
    return " ".join(one.name for one in found)


def test_the_names_and_parameters_of_the_plain_probes() -> None:
    assert {name: parameters(function) for name, function in probe.PLAIN.items()} == FROZEN


def test_the_namespace_of_instrumented_code_is_that_of_the_caller() -> None:
    assert probe.globals() is globals()
