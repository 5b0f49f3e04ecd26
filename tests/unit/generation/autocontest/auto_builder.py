"""A builder of sequences for tests: the surface, the calls and their order are given."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from raddle.execute.thread_installation import Threads
from raddle.exploring.workbench import Workbench
from raddle.generation.binding import add_sites
from raddle.generation.expressions import Expression, Imported, Literal
from raddle.generation.strategy import Observed, Prefix
from raddle.generation.surface import Method, MethodKind, Surface
from raddle.generation.testcase import SHARED, Call
from raddle.instrument import Selection


def workbench_for(*modules: str) -> Workbench:
    """Return a workbench that instruments these modules; the caller enters it."""
    workbench = Workbench(Threads(Selection(sources=modules)))
    add_sites(workbench.installation.table)
    return workbench


class Subject:
    """Makes calls of one class."""

    def __init__(self, module: str, name: str) -> None:
        self.cls = Imported(module, name)

    def new(self, *arguments: Expression) -> Call:
        return Call(Method("", MethodKind.CONSTRUCTOR, self.cls), arguments, result=SHARED)

    def call(self, name: str, *values: Any) -> Call:
        """Return a call of a method; values that are no expressions become literals."""
        operator = name.startswith("__")
        method = Method(name, MethodKind.OPERATOR if operator else MethodKind.METHOD, self.cls)
        return Call(method, tuple(v if isinstance(v, Expression) else Literal(v) for v in values))

    def attribute(self, name: str) -> Call:
        return Call(Method(name, MethodKind.PROPERTY, self.cls))


class GivenCalls:
    """A `SequenceBuilder` whose sequences start with one prefix and are extended with the given calls."""

    def __init__(
        self,
        workbench: Workbench,
        prefix: Sequence[Call],
        edges: Sequence[Call],
        *,
        seed: int = 1,
    ) -> None:
        self.workbench = workbench
        self.random = Random(seed)
        self.reset = None
        self.folder = ""
        self.global_ids: frozenset[int] = frozenset()
        self._prefix = Prefix(tuple(prefix), {})
        self._edges = tuple(edges)
        methods = tuple(dict.fromkeys(call.method for call in edges))
        self.surface = Surface(prefix[0].method.owner, (prefix[0].method,), methods)

    def prefix(self, *, max_calls: int = 5) -> Prefix | None:
        return self._prefix

    def call(self, prefix: Prefix, method: Method) -> Call | None:
        return next((call for call in self._edges if call.method == method), None)

    def observe(self, prefix: Prefix, calls: Sequence[Call]) -> Observed | None:
        raise NotImplementedError

    def edges(self, prefix: Prefix) -> Sequence[Call]:
        return self._edges
