"""Shrinks a failing test: fewer calls, simpler calls, simpler arguments.

    shrink_test(test, fails, tries=...) -> TestCase

As for schedules (see `raddle.guide.shrink`), shrinking is defined by a value, a predicate and an order. The value is a
`TestCase`, the predicate says whether a test still fails in the same way (the same oracle, the same exception, raised
in the same function), and `rank` is the order. A test that cannot be run does not fail. Nothing is random, so the same
test always shrinks to the same test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from raddle.generation.callbacks import callbacks_in
from raddle.generation.expressions import (
    Callback,
    Container,
    Expression,
    Literal,
    New,
    Stub,
    Variable,
    renamed,
)
from raddle.generation.surface import Method, MethodKind
from raddle.generation.testcase import SHARED, Call, TestCase

MAX_TRIES = 80  # maximum number of calls of the predicate

T = TypeVar("T")
Fails = Callable[[TestCase], bool]


def shrink_test(
    test: TestCase, fails: Fails, *, constructors: Sequence[Method] = (), tries: int = MAX_TRIES
) -> TestCase:
    """Return the simplest test found for which `fails` is true, or the given test if none is simpler.

    `constructors` are further constructors of the class, which are tried without arguments.
    """
    return _Shrinker(test, fails, tuple(constructors), tries).shrink()


def rank(test: TestCase) -> tuple[object, ...]:
    """Return the rank of a test. Of two tests, the one with the smaller rank is simpler."""
    parts = [part for call in test.calls() for value in _expressions(call) for part in _weighed(value)]
    return *test.size, sum(weight for weight, _ in parts), tuple(parts)


def is_closed(test: TestCase) -> bool:
    """Return whether every variable is assigned before it is used."""
    known: set[str] = set()
    for call in test.prefix:
        if not _can_be_made(call, known):
            return False
        known |= {call.result} - {""}
    if SHARED not in known:
        return False
    for thread in test.threads:
        own = set(known)
        for call in thread:
            if not _can_be_made(call, own):
                return False
            own |= {call.result} - {""}
    return all(_can_be_made(call, known) for call in test.observers)


def without_unused_results(test: TestCase) -> TestCase:
    """Return the test without variables that no call uses, and without observers of callbacks that it does not pass."""
    passed = {callback.name for call in test.calls() for callback in callbacks_in(call)}
    test = replace(test, observers=tuple(call for call in test.observers if _is_useful(call, passed)))
    used = {SHARED}.union(*(call.variables | {call.receiver} for call in test.calls()))

    def tidy(calls: tuple[Call, ...]) -> tuple[Call, ...]:
        return tuple(call if call.result in used else replace(call, result="") for call in calls)

    return TestCase(tidy(test.prefix), tuple(map(tidy, test.threads)), tidy(test.observers))


def _is_useful(observer: Call, callbacks: set[str]) -> bool:
    return observer.method.kind is not MethodKind.CALLBACK or observer.method.name in callbacks


def _can_be_made(call: Call, known: set[str]) -> bool:
    receiver = (call.receiver,) if call.method.kind.has_receiver else ()
    return call.variables.union(receiver) <= known


class _Shrinker:
    """Shrinks one test."""

    def __init__(self, test: TestCase, fails: Fails, constructors: tuple[Method, ...], tries: int) -> None:
        self._best = without_unused_results(test)
        self._rank = rank(self._best)
        self._fails = fails
        self._constructors = constructors
        self._left = tries
        self._tried = {self._best}

    def shrink(self) -> TestCase:
        improved = True
        while improved and self._left > 0:
            before = self._rank
            for simpler in (
                _fewer_threads,
                _fewer_instances,
                _fewer_calls,
                self._other_constructors,
                _simpler_calls,
                _simpler_values,
            ):
                self._take_any(simpler)
            improved = self._rank < before
        return self._best

    def _take_any(self, simpler: Callable[[TestCase], Iterator[TestCase]]) -> None:
        """Try the tests that `simpler` yields. After each improvement, continue at the same position."""
        done = 0
        while True:
            for number, test in enumerate(simpler(self._best)):
                if number >= done and self._is_simpler(test):
                    done = number
                    break
            else:
                return

    def _is_simpler(self, test: TestCase) -> bool:
        test = without_unused_results(test)
        if test in self._tried or self._left <= 0 or not is_closed(test):
            return False
        found = rank(test)
        if found >= self._rank:
            return False
        self._tried.add(test)
        self._left -= 1
        if not self._fails(test):
            return False
        self._best, self._rank = test, found
        return True

    def _other_constructors(self, test: TestCase) -> Iterator[TestCase]:
        free = [one for one in self._constructors if not any(parameter.required for parameter in one.parameters)]
        for at, call in enumerate(test.prefix):
            if call.method.kind is MethodKind.CONSTRUCTOR:
                for method in free:
                    if method.owner == call.method.owner:
                        yield replace(test, prefix=_with(test.prefix, at, Call(method, result=call.result)))


# -- simplifications ------------------------------------------------------------------------------------


def _fewer_threads(test: TestCase) -> Iterator[TestCase]:
    if len(test.threads) > 2:
        for at in reversed(range(len(test.threads))):
            yield replace(test, threads=_without(test.threads, at))


def _fewer_instances(test: TestCase) -> Iterator[TestCase]:
    """Use the shared object instead of another instance."""
    for at, call in enumerate(test.prefix):
        if call.method.kind is MethodKind.CONSTRUCTOR and call.result not in ("", SHARED):
            rename = partial(_with_variable, old=call.result, new=SHARED)
            yield TestCase(
                tuple(map(rename, _without(test.prefix, at))),
                tuple(tuple(map(rename, thread)) for thread in test.threads),
                tuple(map(rename, test.observers)),
            )


def _with_variable(call: Call, *, old: str, new: str) -> Call:
    return replace(
        call,
        receiver=new if call.receiver == old else call.receiver,
        arguments=tuple(renamed(argument, old, new) for argument in call.arguments),
        keywords=tuple((name, renamed(value, old, new)) for name, value in call.keywords),
    )


def _fewer_calls(test: TestCase) -> Iterator[TestCase]:
    """Drop all observers, all preparations, and then single calls, the last one first."""
    if test.observers:
        yield replace(test, observers=())
    if len(test.prefix) > 2:
        yield replace(test, prefix=tuple(call for call in test.prefix if call.result == SHARED))
    for number, thread in enumerate(test.threads):
        for at in reversed(range(len(thread))):
            if len(thread) > 1:
                yield replace(test, threads=_with(test.threads, number, _without(thread, at)))
    for at in reversed(range(len(test.observers))):
        yield replace(test, observers=_without(test.observers, at))
    for at in reversed(range(len(test.prefix))):
        yield replace(test, prefix=_without(test.prefix, at))


def _simpler_calls(test: TestCase) -> Iterator[TestCase]:
    """Simplify the arguments of each call."""
    for at, call in enumerate(test.prefix):
        for simpler in _simpler(call, test):
            yield replace(test, prefix=_with(test.prefix, at, simpler))
    for number, thread in enumerate(test.threads):
        for at, call in enumerate(thread):
            for simpler in _simpler(call, test):
                yield replace(test, threads=_with(test.threads, number, _with(thread, at, simpler)))
    for at, call in enumerate(test.observers):
        for simpler in _simpler(call, test):
            yield replace(test, observers=_with(test.observers, at, simpler))


def _simpler_values(test: TestCase) -> Iterator[TestCase]:
    """Replace an argument by a simpler one wherever the test uses it, because calls may need the same key."""
    arguments = dict.fromkeys(value for call in test.calls() for value in _expressions(call))
    for argument in arguments:
        for simpler in simpler_expressions(argument):
            yield _replaced(test, argument, simpler)


def _replaced(test: TestCase, old: Expression, new: Expression) -> TestCase:
    def in_call(call: Call) -> Call:
        return replace(
            call,
            arguments=tuple(new if value == old else value for value in call.arguments),
            keywords=tuple((name, new if value == old else value) for name, value in call.keywords),
        )

    def in_calls(calls: tuple[Call, ...]) -> tuple[Call, ...]:
        return tuple(map(in_call, calls))

    return TestCase(in_calls(test.prefix), tuple(map(in_calls, test.threads)), in_calls(test.observers))


def _simpler(call: Call, test: TestCase) -> Iterator[Call]:
    """Yield simpler calls of the same method: without optional arguments, like another call, with simpler arguments."""
    required = [parameter.name for parameter in call.method.parameters if parameter.required]
    kept = tuple((name, value) for name, value in call.keywords if name in required)
    needed = len(required) - len(kept)
    if len(call.arguments) > needed or kept != call.keywords:
        yield replace(call, arguments=call.arguments[:needed], keywords=kept)
    for at, (name, _) in enumerate(call.keywords):
        if name not in required:
            yield replace(call, keywords=_without(call.keywords, at))
    if len(call.arguments) > needed:
        yield replace(call, arguments=call.arguments[:-1])
    for other in test.calls():
        if other.method == call.method and other is not call:
            yield replace(call, arguments=other.arguments, keywords=other.keywords)
    for at, argument in enumerate(call.arguments):
        for simpler in simpler_expressions(argument):
            yield replace(call, arguments=_with(call.arguments, at, simpler))
    for at, (name, value) in enumerate(call.keywords):
        for simpler in simpler_expressions(value):
            yield replace(call, keywords=_with(call.keywords, at, (name, simpler)))


_SIMPLEST: dict[type, tuple[object, ...]] = {
    bool: (False,),
    int: (0, 1),
    float: (0.0, 1.0),
    str: ("a",),
    bytes: (b"a",),
    list: ([],),
    tuple: ((),),
    dict: ({},),
    set: (set(),),
    frozenset: (frozenset(),),
}


_NEW = 10  # the weight of a part that is not a constant


def simpler_expressions(expression: Expression) -> Iterator[Expression]:
    """Yield simpler expressions for the same purpose, the simplest one first.

    >>> list(simpler_expressions(Literal(7)))
    [Literal(value=0), Literal(value=1)]
    """
    match expression:
        case Literal(value):
            for simple in _SIMPLEST.get(type(value), ()):
                yield Literal(simple)
        case Container(kind, items):
            if items:
                yield Container(kind)
                step = 2 if kind == "dict" else 1
                for at in range(0, len(items), step):
                    yield Container(kind, items[:at] + items[at + step :])
            for at, item in enumerate(items):
                for simpler in simpler_expressions(item):
                    yield Container(kind, _with(items, at, simpler))
        case New(function, arguments, keywords):
            yield from map(Literal, (None, 0, 1, "a"))
            if arguments or keywords:
                yield New(function)
            for at, argument in enumerate(arguments):
                for simpler in simpler_expressions(argument):
                    yield New(function, _with(arguments, at, simpler), keywords)
        case Callback(name, returns):
            yield Literal(None)
            for simpler in (Literal(None), *simpler_expressions(returns)):
                yield Callback(name, simpler)
        case Stub(attributes, hashable):
            yield Literal(None)
            if hashable:
                yield Stub(attributes)
            for at in range(len(attributes)):
                yield Stub(_without(attributes, at), hashable)
            for at, (name, value) in enumerate(attributes):
                for simpler in simpler_expressions(value):
                    yield Stub(_with(attributes, at, (name, simpler)), hashable)
        case Variable():
            yield from map(Literal, (None, 0, 1, "a"))
        case _:
            return


def _expressions(call: Call) -> Iterator[Expression]:
    yield from call.arguments
    for _, value in call.keywords:
        yield value


def _weighed(expression: Expression) -> Iterator[tuple[int, str]]:
    """Yield the weight and the text of each part of an expression; lighter parts are simpler."""
    match expression:
        case Literal(value):
            yield _weight(value), repr(value)
        case Container(_, items):
            for item in items:
                yield from _weighed(item)
        case New(_, arguments, keywords):
            yield _NEW, "new"
            for part in (*arguments, *(value for _, value in keywords)):
                yield from _weighed(part)
        case Stub(attributes, hashable):
            yield _NEW, "stub" if not hashable else "stub with a hash"
            for _, value in attributes:
                yield from _weighed(value)
        case Callback(_, returns):
            yield _NEW, "callback"
            yield from _weighed(returns)
        case _:
            yield _NEW, "variable"


def _weight(value: object) -> int:
    """Return the weight of a constant: its position among the simplest ones, or its length if it is not one of them."""
    texts = [repr(simple) for simple in (None, *_SIMPLEST.get(type(value), ()))]
    text = repr(value)
    return texts.index(text) if text in texts else len(texts) + len(text)


def _without(items: tuple[T, ...], at: int) -> tuple[T, ...]:
    return items[:at] + items[at + 1 :]


def _with(items: tuple[T, ...], at: int, item: T) -> tuple[T, ...]:
    return (*items[:at], item, *items[at + 1 :])
