"""Callbacks as observers: what a callback has received is part of the outcome of a test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raddle.generation.expressions import Callback, Imported, all_parts
from raddle.generation.surface import Method, MethodKind
from raddle.generation.testcase import Call

MAX_CALLBACKS = 3  # callbacks of one test whose calls are observed


def callbacks_in(call: Call) -> Iterator[Callback]:
    """Yield the callbacks that a call passes, including those inside other arguments."""
    for value in (*call.arguments, *(value for _, value in call.keywords)):
        for part in all_parts(value):
            if isinstance(part, Callback):
                yield part


def observers_of_callbacks(calls: Sequence[Call], cls: Imported) -> tuple[Call, ...]:
    """Return the calls that observe what the callbacks of a test of a class have received.

    >>> from raddle.generation.expressions import Imported
    >>> future = Imported("shop", "Order")
    >>> subscribe = Method("subscribe", MethodKind.METHOD, future)
    >>> [call.method.name for call in observers_of_callbacks([Call(subscribe, (Callback("on_paid"),))], future)]
    ['on_paid']
    """
    names = dict.fromkeys(callback.name for call in calls for callback in callbacks_in(call))
    return tuple(Call(Method(name, MethodKind.CALLBACK, cls), receiver="") for name in list(names)[:MAX_CALLBACKS])
