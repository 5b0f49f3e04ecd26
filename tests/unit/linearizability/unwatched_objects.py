"""Base classes of the classes that the tests of linearizability check. They are not instrumented."""

from __future__ import annotations


class PlainRegistry:
    def __init__(self):
        self.values = {}

    def has(self, key):
        return key in self.values

    def put(self, key, value):
        self.values[key] = value

    def get(self, key):
        return self.values[key]
