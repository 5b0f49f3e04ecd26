"""The recorder: records the operations of all threads, as reported by probes and primitives, in the form of steps.

Every recorder operation that does more than a single `append` marks its thread as busy. Program code that runs in the
middle of such an operation (a destructor, a signal handler) is not recorded. Otherwise it could deadlock on a lock that
its own thread holds.
"""

from __future__ import annotations

import _thread
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from weakref import WeakSet, ref

from raddle.entities import AbstractObject
from raddle.inspection import resource_kind
from raddle.native.ids.registry import Actor, EntityRegistry
from raddle.native.stream import Stream
from raddle.operation import BEGIN, BLOCKED, CONTENDED, END, FAILED, TASK, Kind
from raddle.threads.data_model.places import Places

MAX_ENDED = 1000  # number of finished threads that are remembered, since destructors may still run in them
FOREIGN = "a thread that Python did not start"


class ThreadRecord:
    """The recorder's state for one thread of the program."""

    __slots__ = (
        "actor", "busy", "call_site", "children", "label", "methods_left", "number", "submitting", "unrecorded_lock",
        "with_blocks",
    )  # fmt: skip

    def __init__(self, number: int, label: str, actor: Actor, methods_left: int) -> None:
        self.number = number
        self.label = label  # position in the tree of threads: 0.2 is the second thread that thread 0 started
        self.children = 0  # number of threads that this thread has started
        self.set_actor(actor, methods_left)
        self.busy = False  # True while the recorder runs in this thread
        self.call_site = 0  # site of the upcoming call to a primitive; 0 if it has none
        self.unrecorded_lock: object = None  # a lock that records no steps itself, because a condition records them
        self.submitting: tuple[Resource, int] | None = None  # the pool of the task being submitted, and the site
        self.with_blocks: list[tuple[object, int]] = []  # the primitive and the site of each open `with` block

    def set_actor(self, actor: Actor, methods_left: int) -> None:
        self.actor = actor
        self.methods_left = methods_left  # number of methods that can still be added to the description of the actor

    def leave_with(self, primitive: object) -> int:
        """Remove the innermost open `with` block for the primitive and return its site; 0 if there is none."""
        for index in range(len(self.with_blocks) - 1, -1, -1):
            if self.with_blocks[index][0] is primitive:
                return self.with_blocks.pop(index)[1]
        return 0


NO_THREAD = ThreadRecord(-1, "?", Actor(-1, FOREIGN), 0)
NO_THREAD.busy = True  # used by threads that have no number yet, and by threads that have ended


class ThreadLocalState(threading.local):
    """The record of the running thread.

    A thread that was not started by a patched function is registered when first seen.
    """

    # Class attributes, since a destructor may run in the thread before the first line of `__init__`.
    thread: ThreadRecord = NO_THREAD
    number: int = NO_THREAD.number

    def __init__(self, register_thread: Callable[[], ThreadRecord]) -> None:
        self.thread = register_thread()
        self.number = self.thread.number


class Resource:
    """A lock, queue or other primitive, with its number in this execution (-1 if it has none yet)."""

    __slots__ = ("__weakref__", "abstract", "discarded", "number", "pool")

    def __init__(self, abstract: AbstractObject) -> None:
        self.abstract = abstract
        self.number = -1
        self.discarded: list[int] = []  # the list to which the number is added when the resource is garbage-collected
        self.pool: Resource | None = None  # for a future: the pool that runs its task

    def __del__(self) -> None:
        if self.number >= 0:
            self.discarded.append(self.number)


class ConditionOperation:
    """An operation on a primitive that is implemented with a condition, such as a queue or a semaphore.

    Its step is recorded while the condition's lock is held, so steps are recorded in the order in which the operations
    take effect.
    """

    __slots__ = ("blocks", "condition", "kind", "resource", "site")

    def __init__(self, condition: object, kind: Kind, resource: Resource, site: int) -> None:
        self.condition = condition
        self.kind = kind
        self.resource = resource
        self.site = site
        self.blocks = kind in CONTENDED  # True if the operation can block and no wait has been recorded yet


class _WithEntry:
    """A context manager around the acquire of a `with` statement; removes the open block if the acquire fails."""

    __slots__ = ("_record",)

    def __init__(self, thread: ThreadRecord) -> None:
        self._record = thread

    def __enter__(self) -> None:
        """Do nothing, because `entering_with` has already added the block."""

    def __exit__(self, kind: type[BaseException] | None, *exc: object) -> None:
        if kind is not None:
            self._record.with_blocks.pop()


class KeyedReference(ref):  # type: ignore[type-arg]
    """A weak reference that keeps the key of its object after the object is garbage-collected."""

    __slots__ = ("key",)

    key: int


class Recorder:
    """Records the steps of all threads in one stream."""

    def __init__(self, registry: EntityRegistry, stream: Stream) -> None:
        self.registry = registry
        self.stream = stream
        self.disturb: Callable[[ThreadRecord, int], None] | None = None  # injects noise before synchronization
        self.reset_callbacks: list[Callable[[], None]] = []  # called in a forked child to reset the patches
        self._starting: dict[int, ThreadRecord] = {}  # maps the ident of a thread that is starting to its record
        # Maps the ident of a thread to its current operation. Not kept in `self.local`, because accessing that would
        # register an unknown thread.
        self._operations: dict[int, ConditionOperation] = {}
        # Native ids of finished threads. The OS does not reuse them soon.
        self._ended: deque[int] = deque(maxlen=MAX_ENDED)
        self._resources: dict[int, tuple[Resource, KeyedReference]] = {}
        self._numbered: WeakSet[Resource] = WeakSet()  # resources that have a number
        self._interned: dict[AbstractObject, AbstractObject] = {}  # one copy of each abstract object
        self._threads = 0
        self._places = Places(registry.names.table)
        self.local = ThreadLocalState(self._register_thread)
        self._begin()

    # -- threads ------------------------------------------------------------------------------------

    def _begin(self) -> None:
        thread = self.local.thread
        self.stream.steps.append((thread.number, BEGIN, thread.actor.number, 0))
        self.stream.recording = True

    def reset_after_fork(self) -> None:
        """Begin a new execution in a forked process, with the running thread as its only thread."""
        self.stream.recording = False
        self._threads = 0
        for clear in (self._starting.clear, self._operations.clear, self._ended.clear, *self.reset_callbacks):
            clear()
        for resource in list(self._numbered):
            resource.number = -1
        self._numbered = WeakSet()
        self.registry.begin()
        self.stream.begin()
        thread = self._new_thread("0", "main")
        self.local.thread, self.local.number = thread, thread.number
        self._begin()

    def _register_thread(self) -> ThreadRecord:
        thread = self._starting.pop(_thread.get_ident(), None)
        if thread is not None:
            return thread
        if not self._threads:
            return self._new_thread("0", "main")
        if _thread.get_native_id() in self._ended:
            return NO_THREAD  # a destructor is running after the thread has ended
        thread = self._new_thread("?", FOREIGN)
        self.stream.steps.append((thread.number, BEGIN, thread.actor.number, 0))
        return thread

    def _new_thread(self, label: str, kind: str) -> ThreadRecord:
        actor = self.registry.actor(kind)
        with self.registry.lock:
            number = self._threads
            self._threads += 1
        return ThreadRecord(number, label, actor, self.registry.max_methods)

    @property
    def threads(self) -> int:
        """The number of threads recorded so far."""
        return self._threads

    def new_child(self, kind: str) -> ThreadRecord | None:
        """Create the record of a thread that the running thread is about to start; return None if recording is off."""
        thread = self.local.thread
        with self.mark_busy(thread) as entered:
            if entered:
                thread.children += 1
                return self._new_thread(f"{thread.label}.{thread.children}", kind)
        return None

    def begin_thread(self, thread: ThreadRecord | None) -> None:
        """Record the beginning of the running thread. This must be the first call in the thread."""
        if thread is None:
            return
        # The step is recorded first: as soon as the thread has a record, destructors that run in it record steps too.
        self.stream.steps.append((thread.number, BEGIN, thread.actor.number, 0))
        self._starting[_thread.get_ident()] = thread
        self.local.thread, self.local.number = thread, thread.number
        # The entry is still there if a destructor has already registered this thread as a foreign thread.
        self._starting.pop(_thread.get_ident(), None)

    def end_thread(self) -> None:
        """Record the end of the running thread. Destructors that run in it afterwards are not recorded."""
        local = self.local
        thread = local.thread
        local.thread, local.number = NO_THREAD, NO_THREAD.number
        self._ended.append(_thread.get_native_id())
        thread.actor.ended = True
        if self.stream.recording and thread is not NO_THREAD:
            self.stream.steps.append((thread.number, END, thread.number, 0))

    def begin_task(self, kind: str) -> None:
        """Record that the running thread, which is a worker of a pool, begins its next task."""
        thread = self.local.thread
        with self.mark_busy(thread) as entered:
            if entered:
                thread.actor.ended = True
                thread.set_actor(self.registry.actor(kind), self.registry.max_methods)
        if entered:
            self.record(TASK, thread.actor.number)

    # -- steps --------------------------------------------------------------------------------------

    @contextmanager
    def mark_busy(self, thread: ThreadRecord) -> Iterator[bool]:
        """Mark the thread as busy during the block, so that program code running in the thread is not recorded.

        Yield False if the thread is already busy or recording is off. An internal error in the block stops recording
        and does not propagate.
        """
        if thread.busy or not self.stream.recording:
            yield False
            return
        thread.busy = True
        try:
            yield True
        except RecursionError:
            pass
        except Exception as error:
            self.stream.fail(error)
        finally:
            thread.busy = False

    def record(self, kind: str, target: int, site: int = 0) -> None:
        """Record a step on a target that has a number, and flush the stream if a flush is due."""
        stream = self.stream
        thread = self.local.thread
        if thread.busy or not stream.recording:
            return
        stream.steps.append((thread.number, kind, target, site))
        if len(stream.steps) > stream.max_steps or time.monotonic() > stream.due:
            self.flush()

    def enter_primitive(self) -> tuple[ThreadRecord, int]:
        """Return the record of the running thread and the site of its call to a primitive (0 if the call has no site).

        Every operation on a recorded primitive calls this method first. The method also injects noise.
        """
        thread = self.local.thread
        site, thread.call_site = thread.call_site, 0
        if self.disturb is not None:
            self.disturb(thread, site)
        return thread, site

    def record_on(self, kind: str, resource: Resource, site: int) -> None:
        """Record a step on a resource, after assigning a number to the resource if it has none."""
        number = resource.number
        if number < 0:
            number = self._assign_number(resource)
        if number >= 0:
            self.record(kind, number, site)

    def entering_with(self, primitive: object) -> _WithEntry:
        """Record that the running thread enters a `with` block for the primitive."""
        thread = self.local.thread
        thread.with_blocks.append((primitive, thread.call_site))
        return _WithEntry(thread)

    @contextmanager
    def under_condition(
        self, condition: object, kind: Kind, resource: Resource, *, fails_by: type[Exception] | None = None
    ) -> Iterator[None]:
        """Record the operation in the block when its thread leaves the condition without an error.

        If the operation raises `fails_by`, a FAILED step is recorded.
        """
        _, site = self.enter_primitive()
        acting, ident = self._operations, _thread.get_ident()
        before = acting.get(ident)
        acting[ident] = ConditionOperation(condition, kind, resource, site)
        try:
            yield
        except Exception as error:
            if type(error) is fails_by:
                self.record_on(FAILED, resource, site)
            raise
        finally:
            if before is None:
                acting.pop(ident, None)
            else:
                acting[ident] = before

    def note_wait(self, condition: object) -> None:
        """Record that the current operation blocks, because the running thread is about to wait on the condition."""
        under_condition = self._operations.get(_thread.get_ident())
        if under_condition is not None and under_condition.condition is condition and under_condition.blocks:
            under_condition.blocks = False
            self.record_on(BLOCKED, under_condition.resource, under_condition.site)

    def note_release(self, condition: object) -> None:
        """Record the current operation, because the running thread is about to release the condition's lock."""
        under_condition = self._operations.get(_thread.get_ident())
        if under_condition is not None and under_condition.condition is condition:
            self.record_on(under_condition.kind, under_condition.resource, under_condition.site)

    def flush(self) -> None:
        """Flush the stream, unless the running thread is busy."""
        with self.mark_busy(self.local.thread) as entered:
            if entered:
                self.stream.flush()

    # -- resources ----------------------------------------------------------------------------------

    def _assign_number(self, resource: Resource) -> int:
        with self.mark_busy(self.local.thread) as entered:
            if entered:
                with self.registry.lock:
                    if resource.number < 0:
                        resource.number = self.registry.resource(resource.abstract)
                        resource.discarded = self.registry.discarded_resources
                        self._numbered.add(resource)
        return resource.number

    def make_resource(self, obj: object) -> Resource:
        """Create the resource for a primitive. Must be called while the primitive is being created."""
        created = ""
        with self.mark_busy(self.local.thread) as entered:
            if entered:
                created = self._places.creation_line()
        abstract = AbstractObject(resource_kind(type(obj)), created)
        return Resource(self._interned.setdefault(abstract, abstract))

    def register(self, obj: object, resource: Resource) -> None:
        """Associate an object with its resource for as long as the object lives."""
        key = id(obj)
        reference = KeyedReference(obj, self._unregister)
        reference.key = key
        self._resources[key] = (resource, reference)

    def _unregister(self, reference: KeyedReference) -> None:
        self._resources.pop(reference.key, None)

    def resource(self, obj: object) -> Resource | None:
        """Return the resource registered for an object; None if its operations are not recorded."""
        registered = self._resources.get(id(obj))
        return registered[0] if registered is not None else None
