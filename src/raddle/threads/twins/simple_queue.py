"""The twin of `queue.SimpleQueue`: a wrapper around a real queue, with a scheduling point before each operation."""

from __future__ import annotations

import _queue
from types import GenericAlias
from typing import Any

from raddle.engine.carrier import Carrier, getcurrent
from raddle.engine.waits import wait
from raddle.operation import CREATED, FAILED, GET, PUT, SIZE
from raddle.threads.twins.resemblance import claimed_class, resembling

RealSimpleQueue = _queue.SimpleQueue


class _Twin(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        kind = type(instance)
        return issubclass(kind, cls) or kind is RealSimpleQueue


@resembling(RealSimpleQueue)
class SimpleQueue(metaclass=_Twin):
    """The twin of `queue.SimpleQueue`. Outside a controlled execution, calling this class returns a real queue."""

    __slots__ = ("__weakref__", "_real")

    __class__ = claimed_class(RealSimpleQueue)
    _real: RealSimpleQueue[Any]

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        me = getcurrent()
        if cls is SimpleQueue:
            real: Any = RealSimpleQueue(*args, **kwargs)  # raises the real error for bad arguments
            if me.__class__ is not Carrier:
                return real
            twin = cls.twin_for(real)
        else:
            twin = cls.twin_for(RealSimpleQueue())
        if me.__class__ is Carrier and me.engine.measuring:
            me.engine.noted(me, CREATED, twin)
        return twin

    @classmethod
    def twin_for(cls, real: Any) -> Any:
        """Return a new twin of a real queue."""
        twin: Any = object.__new__(cls)
        twin._real = real
        return twin

    def _is_filled(self) -> bool:
        return not self._real.empty()

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        me = getcurrent()
        if me.__class__ is Carrier:
            me.engine.operate(me, PUT, self)
            if me.engine.observing:
                me.engine.happened(me, PUT, self, item)
        self._real.put(item)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        me = getcurrent()
        if me.__class__ is not Carrier:
            return self._real.get(block, timeout)
        engine = me.engine
        if not block:
            engine.operate(me, GET, self)
        elif timeout is None:
            engine.operate(me, GET, self, self._is_filled)
        else:
            _check_timeout(timeout)
            wait(me, GET, self, self._is_filled, timeout)
        if engine.measuring and not self._is_filled():
            engine.noted(me, FAILED, self)
        item = self._real.get(False)  # raises queue.Empty if the wait timed out
        if engine.observing:
            engine.happened(me, GET, self, item)
        return item

    def put_nowait(self, item: Any) -> None:
        self.put(item)

    def get_nowait(self) -> Any:
        return self.get(False)

    def _observe_size(self) -> None:
        me = getcurrent()
        if me.__class__ is Carrier:
            me.engine.operate(me, SIZE, self)

    def empty(self) -> bool:
        self._observe_size()
        return self._real.empty()

    def qsize(self) -> int:
        self._observe_size()
        return self._real.qsize()

    def __reduce__(self) -> Any:
        raise TypeError("cannot pickle '_queue.SimpleQueue' object")

    def __repr__(self) -> str:
        return f"<_queue.SimpleQueue object at {id(self):#x}>"

    __class_getitem__: Any = classmethod(GenericAlias)


def _check_timeout(timeout: Any) -> None:
    """Pass the timeout to a real queue, which raises the usual error if the timeout is invalid."""
    queue: Any = RealSimpleQueue()
    queue.put(None)
    queue.get(True, timeout)
