"""Binds a test case to probes, so that raddle sees the accesses of the calls that the test itself makes.

The exported test is instrumented source. Here, the same calls go through the same probes without generating source,
which is much faster. All calls of one kind share a site, because the sites of the test count for no criterion.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from raddle import probe
from raddle.generation import call_watch
from raddle.generation.expressions import Values
from raddle.generation.surface import MethodKind
from raddle.generation.testcase import SHARED, Call, TestCase
from raddle.instrument.rewrite import site_base
from raddle.linearizability.concurrent_calls import CallOn, ConcurrentCalls, Pause
from raddle.site import Site, SiteTable

FILE = "<generated test>"
_BASE = site_base(FILE, "")
_SITES = tuple(
    Site(FILE, number, 0, kind, kind, "test", switchable=True)
    for number, kind in enumerate(("method", "operator", "read", "with", "call", "write"), 1)
)
_METHOD, _OPERATOR, _READ, _WITH, _CALL, _WRITE = range(_BASE, _BASE + len(_SITES))


def add_sites(table: SiteTable) -> None:
    """Add the sites of generated tests to a table."""
    table.add(_BASE, _SITES, file=FILE, path=FILE)


def is_test_site(site: int) -> bool:
    """Return whether a site belongs to a generated test rather than to the code under test."""
    return _BASE <= site < _BASE + len(_SITES)


def _with_builtin(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: probe.function(function, _OPERATOR)(*values)


_list = _with_builtin(list)
# How a test calls a special method; the first argument is the receiver.
_OPERATORS: dict[str, Callable[..., Any]] = {
    "__len__": _with_builtin(len),
    "__iter__": _list,
    "__hash__": _with_builtin(hash),
    "__str__": _with_builtin(str),
    "__repr__": _with_builtin(repr),
    "__bool__": _with_builtin(bool),
    "__reversed__": lambda obj: list(reversed(obj)),
    "__next__": _with_builtin(next),
    "__getitem__": lambda obj, key: probe.getitem(obj, key, _OPERATOR),
    "__setitem__": lambda obj, key, value: probe.setitem(value, obj, key, _OPERATOR),
    "__delitem__": lambda obj, key: probe.delitem(obj, key, _OPERATOR),
    "__contains__": lambda obj, key: probe.contains(key, obj, _OPERATOR),
    "__eq__": lambda obj, other: probe.content(obj, _OPERATOR) == probe.content(other, _OPERATOR),
    "__ne__": lambda obj, other: probe.content(obj, _OPERATOR) != probe.content(other, _OPERATOR),
    "__lt__": lambda obj, other: probe.content(obj, _OPERATOR) < probe.content(other, _OPERATOR),
    "__call__": lambda obj, *values, **keywords: probe.function(obj, _OPERATOR)(*values, **keywords),
}
_NO_PAUSE = Pause()
OPERATORS = frozenset(_OPERATORS)  # the special methods that tests call


def bind(test: TestCase, *, folder: str = "") -> ConcurrentCalls:
    """Return the calls of a test case, ready to be run; `folder` is the folder for temporary paths.

    >>> from raddle.generation.expressions import Imported, Literal
    >>> from raddle.generation.surface import Method
    >>> counter = Imported("collections", "Counter")
    >>> new, update = Method("", MethodKind.CONSTRUCTOR, counter), Method("update", MethodKind.METHOD, counter)
    >>> calls = bind(TestCase((Call(new, result=SHARED),), ((Call(update, (Literal("aab"),)),),)))
    >>> shared = calls.setup()
    >>> calls.threads[0][0](shared), shared["a"]
    (None, 2)
    """
    pause = Pause()
    bound = _BoundTest(test, folder, pause)
    return ConcurrentCalls(
        bound.set_up,
        tuple(tuple(map(bound.call, thread)) for thread in test.threads),
        tuple(map(bound.call, test.observers)),
        pause=pause,
    )


class _BoundTest:
    """A test case with the variables of the running execution."""

    def __init__(self, test: TestCase, folder: str, pause: Pause) -> None:
        self._test = test
        self._folder = folder
        self._pause = pause
        self._values = Values()

    def set_up(self) -> Any:
        """Run the prefix; return the object under test."""
        values = self._values = Values(folder=self._folder)
        for number, call in enumerate(self._test.prefix):
            if number:
                self._pause.take()  # threads that earlier calls have started may run
            make(call, values)
        return values.variables[SHARED]

    def call(self, call: Call) -> CallOn:
        """Return a function that makes a call of the test."""
        return lambda shared: make(call, self._values, self._pause)


def make(call: Call, values: Values, pause: Pause = _NO_PAUSE) -> Any:
    """Make a call, assign its result to its variable, and return the result.

    Entering and leaving a context manager are two whole calls, so there is a pause in between.
    """
    watch = call_watch.current
    if watch is None:
        return _make_and_assign(call, values, pause)
    slot = watch.begin(call)
    try:
        result = _make_and_assign(call, values, pause)
    except BaseException as error:
        watch.end(slot, call, error)
        raise
    watch.end(slot, call, None)
    return result


def _make_and_assign(call: Call, values: Values, pause: Pause) -> Any:
    arguments = [values.of(argument) for argument in call.arguments]
    keywords = {name: values.of(value) for name, value in call.keywords}
    result = _make(call, values, arguments, keywords, pause)
    if call.consumed:
        result = _list(result)
    if call.result:
        values.variables[call.result] = result
    return result


def _make(call: Call, values: Values, arguments: list[Any], keywords: dict[str, Any], pause: Pause) -> Any:
    method = call.method
    match method.kind:
        case MethodKind.METHOD:
            return probe.method(values.variables[call.receiver], method.name, _METHOD)(*arguments, **keywords)
        case MethodKind.OPERATOR:
            return _OPERATORS[method.name](values.variables[call.receiver], *arguments, **keywords)
        case MethodKind.PROPERTY:
            return probe.read(values.variables[call.receiver], method.name, _READ)
        case MethodKind.ASSIGNMENT:
            return probe.write(arguments[0], values.variables[call.receiver], method.name, _WRITE)
        case MethodKind.CALLBACK:
            return values.received(method.name)
        case MethodKind.CONTEXT:
            receiver = values.variables[call.receiver]
            manager = probe.method(receiver, method.name, _METHOD)(*arguments, **keywords) if method.name else receiver
            with probe.guard(manager, _WITH):
                pause.take()
            return None
        case MethodKind.FUNCTION:
            return probe.function(method.owner.load(), _CALL)(*arguments, **keywords)
        case MethodKind.CONSTRUCTOR | MethodKind.STATIC:
            if method.name in ("", "__init__"):
                return probe.function(method.owner.load(), _CALL)(*arguments, **keywords)
            return probe.method(method.owner.load(), method.name, _METHOD)(*arguments, **keywords)
