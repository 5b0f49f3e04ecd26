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
        "actor", "busy", "children", "label", "number", "quiet", "room", "site", "submitting", "withs",
    )  # fmt: skip

    def __init__(self, number: int, label: str, actor: Actor, room: int) -> None:
        self.number = number
        self.label = label  # by descent: 0.2 is the second thread that the first one started
        self.children = 0
        self.become(actor, room)
        self.busy = False
        self.site = 0  # of the call of a primitive that is about to come
        self.quiet: object = None  # a lock whose steps somebody else tells
        self.submitting: tuple[Resource, int] | None = None  # the pool that is given something to do, and where
        self.withs: list[tuple[object, int]] = []  # the `with` statements that it is in, and their sites

    def become(self, actor: Actor, room: int) -> None:
        self.actor = actor
        self.room = room  # for names of methods that tell actors apart

    def leaving(self, primitive: object) -> int:
        """Return the site of the innermost `with` statement over a primitive, which ends now; 0 if there is none."""
        for at in range(len(self.withs) - 1, -1, -1):
            if self.withs[at][0] is primitive:
                return self.withs.pop(at)[1]
        return 0


NOBODY = ThreadRecord(-1, "?", Actor(-1, FOREIGN), 0)
NOBODY.busy = True  # threads that have no number yet, or have it no more


class ThreadLocalState(threading.local):
    """What belongs to the running thread. A thread that nobody announced is made known on first sight."""

    # For destructors that run meanwhile; of the class, as the first may run before the first line of `__init__`.
    me: ThreadRecord = NOBODY
    number: int = NOBODY.number

    def __init__(self, arrive: Callable[[], ThreadRecord]) -> None:
        self.me = arrive()
        self.number = self.me.number


class Resource:
    """A lock, a queue...: what it is, and its number in this execution, -1 if it has none yet."""

    __slots__ = ("__weakref__", "abstract", "gone", "number", "pool")

    def __init__(self, abstract: AbstractObject) -> None:
        self.abstract = abstract
        self.number = -1
        self.gone: list[int] = []  # where to leave the number
        self.pool: Resource | None = None  # of a future: who will bring it about

    def __del__(self) -> None:
        if self.number >= 0:
            self.gone.append(self.number)


class Inside:
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


class _Entering:
    """Surrounds the acquire of a `with` statement: one that fails leaves no trace."""

    __slots__ = ("_me",)

    def __init__(self, me: ThreadRecord) -> None:
        self._me = me

    def __enter__(self) -> None:
        """Nothing: the statement was noted already."""

    def __exit__(self, kind: type[BaseException] | None, *exc: object) -> None:
        if kind is not None:
            self._me.withs.pop()


class Keyed(ref):  # type: ignore[type-arg]
    """A weak reference that knows what its object is registered under, when the object has gone."""

    __slots__ = ("key",)

    key: int


class Recorder:
    """Makes steps."""

    def __init__(self, registry: EntityRegistry, stream: Stream) -> None:
        self.registry = registry
        self.stream = stream
        self.disturb: Callable[[ThreadRecord, int], None] | None = None  # noise, before synchronization
        self.forget_first: list[Callable[[], None]] = []  # called when everything begins anew
        self._announced: dict[int, ThreadRecord] = {}  # by ident, for a moment
        self._acting: dict[int, Inside] = {}  # by ident: a thread that comes by a condition is not made known for it
        self._ended: deque[int] = deque(maxlen=MAX_ENDED)  # by native number, which are not soon used again
        self._resources: dict[int, tuple[Resource, Keyed]] = {}
        self._introduced: WeakSet[Resource] = WeakSet()  # those that have numbers
        self._abstract: dict[AbstractObject, AbstractObject] = {}  # each once
        self._threads = 0
        self._places = Places(registry.names.table)
        self.here = ThreadLocalState(self._arrive)
        self._begin()

    # -- threads ------------------------------------------------------------------------------------

    def _begin(self) -> None:
        me = self.here.me
        self.stream.steps.append((me.number, BEGIN, me.actor.number, 0))
        self.stream.recording = True

    def begin_again(self) -> None:
        """In a process that was forked: the running thread is the only one, and everything begins anew."""
        self.stream.recording = False
        self._threads = 0
        for forget in (self._announced.clear, self._acting.clear, self._ended.clear, *self.forget_first):
            forget()
        for resource in list(self._introduced):
            resource.number = -1
        self._introduced = WeakSet()
        self.registry.begin()
        self.stream.begin()
        me = self._newcomer("0", "main")
        self.here.me, self.here.number = me, me.number
        self._begin()

    def _arrive(self) -> ThreadRecord:
        me = self._announced.pop(_thread.get_ident(), None)
        if me is not None:
            return me
        if not self._threads:
            return self._newcomer("0", "main")
        if _thread.get_native_id() in self._ended:
            return NOBODY  # what is destroyed with the thread itself
        me = self._newcomer("?", FOREIGN)
        self.stream.steps.append((me.number, BEGIN, me.actor.number, 0))
        return me

    def _newcomer(self, label: str, kind: str) -> ThreadRecord:
        actor = self.registry.actor(kind)
        with self.registry.lock:
            number = self._threads
            self._threads += 1
        return ThreadRecord(number, label, actor, self.registry.most_methods)

    @property
    def threads(self) -> int:
        """How many there were."""
        return self._threads

    def child(self, kind: str) -> ThreadRecord | None:
        """A thread that the running one is about to start; None if this is not recorded."""
        me = self.here.me
        with self.busy(me) as free:
            if free:
                me.children += 1
                return self._newcomer(f"{me.label}.{me.children}", kind)
        return None

    def begin_thread(self, me: ThreadRecord | None) -> None:
        """The first thing that a new thread does."""
        if me is None:
            return
        # The step comes first: from the moment that the thread is somebody, destructors in it make steps, too.
        self.stream.steps.append((me.number, BEGIN, me.actor.number, 0))
        self._announced[_thread.get_ident()] = me
        self.here.me, self.here.number = me, me.number
        self._announced.pop(_thread.get_ident(), None)  # where a destructor came before us, as a foreign thread

    def end_thread(self) -> None:
        """The last thing that a thread does; destructors may still run in it, but nobody is told."""
        here = self.here
        me = here.me
        here.me, here.number = NOBODY, NOBODY.number
        self._ended.append(_thread.get_native_id())
        me.actor.ended = True
        if self.stream.recording and me is not NOBODY:
            self.stream.steps.append((me.number, END, me.number, 0))

    def task(self, kind: str) -> None:
        """The thread, a worker, takes on the next task."""
        me = self.here.me
        with self.busy(me) as free:
            if free:
                me.actor.ended = True
                me.become(self.registry.actor(kind), self.registry.most_methods)
        if free:
            self.tell(TASK, me.actor.number)

    # -- steps --------------------------------------------------------------------------------------

    @contextmanager
    def busy(self, me: ThreadRecord) -> Iterator[bool]:
        """Whatever the program does in between, in this thread, is not recorded. False if that is so already.

        A fault of ours ends with the block, and recording with it.
        """
        if me.busy or not self.stream.recording:
            yield False
            return
        me.busy = True
        try:
            yield True
        except RecursionError:
            pass
        except Exception as error:
            self.stream.fail(error)
        finally:
            me.busy = False

    def tell(self, kind: str, target: int, site: int = 0) -> None:
        """A step that is about something with a number."""
        stream = self.stream
        me = self.here.me
        if me.busy or not stream.recording:
            return
        stream.steps.append((me.number, kind, target, site))
        if len(stream.steps) > stream.most_steps or time.monotonic() > stream.due:
            self.hand_over()

    def come(self) -> tuple[ThreadRecord, int]:
        """The running thread comes to a primitive: who it is, and the site of the call if that has one."""
        me = self.here.me
        site, me.site = me.site, 0
        if self.disturb is not None:
            self.disturb(me, site)
        return me, site

    def step(self, kind: str, resource: Resource, site: int) -> None:
        """A step that is about a resource."""
        number = resource.number
        if number < 0:
            number = self._introduce(resource)
        if number >= 0:
            self.tell(kind, number, site)

    def entering(self, primitive: object) -> _Entering:
        """The running thread comes to a `with` statement over a primitive."""
        me = self.here.me
        me.withs.append((primitive, me.site))
        return _Entering(me)

    @contextmanager
    def inside(
        self, condition: object, kind: Kind, resource: Resource, *, fails_by: type[Exception] | None = None
    ) -> Iterator[None]:
        """The running thread comes to an operation that takes effect when it leaves the condition without an error.

        An operation that ends by the exception `fails_by` makes a step of its own.
        """
        _, site = self.come()
        acting, ident = self._acting, _thread.get_ident()
        before = acting.get(ident)
        acting[ident] = Inside(condition, kind, resource, site)
        try:
            yield
        except Exception as error:
            if type(error) is fails_by:
                self.step(FAILED, resource, site)
            raise
        finally:
            if before is None:
                acting.pop(ident, None)
            else:
                acting[ident] = before

    def waits_inside(self, condition: object) -> None:
        """The running thread is about to wait on a condition."""
        inside = self._acting.get(_thread.get_ident())
        if inside is not None and inside.condition is condition and inside.blocks:
            inside.blocks = False
            self.step(BLOCKED, inside.resource, inside.site)

    def leaves_inside(self, condition: object) -> None:
        """The running thread is about to give back the lock of a condition, after something that took effect."""
        inside = self._acting.get(_thread.get_ident())
        if inside is not None and inside.condition is condition:
            self.step(inside.kind, inside.resource, inside.site)

    def hand_over(self) -> None:
        """Give away what there is."""
        with self.busy(self.here.me) as free:
            if free:
                self.stream.hand_over()

    # -- resources ----------------------------------------------------------------------------------

    def _introduce(self, resource: Resource) -> int:
        with self.busy(self.here.me) as free:
            if free:
                with self.registry.lock:
                    if resource.number < 0:
                        resource.number = self.registry.resource(resource.abstract)
                        resource.gone = self.registry.gone_resources
                        self._introduced.add(resource)
        return resource.number

    def describe(self, obj: object) -> Resource:
        """What a primitive is, seen while it is made."""
        created = ""
        with self.busy(self.here.me) as free:
            if free:
                created = self._places.creation_line()
        abstract = AbstractObject(resource_kind(type(obj)), created)
        return Resource(self._abstract.setdefault(abstract, abstract))

    def register(self, obj: object, resource: Resource) -> None:
        """Know an object as a resource for as long as it lives."""
        key = id(obj)
        reference = Keyed(obj, self._unregister)
        reference.key = key
        self._resources[key] = (resource, reference)

    def _unregister(self, reference: Keyed) -> None:
        self._resources.pop(reference.key, None)

    def resource(self, obj: object) -> Resource | None:
        """None for one that is not to be told of."""
        known = self._resources.get(id(obj))
        return known[0] if known is not None else None
