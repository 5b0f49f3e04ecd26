"""The recorder: what probes and primitives tell, from whichever thread, becomes steps.

Whatever takes more than an `append` marks its thread as busy. Code of the program that runs in the middle of
that (a destructor, a handler of a signal) is then not recorded, rather than let in where it would meet a lock
that its own thread holds.
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

MAX_ENDED = 1000  # threads that are remembered for what is destroyed with them
FOREIGN = "a thread that Python did not start"


class ThreadRecord:
    """One thread of the program."""

    __slots__ = (
        "actor", "busy", "call_site", "children", "label", "methods_left", "number", "submitting", "unrecorded_lock",
        "with_blocks",
    )  # fmt: skip

    def __init__(self, number: int, label: str, actor: Actor, methods_left: int) -> None:
        self.number = number
        self.label = label  # by descent: 0.2 is the second thread that the first one started
        self.children = 0
        self.set_actor(actor, methods_left)
        self.busy = False
        self.call_site = 0  # of the call of a primitive that is about to come
        self.unrecorded_lock: object = None  # a lock whose steps somebody else tells
        self.submitting: tuple[Resource, int] | None = None  # the pool that is given something to do, and where
        self.with_blocks: list[tuple[object, int]] = []  # the `with` statements that it is in, and their sites

    def set_actor(self, actor: Actor, methods_left: int) -> None:
        self.actor = actor
        self.methods_left = methods_left  # for names of methods that tell actors apart

    def leave_with(self, primitive: object) -> int:
        """Return the site of the innermost `with` statement over a primitive, which ends now; 0 if there is none."""
        for at in range(len(self.with_blocks) - 1, -1, -1):
            if self.with_blocks[at][0] is primitive:
                return self.with_blocks.pop(at)[1]
        return 0


NO_THREAD = ThreadRecord(-1, "?", Actor(-1, FOREIGN), 0)
NO_THREAD.busy = True  # threads that have no number yet, or have it no more


class ThreadLocalState(threading.local):
    """What belongs to the running thread. A thread that nobody announced is made known on first sight."""

    # For destructors that run meanwhile; of the class, as the first may run before the first line of `__init__`.
    thread: ThreadRecord = NO_THREAD
    number: int = NO_THREAD.number

    def __init__(self, arrive: Callable[[], ThreadRecord]) -> None:
        self.thread = arrive()
        self.number = self.thread.number


class Resource:
    """A lock, a queue...: what it is, and its number in this execution, -1 if it has none yet."""

    __slots__ = ("__weakref__", "abstract", "discarded", "number", "pool")

    def __init__(self, abstract: AbstractObject) -> None:
        self.abstract = abstract
        self.number = -1
        self.discarded: list[int] = []  # where to leave the number
        self.pool: Resource | None = None  # of a future: who will bring it about

    def __del__(self) -> None:
        if self.number >= 0:
            self.discarded.append(self.number)


class ConditionOperation:
    """An operation of a primitive that has a condition inside: its step is recorded while the condition's lock is held.

    So the steps of a queue or a semaphore come in the order in which they took effect.
    """

    __slots__ = ("blocks", "condition", "kind", "resource", "site")

    def __init__(self, condition: object, kind: Kind, resource: Resource, site: int) -> None:
        self.condition = condition
        self.kind = kind
        self.resource = resource
        self.site = site
        self.blocks = kind in CONTENDED  # is to be told when it has to wait; once


class _WithEntry:
    """Surrounds the acquire of a `with` statement: one that fails leaves no trace."""

    __slots__ = ("_record",)

    def __init__(self, thread: ThreadRecord) -> None:
        self._record = thread

    def __enter__(self) -> None:
        """Nothing: the statement was noted already."""

    def __exit__(self, kind: type[BaseException] | None, *exc: object) -> None:
        if kind is not None:
            self._record.with_blocks.pop()


class KeyedReference(ref):  # type: ignore[type-arg]
    """A weak reference that knows what its object is registered under, when the object has gone."""

    __slots__ = ("key",)

    key: int


class Recorder:
    """Makes steps."""

    def __init__(self, registry: EntityRegistry, stream: Stream) -> None:
        self.registry = registry
        self.stream = stream
        self.disturb: Callable[[ThreadRecord, int], None] | None = None  # noise, before synchronization
        self.reset_callbacks: list[Callable[[], None]] = []  # called when everything begins anew
        self._announced: dict[int, ThreadRecord] = {}  # by ident, for a moment
        self._operations: dict[int, ConditionOperation] = {}  # by ident, so that no thread is registered for it
        self._ended: deque[int] = deque(maxlen=MAX_ENDED)  # by native number, which are not soon used again
        self._resources: dict[int, tuple[Resource, KeyedReference]] = {}
        self._numbered: WeakSet[Resource] = WeakSet()  # those that have numbers
        self._abstract: dict[AbstractObject, AbstractObject] = {}  # each once
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
        """In a process that was forked: the running thread is the only one, and everything begins anew."""
        self.stream.recording = False
        self._threads = 0
        for forget in (self._announced.clear, self._operations.clear, self._ended.clear, *self.reset_callbacks):
            forget()
        for resource in list(self._numbered):
            resource.number = -1
        self._numbered = WeakSet()
        self.registry.begin()
        self.stream.begin()
        thread = self._new_thread("0", "main")
        self.local.thread, self.local.number = thread, thread.number
        self._begin()

    def _register_thread(self) -> ThreadRecord:
        thread = self._announced.pop(_thread.get_ident(), None)
        if thread is not None:
            return thread
        if not self._threads:
            return self._new_thread("0", "main")
        if _thread.get_native_id() in self._ended:
            return NO_THREAD  # what is destroyed with the thread itself
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
        """How many there were."""
        return self._threads

    def child(self, kind: str) -> ThreadRecord | None:
        """A thread that the running one is about to start; None if this is not recorded."""
        thread = self.local.thread
        with self.mark_busy(thread) as entered:
            if entered:
                thread.children += 1
                return self._new_thread(f"{thread.label}.{thread.children}", kind)
        return None

    def begin_thread(self, thread: ThreadRecord | None) -> None:
        """The first thing that a new thread does."""
        if thread is None:
            return
        # The step comes first: from the moment that the thread is somebody, destructors in it make steps, too.
        self.stream.steps.append((thread.number, BEGIN, thread.actor.number, 0))
        self._announced[_thread.get_ident()] = thread
        self.local.thread, self.local.number = thread, thread.number
        self._announced.pop(_thread.get_ident(), None)  # where a destructor came before us, as a foreign thread

    def end_thread(self) -> None:
        """The last thing that a thread does; destructors may still run in it, but nobody is told."""
        local = self.local
        thread = local.thread
        local.thread, local.number = NO_THREAD, NO_THREAD.number
        self._ended.append(_thread.get_native_id())
        thread.actor.ended = True
        if self.stream.recording and thread is not NO_THREAD:
            self.stream.steps.append((thread.number, END, thread.number, 0))

    def task(self, kind: str) -> None:
        """The thread, a worker, takes on the next task."""
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
        """Whatever the program does in between, in this thread, is not recorded. False if that is so already.

        A fault of ours ends with the block, and recording with it.
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
        """A step that is about something with a number."""
        stream = self.stream
        thread = self.local.thread
        if thread.busy or not stream.recording:
            return
        stream.steps.append((thread.number, kind, target, site))
        if len(stream.steps) > stream.max_steps or time.monotonic() > stream.due:
            self.flush()

    def enter_primitive(self) -> tuple[ThreadRecord, int]:
        """The running thread comes to a primitive: who it is, and the site of the call if that has one."""
        thread = self.local.thread
        site, thread.call_site = thread.call_site, 0
        if self.disturb is not None:
            self.disturb(thread, site)
        return thread, site

    def record_on(self, kind: str, resource: Resource, site: int) -> None:
        """A step that is about a resource."""
        number = resource.number
        if number < 0:
            number = self._assign_number(resource)
        if number >= 0:
            self.record(kind, number, site)

    def entering_with(self, primitive: object) -> _WithEntry:
        """The running thread comes to a `with` statement over a primitive."""
        thread = self.local.thread
        thread.with_blocks.append((primitive, thread.call_site))
        return _WithEntry(thread)

    @contextmanager
    def under_condition(
        self, condition: object, kind: Kind, resource: Resource, *, fails_by: type[Exception] | None = None
    ) -> Iterator[None]:
        """The running thread comes to an operation that takes effect when it leaves the condition without an error.

        An operation that ends by the exception `fails_by` makes a step of its own.
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
        """The running thread is about to wait on a condition."""
        under_condition = self._operations.get(_thread.get_ident())
        if under_condition is not None and under_condition.condition is condition and under_condition.blocks:
            under_condition.blocks = False
            self.record_on(BLOCKED, under_condition.resource, under_condition.site)

    def note_release(self, condition: object) -> None:
        """The running thread is about to give back the lock of a condition, after something that took effect."""
        under_condition = self._operations.get(_thread.get_ident())
        if under_condition is not None and under_condition.condition is condition:
            self.record_on(under_condition.kind, under_condition.resource, under_condition.site)

    def flush(self) -> None:
        """Give away what there is."""
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
        """What a primitive is, seen while it is made."""
        created = ""
        with self.mark_busy(self.local.thread) as entered:
            if entered:
                created = self._places.creation_line()
        abstract = AbstractObject(resource_kind(type(obj)), created)
        return Resource(self._abstract.setdefault(abstract, abstract))

    def register(self, obj: object, resource: Resource) -> None:
        """Know an object as a resource for as long as it lives."""
        key = id(obj)
        reference = KeyedReference(obj, self._unregister)
        reference.key = key
        self._resources[key] = (resource, reference)

    def _unregister(self, reference: KeyedReference) -> None:
        self._resources.pop(reference.key, None)

    def resource(self, obj: object) -> Resource | None:
        """None for one that is not to be told of."""
        known = self._resources.get(id(obj))
        return known[0] if known is not None else None
