"""Pools with given values, for tests of observers."""

from __future__ import annotations

from raddle.generation.expressions import Literal
from raddle.generation.testcase import Call


class FakePools:
    """The values of each parameter, by its name. All parameters without a default value are required."""

    def __init__(self, **values):
        self._values = values

    def required(self, method):
        return [parameter for parameter in method.parameters if parameter.required]

    def pool(self, method, parameter):
        return tuple(map(Literal, self._values.get(parameter.name, ())))

    def call_with(self, method, values):
        return Call(method, tuple(values.values()))
