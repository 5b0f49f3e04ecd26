"""`queue.Queue`, its kin and `queue.SimpleQueue`, watched: a put is told before it happens, a get after it has."""

from __future__ import annotations

import queue
from typing import Any, ClassVar

from raddle.native.makers import made_inside
from raddle.native.recorder import Recorder, Resource
from raddle.native.waiting import Patch, giving, registering
from raddle.operation import BLOCKED, GET, JOIN_QUEUE, PUT, TASK_DONE
from raddle.threads.twins.resemblance import resemble

__tracebackhide__ = True  # frames of this module, in what pytest shows

_RealSimpleQueue = queue.SimpleQueue

OPERATIONS: dict[type, frozenset[str]] = {
    queue.Queue: frozenset({"put", "get", "put_nowait", "get_nowait", "task_done", "join"}),
    _RealSimpleQueue: frozenset({"put", "get", "put_nowait", "get_nowait"}),
}


def patches(recorder: Recorder) -> list[Patch]:
    """What to put in place of what."""
    Queue = queue.Queue  # noqa: N806 -- a class
    real_put, real_get, real_join = Queue.put, Queue.get, Queue.join

    def put(self: Any, item: Any, block: bool = True, timeout: float | None = None) -> None:
        resource = recorder.resource(self)
        if resource is None:
            real_put(self, item, block, timeout)
            return
        _, site = recorder.come()
        is_full = 0 < self.maxsize <= _size(self)
        if is_full and not block:  # it will most likely fail, and then there was no put
            real_put(self, item, block, timeout)
            recorder.step(PUT, resource, site)
            return
        if is_full:
            recorder.step(BLOCKED, resource, site)
        recorder.step(PUT, resource, site)
        real_put(self, item, block, timeout)

    def get(self: Any, block: bool = True, timeout: float | None = None) -> Any:
        resource = recorder.resource(self)
        if resource is None:
            return real_get(self, block, timeout)
        _, site = recorder.come()
        if block and not _size(self):
            recorder.step(BLOCKED, resource, site)
        item = real_get(self, block, timeout)
        recorder.step(GET, resource, site)
        return item

    def join(self: Any) -> None:
        resource = recorder.resource(self)
        if resource is None:
            real_join(self)
            return
        _, site = recorder.come()
        real_join(self)
        recorder.step(JOIN_QUEUE, resource, site)

    return [
        registering(recorder, Queue),
        (Queue, "put", put),
        (Queue, "get", get),
        giving(recorder, Queue, "task_done", TASK_DONE),
        (Queue, "join", join),
    ]


def _size(self: Any) -> int:
    """A look without the queue's lock, which a subclass may not be made for."""
    try:
        return int(self._qsize())
    except Exception:
        return 1


class _Making(type):
    """Calling the class makes a watched queue, or a real one for the inside of a pool."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return _RealSimpleQueue(*args, **kwargs) if made_inside() else type.__call__(cls, *args, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _RealSimpleQueue)


class SimpleQueue(_RealSimpleQueue, metaclass=_Making):  # type: ignore[type-arg]
    """A real one that tells."""

    recorder: ClassVar[Recorder]
    resource: Resource

    def __init__(self) -> None:
        self.resource = self.recorder.describe(self)

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        _, site = self.recorder.come()
        self.recorder.step(PUT, self.resource, site)
        super().put(item, block, timeout)

    def put_nowait(self, item: Any) -> None:
        self.put(item, False)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        _, site = self.recorder.come()
        if block and self.empty():
            self.recorder.step(BLOCKED, self.resource, site)
        item = super().get(block, timeout)
        self.recorder.step(GET, self.resource, site)
        return item

    def get_nowait(self) -> Any:
        return self.get(False)


def make_simple_queue(recorder: Recorder) -> type[SimpleQueue]:
    """A class whose objects tell this recorder."""
    made: Any = _Making("SimpleQueue", (SimpleQueue,), {"recorder": recorder})
    resemble(made, _RealSimpleQueue)  # it is a subclass of the real one anyway
    return made  # type: ignore[no-any-return]
