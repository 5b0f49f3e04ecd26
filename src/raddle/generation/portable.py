"""Copies of tests and bugs that can be sent to another process.

Type hints, default values and results of calls can be arbitrary objects, which may not be picklable. The copies leave
them out: nothing that is done with a test once it has been found depends on them.
"""

from __future__ import annotations

from dataclasses import replace

from raddle.engine.points import KnownPoints
from raddle.generation.bug import Bug
from raddle.generation.surface import Method, Parameter
from raddle.generation.testcase import Call, TestCase
from raddle.linearizability.checker import Failure
from raddle.linearizability.history import Ending, EndingKind, History
from raddle.linearizability.judgment import Violation


def portable_call(call: Call) -> Call:
    """Return a copy of a call.

    >>> from raddle.generation.expressions import Imported
    >>> from raddle.generation.surface import MethodKind
    >>> lock = Parameter("lock", Parameter.__init__.__code__.co_argcount, hint=object(), default=object())
    >>> call = Call(Method("", MethodKind.CONSTRUCTOR, Imported("shop", "Cart"), (lock,)))
    >>> portable_call(call).method.parameters[0].default, portable_call(call) == call
    (None, True)
    """
    return replace(call, method=_portable_method(call.method))


def _portable_method(method: Method) -> Method:
    return replace(method, parameters=tuple(map(_portable_parameter, method.parameters)))


def _portable_parameter(parameter: Parameter) -> Parameter:
    empty = Parameter("", parameter.kind)
    default = empty.default if parameter.default is empty.default else None
    return Parameter(parameter.name, parameter.kind, default=default)


def portable_test(test: TestCase) -> TestCase:
    """Return a copy of a test."""
    return TestCase(
        tuple(map(portable_call, test.prefix)),
        tuple(tuple(map(portable_call, thread)) for thread in test.threads),
        tuple(map(portable_call, test.observers)),
    )


def portable_violation(violation: Violation) -> Violation:
    """Return a copy of a violation, without the results of calls."""
    history = violation.history
    threads = tuple(tuple(map(_portable_ending, endings)) for endings in history.threads)
    observed = tuple(map(_portable_ending, history.observed))
    portable = History(threads, observed, history.broken, history.escaped)
    return Violation(violation.oracle, portable, violation.calls, violation.escaped)


def _portable_ending(ending: Ending) -> Ending:
    return Ending(ending.kind) if ending.kind is EndingKind.RETURNED else ending


def portable_bug(bug: Bug) -> Bug:
    """Return a copy of a bug, without the exception and the decisions of the failing execution."""
    violation = portable_violation(bug.violation)
    return replace(
        bug,
        test=portable_test(bug.test),
        violation=violation,
        original=portable_test(bug.original),
        failure=Failure(violation, None, (), KnownPoints()),
    )
