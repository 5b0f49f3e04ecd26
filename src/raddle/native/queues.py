"""Records the operations of `queue.Queue`, its subclasses and `queue.SimpleQueue`.

A put to or a get from a `Queue` is recorded after it has happened, before the queue's mutex is released. A
`SimpleQueue` has no mutex that Python code can hold. Its puts, which never block, are recorded just before they happen,
and its gets just after.
"""

from __future__ import annotations

import queue
from typing import Any, ClassVar

from raddle.native.internals import is_made_internally
from raddle.native.primitives import Patch, patch_constructor, patch_under_condition
from raddle.native.recorder import Recorder, Resource
from raddle.operation import BLOCKED, FAILED, GET, JOIN_QUEUE, PUT, TASK_DONE
from raddle.threads.twins.resemblance import resemble

__tracebackhide__ = True  # hide the frames of this module in pytest's tracebacks

_RealSimpleQueue = queue.SimpleQueue

OPERATIONS: dict[type, frozenset[str]] = {
    queue.Queue: frozenset({"put", "get", "put_nowait", "get_nowait", "task_done", "join"}),
    _RealSimpleQueue: frozenset({"put", "get", "put_nowait", "get_nowait"}),
}


def patches(recorder: Recorder) -> list[Patch]:
    """Return the patches of `queue.Queue`."""
    Queue = queue.Queue  # noqa: N806 -- holds a class
    # All conditions of a queue share its mutex, so steps are recorded in the order of the puts and gets.
    return [
        patch_constructor(recorder, Queue),
        patch_under_condition(recorder, Queue, "put", PUT, "not_full", fails_by=queue.Full),
        patch_under_condition(recorder, Queue, "get", GET, "not_empty", fails_by=queue.Empty),
        patch_under_condition(recorder, Queue, "task_done", TASK_DONE, "all_tasks_done"),
        patch_under_condition(recorder, Queue, "join", JOIN_QUEUE, "all_tasks_done"),
    ]


class _SimpleQueueMeta(type):
    """The metaclass of `SimpleQueue`: a call creates a recording queue, or a real queue if it is part of a pool."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return _RealSimpleQueue(*args, **kwargs) if is_made_internally() else type.__call__(cls, *args, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _RealSimpleQueue)


class SimpleQueue(_RealSimpleQueue, metaclass=_SimpleQueueMeta):  # type: ignore[type-arg]
    """A `queue.SimpleQueue` that records puts and gets."""

    recorder: ClassVar[Recorder]
    resource: Resource

    def __init__(self) -> None:
        self.resource = self.recorder.make_resource(self)

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        _, site = self.recorder.enter_primitive()
        self.recorder.record_on(PUT, self.resource, site)
        super().put(item, block, timeout)

    def put_nowait(self, item: Any) -> None:
        self.put(item, False)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        _, site = self.recorder.enter_primitive()
        if block and self.empty():
            self.recorder.record_on(BLOCKED, self.resource, site)
        try:
            item = super().get(block, timeout)
        except queue.Empty:
            self.recorder.record_on(FAILED, self.resource, site)
            raise
        self.recorder.record_on(GET, self.resource, site)
        return item

    def get_nowait(self) -> Any:
        return self.get(False)


def make_simple_queue(recorder: Recorder) -> type[SimpleQueue]:
    """Return a `SimpleQueue` class bound to this recorder."""
    simple_queue: Any = _SimpleQueueMeta("SimpleQueue", (SimpleQueue,), {"recorder": recorder})
    resemble(simple_queue, _RealSimpleQueue)  # a subclass of the real class, so `isinstance` works
    return simple_queue  # type: ignore[no-any-return]
