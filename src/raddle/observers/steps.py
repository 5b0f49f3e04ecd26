"""The step recorder: records the steps of an execution for criteria (see `raddle.step`).

If no two accesses to a variable can conflict, all accesses to it are dropped after the execution, unless all accesses
are requested. Most steps are such accesses, and no criterion uses them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from raddle.engine.carrier import Carrier
from raddle.engine.engine import Engine
from raddle.engine.variables import Variable
from raddle.entities import METHODS, Entities
from raddle.instrument.model.receivers import INITIALIZERS
from raddle.observers.identities import INTERNAL, Identities
from raddle.observers.recorder import Recorder
from raddle.observers.with_statements import WithStatements
from raddle.operation import (
    ACCESSES,
    ACQUIRE,
    BEGIN,
    BLOCK,
    BLOCKED,
    CLEAR,
    CONTENDED,
    CONTENT,
    CREATED,
    DOWN,
    END,
    ENTER,
    FAILED,
    GET,
    GIVES,
    HOLD_MUTEX,
    IS_SET,
    JOIN,
    LEAVE,
    PUT,
    READ,
    RELEASE,
    RELEASE_MUTEX,
    START,
    TAKES,
    TASK,
    TRY_ACQUIRE,
    TRY_DOWN,
    UP,
    WAIT,
    WAIT_SET,
    WOKEN,
    WRITE,
    Kind,
)
from raddle.site import SiteTable
from raddle.static_model import class_and_method
from raddle.step import Step
from raddle.threads.data_model.creation_rules import CreationRules
from raddle.threads.data_model.identity import calling_frame, first_argument, thread_type
from raddle.threads.data_model.library import called_by_library
from raddle.threads.data_model.variables import container_base
from raddle.threads.state import thread_of

_STEPS = GIVES | TAKES | {CLEAR}
_CONSUMES = frozenset({GET, PUT, CLEAR})  # after these, other threads may have to wait for an item, space or the event


class StepRecorder(Recorder):
    """Records the steps of threads."""

    def __init__(
        self, identities: Identities, table: SiteTable, *, methods: int = METHODS, all_accesses: bool = False
    ) -> None:
        super().__init__()
        self._identities = identities
        self._table = table
        self._all_accesses = all_accesses  # whether steps include accesses to variables without conflicts
        self._methods = methods  # threads are distinguished by this many of the methods they run first
        self._wanted: set[int] = set()  # sites with steps that criteria have used; they must not become cold
        self._functions: dict[int, tuple[str, bool, bool]] = {}  # by site of a function entry: see `_function_at`
        self._makers = CreationRules()
        self._withs = WithStatements(table)

    def begin(self, engine: Engine) -> None:
        self._engine = engine
        engine.sampling.wanted = self._wanted
        self.stream.clear()
        self.entities = Entities(methods=self._methods)
        self._identities.begin(self.entities)
        self._numbers = self._identities.resources  # a direct reference, which saves a call per step
        self._mutexes: dict[int, Any] = {}  # the mutexes of queues, by id
        self._guarding: set[int] = set()  # ids of the mutexes that were held while a step was recorded
        self._holding: dict[tuple[int, int], int] = {}  # by thread and mutex: index of the step that acquires it
        # By index of the step that acquires a mutex: the threads that are waiting for the mutex.
        self._waiters: dict[int, list[tuple[int, int]]] = {}
        self._withs.begin()
        self._reported: set[tuple[int, Step]] = set()  # BLOCKED steps, with the site of the acquire that blocks
        self._depths: dict[int, int] = {}  # by thread: number of active functions with probes
        self._actors: dict[int, int] = {0: self.entities.add_actor("main")}

    # -- results ------------------------------------------------------------------------------------

    def observed(self) -> tuple[tuple[Step, ...], Entities]:
        self._identities.name_contents(self.stream)
        if self._mutexes:
            self._report_mutexes()
        private = set[int]() if self._all_accesses else self._identities.private()
        # A resource may have the same number as a private variable, so the kind is checked too. That check is the
        # slowest, so it comes last.
        steps = tuple([step for step in self.stream if step[2] not in private or step[1] not in ACCESSES])
        sampling = self._engine.sampling
        if not sampling.cold:
            wanted = {step[3] for step in steps if step[1] in ACCESSES}
            if not wanted <= self._wanted:
                self._wanted |= wanted
                sampling.executions_since_new_point = 0
        return steps, self.entities

    # -- accesses -----------------------------------------------------------------------------------

    def accessed(self, me: Carrier, kind: Kind, variable: Variable, site: int, value: object) -> None:
        number = variable.number
        if number < 0:
            number = self._identities.add_variable(variable, site)
            if kind == READ and variable.name != CONTENT:
                self._record_attribute_value(variable, value, site)
        if kind == READ:
            self.stream.append((me.index, READ, number, site))
            return
        self.stream.append((me.index, WRITE, number, site))
        if (
            variable.name != CONTENT
            and container_base(type(value)) is not None
            and self._identities.record_holder(variable, value)
        ):
            self._wanted.add(site)  # otherwise the holder is unknown in executions where the site is cold

    def _record_attribute_value(self, variable: Variable, value: object, site: int) -> None:
        """Record the object found in an attribute; if code without probes created it, treat it as part of its holder.

        For example, generated code calls the default factories of a dataclass.
        """
        if self._makers.has_creation_site(value) and self._identities.has_unknown_creation(value):
            self._identities.record_created_with(value, variable.owner)
            self._wanted.add(site)

    # -- functions ----------------------------------------------------------------------------------

    def entered(self, me: Carrier, site: int) -> None:
        function = self._functions.get(site)
        if function is None:
            function = self._functions[site] = self._function_at(site)
        name, is_method, is_constructor = function
        frame = calling_frame() if is_method or is_constructor else None
        receiver = first_argument(frame) if frame is not None else None
        if is_constructor and receiver is not None:
            self._identities.record_creation(receiver, frame)
        self.entities.entered(self._actors[me.index], name)
        self._depths[me.index] = self._depths.get(me.index, 0) + 1
        number = self._identities.group(receiver) if is_method and receiver is not None else 0
        self.stream.append((me.index, ENTER, number, site))

    def left(self, me: Carrier, site: int) -> None:
        self.stream.append((me.index, LEAVE, 0, site))
        depth = self._depths[me.index] = self._depths.get(me.index, 1) - 1
        if depth <= 0:
            me.site = 0  # back in code without probes, such as a pool's worker between two tasks

    def passed_block(self, me: Carrier, site: int) -> None:
        self.stream.append((me.index, BLOCK, 0, site))

    def _function_at(self, site: int) -> tuple[str, bool, bool]:
        """Return the name of the function entered at a site, and whether it is a public method or a constructor."""
        where = self._table[site]
        _, name = class_and_method(where.function) or ("", "")
        return f"{where.file}:{where.function}", site in self.entities.functions, name in INITIALIZERS

    # -- synchronization ----------------------------------------------------------------------------

    def blocked(self, me: Carrier) -> None:
        if not self._engine.aborting and me.kind in CONTENDED:
            self._add(me, BLOCKED, self._identities.resource(me.target))

    def _add(self, me: Carrier, kind: Kind, number: int) -> None:
        """Add a step on a resource at the current site of the thread, unless the resource is internal."""
        if number != INTERNAL:
            self.stream.append((me.index, kind, number, me.site))

    def happened(self, me: Carrier, kind: Kind, target: object, value: object = None) -> None:
        if kind == ACQUIRE:  # checked first, because it is the most frequent kind
            self._withs.enter(me.index, self._acquired(me, target), me.site)
            return
        if kind in (RELEASE, UP):
            number = self._numbers.get(id(target))
            if number is None:
                number = self._identities.resource(target)
            if number != INTERNAL:
                self.stream.append((me.index, kind, number, self._withs.leave(me.index, number, me.site)))
        elif kind == WAIT:
            self._add(me, RELEASE, self._identities.resource(target._lock))  # type: ignore[attr-defined]
            self._add(me, WAIT, self._identities.resource(target))
        elif kind == WOKEN:
            if value:
                self._add(me, WOKEN, self._identities.resource(target))
            self._acquired(me, target._lock)  # type: ignore[attr-defined]
        elif kind in (WAIT_SET, DOWN):
            number = self._identities.resource(target)
            self._add(me, kind if value else FAILED, number)
            if value and kind == DOWN:
                self._withs.enter(me.index, number, me.site)
                self._record_blocked_by(me, target, number)
        elif kind == IS_SET:
            if value:  # like waiting for an event, observing that it is set orders later steps after the call to `set`
                self._add(me, WAIT_SET, self._identities.resource(target))
        elif kind in (TRY_ACQUIRE, TRY_DOWN):  # reported only if they fail
            self._add(me, FAILED, self._identities.resource(target))
        elif kind in _STEPS:
            number = self._identities.resource(target)
            self._add(me, kind, number)
            if kind in _CONSUMES:
                self._record_blocked_by(me, target, number)
        elif isinstance(target, Carrier):
            self._of_thread(me, kind, target)

    def _of_thread(self, me: Carrier, kind: Kind, other: Carrier) -> None:
        add = self.stream.append
        if kind == START:
            actor = self._actors[other.index] = self.entities.add_actor(thread_type(thread_of(other), other.run_now))
            add((me.index, START, other.index, _user_site(me)))
            add((other.index, BEGIN, actor, 0))
        elif kind == END:
            self.entities.ended(self._actors[me.index])
            add((me.index, END, me.index, 0))
        elif kind == JOIN and other.done:
            add((me.index, JOIN, other.index, _user_site(me)))

    def noted(self, me: Carrier, kind: Kind, target: Any) -> None:
        if kind == RELEASE_MUTEX:  # needed even in an aborted execution, because the steps before the abort count
            self._release_mutex(me, target)
            return
        if self._engine.aborting:
            return
        if kind == CREATED:
            self._identities.record_creation(target)
        elif kind == HOLD_MUTEX:
            self._hold_mutex(me, target)
        elif kind == TASK:
            self.entities.ended(self._actors[me.index])
            actor = self._actors[me.index] = self.entities.add_actor(target)
            self.stream.append((me.index, TASK, actor, 0))
        else:
            self._add(me, kind, self._identities.resource(target))

    def _hold_mutex(self, me: Carrier, mutex: Any) -> None:
        """Add a provisional entry for the acquire of a queue's mutex; `_report_mutexes` may turn it into a step."""
        key, at = id(mutex), len(self.stream)
        self._mutexes[key] = mutex
        self._holding[me.index, key] = at
        rivals = self._rivals(me, mutex)
        if rivals:
            self._waiters[at] = rivals
        self.stream.append((me.index, HOLD_MUTEX, key, me.site))

    def _release_mutex(self, me: Carrier, mutex: Any) -> None:
        key = id(mutex)
        at = self._holding.pop((me.index, key), None)
        if at is not None and len(self.stream) > at + 1:
            self._guarding.add(key)
        if at is not None and not self._engine.aborting:
            self.stream.append((me.index, RELEASE_MUTEX, key, me.site))

    def _report_mutexes(self) -> None:
        """Turn acquires and releases of queue mutexes into steps, for mutexes that were held while a step was recorded.

        This also applies to threads that held such a mutex without recording a step, because the mutex orders them too.
        """
        numbers = {
            key: self._identities.resource(mutex) for key, mutex in self._mutexes.items() if key in self._guarding
        }
        steps = list(self.stream)
        self.stream.clear()
        for at, step in enumerate(steps):
            thread, kind, key, site = step
            if kind not in (HOLD_MUTEX, RELEASE_MUTEX):
                self.stream.append(step)
            elif key in numbers:
                self.stream.append((thread, ACQUIRE if kind == HOLD_MUTEX else RELEASE, numbers[key], site))
                self._record_blocked(numbers[key], site, self._waiters.get(at, ()))
        self._mutexes.clear()

    def _acquired(self, me: Carrier, lock: Any) -> int:
        number = self._numbers.get(id(lock))
        if number is None:
            number = self._identities.resource(lock)
        if number == INTERNAL:
            return number
        site = me.site
        self.stream.append((me.index, ACQUIRE, number, site))
        rivals = self._rivals(me, lock)
        if rivals:
            self._record_blocked(number, site, rivals)
        return number

    def _rivals(self, me: Carrier, lock: Any) -> list[tuple[int, int]]:
        """Return the threads that are waiting for the lock that `me` has just acquired, each with its site."""
        return [
            (c.index, c.site) for c in self._engine.queue.live if c.target is lock and c is not me and c.kind == ACQUIRE
        ]

    def _record_blocked_by(self, me: Carrier, target: object, number: int) -> None:
        """Record which threads are blocked because of an operation by `me` on a semaphore, queue or event."""
        rivals = [
            (c.index, c.site)
            for c in self._engine.queue.live
            if c is not me and c.target is target and c.kind in CONTENDED and c.ready is not None and not c.ready()
        ]
        if rivals and number != INTERNAL:
            self._record_blocked(number, me.site, rivals)

    def _record_blocked(self, number: int, site: int, rivals: Iterable[tuple[int, int]]) -> None:
        """Record that threads are blocked, once per site, even if other threads overtake them repeatedly."""
        for index, where in rivals:
            blocked = (index, BLOCKED, number, where)
            if (site, blocked) not in self._reported:
                self._reported.add((site, blocked))
                self.stream.append(blocked)


def _user_site(me: Carrier) -> int:
    """Return the site where a thread starts or joins another; 0 if library code does so internally."""
    return 0 if called_by_library() else me.site
