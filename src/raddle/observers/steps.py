"""Records the steps of an execution, for criteria (see `raddle.step`).

Steps at variables on which no two threads can conflict are left out at the end: they are most of all steps, and no
criterion is about them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from raddle.engine.carrier import Carrier
from raddle.engine.engine import Engine
from raddle.engine.variables import Variable
from raddle.entities import METHODS, Entities
from raddle.instrument.model.receivers import INITIALIZERS
from raddle.observers.identities import INSIDE, Identities
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
from raddle.threads.data_model.identity import calling_frame, first_argument, thread_type
from raddle.threads.data_model.library import called_by_library
from raddle.threads.data_model.making import CreationRules
from raddle.threads.data_model.variables import container_base
from raddle.threads.state import thread_of

_STEPS = GIVES | TAKES | {CLEAR}
_CONSUMES = frozenset({GET, PUT, CLEAR})  # after these another thread may have to wait for an item, room or the event


class StepRecorder(Recorder):
    """Records the steps of threads."""

    def __init__(self, identities: Identities, table: SiteTable, *, methods: int = METHODS) -> None:
        super().__init__()
        self._identities = identities
        self._table = table
        self._methods = methods  # that tell threads apart
        self._warm: set[int] = set()  # sites whose steps were ever wanted
        self._functions: dict[int, tuple[str, bool, bool]] = {}  # by enter site: see `_function_at`
        self._makers = CreationRules()
        self._withs = WithStatements(table)

    def begin(self, engine: Engine) -> None:
        self._engine = engine
        engine.sampling.wanted = self._warm
        self.stream.clear()
        self.entities = Entities(methods=self._methods)
        self._identities.begin(self.entities)
        self._numbers = self._identities.resources  # looked up here first, as that saves a call per step
        self._mutexes: dict[int, Any] = {}  # of queues, by id
        self._guarding: set[int] = set()  # ids of those under which a step was recorded
        self._holding: dict[tuple[int, int], int] = {}  # by thread and id of a mutex: the number of steps by then
        self._wanted: dict[int, list[tuple[int, int]]] = {}  # by number of steps: threads that wait for the mutex taken
        self._withs.begin()
        self._reported: set[tuple[int, Step]] = set()  # blocked threads, by the site of the acquire that blocks them
        self._depths: dict[int, int] = {}  # by thread: functions with probes that it is in
        self._actors: dict[int, int] = {0: self.entities.add_actor("main")}

    # -- results ------------------------------------------------------------------------------------

    def observed(self) -> tuple[tuple[Step, ...], Entities]:
        self._identities.name_contents(self.stream)
        if self._mutexes:
            self._report_mutexes()
        private = self._identities.private()
        # Numbers of resources may be among them, too; the kind is compared last, as that takes longest.
        steps = tuple([step for step in self.stream if step[2] not in private or step[1] not in ACCESSES])
        sampling = self._engine.sampling
        if not sampling.cold:
            wanted = {step[3] for step in steps if step[1] in ACCESSES}
            if not wanted <= self._warm:
                self._warm |= wanted
                sampling.settled = 0
        return steps, self.entities

    # -- accesses -----------------------------------------------------------------------------------

    def accessed(self, me: Carrier, kind: Kind, variable: Variable, site: int, value: object) -> None:
        number = variable.number
        if number < 0:
            number = self._identities.introduce(variable, site)
            if kind == READ and variable.name != CONTENT:
                self._found(variable, value, site)
        if kind == READ:
            self.stream.append((me.index, READ, number, site))
            return
        self.stream.append((me.index, WRITE, number, site))
        if (
            variable.name != CONTENT
            and container_base(type(value)) is not None
            and self._identities.hold(variable, value)
        ):
            self._warm.add(site)  # else it would be unknown whose content it is in executions where the site is cold

    def _found(self, variable: Variable, value: object, site: int) -> None:
        """Note that an object was found in an attribute; one that code without probes made was made with its holder.

        The default factories of a dataclass are called by generated code, for example.
        """
        if self._makers.has_creation_site(value) and self._identities.is_unknown(value):
            self._identities.made_with(value, variable.owner)
            self._warm.add(site)

    # -- functions ----------------------------------------------------------------------------------

    def entered(self, me: Carrier, site: int) -> None:
        known = self._functions.get(site)
        if known is None:
            known = self._functions[site] = self._function_at(site)
        name, is_method, makes = known
        frame = calling_frame() if is_method or makes else None
        receiver = first_argument(frame) if frame is not None else None
        if makes and receiver is not None:
            self._identities.made(receiver, frame)
        self.entities.entered(self._actors[me.index], name)
        self._depths[me.index] = self._depths.get(me.index, 0) + 1
        number = self._identities.group(receiver) if is_method and receiver is not None else 0
        self.stream.append((me.index, ENTER, number, site))

    def left(self, me: Carrier, site: int) -> None:
        self.stream.append((me.index, LEAVE, 0, site))
        depth = self._depths[me.index] = self._depths.get(me.index, 1) - 1
        if depth <= 0:
            me.site = 0  # back in code without probes, as a pool's worker between two tasks

    def passed_block(self, me: Carrier, site: int) -> None:
        self.stream.append((me.index, BLOCK, 0, site))

    def _function_at(self, site: int) -> tuple[str, bool, bool]:
        """Return the name of the function entered at a site, whether it is a public method, and a constructor."""
        where = self._table[site]
        _, name = class_and_method(where.function) or ("", "")
        return f"{where.file}:{where.function}", site in self.entities.functions, name in INITIALIZERS

    # -- synchronization ----------------------------------------------------------------------------

    def blocked(self, me: Carrier) -> None:
        if not self._engine.aborting and me.kind in CONTENDED:
            self._add(me, BLOCKED, self._identities.resource(me.target))

    def _add(self, me: Carrier, kind: Kind, number: int) -> None:
        """Add a step about a resource, at the site where the thread is, unless it is the inside of another one."""
        if number != INSIDE:
            self.stream.append((me.index, kind, number, me.site))

    def happened(self, me: Carrier, kind: Kind, target: object, value: object = None) -> None:
        if kind == ACQUIRE:  # the most frequent first
            self._withs.enter(me.index, self._acquired(me, target), me.site)
            return
        if kind in (RELEASE, UP):
            number = self._numbers.get(id(target))
            if number is None:
                number = self._identities.resource(target)
            if number != INSIDE:
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
                self._block(me, target, number)
        elif kind == IS_SET:
            if value:  # who sees that it is set knows what was done before, as after waiting
                self._add(me, WAIT_SET, self._identities.resource(target))
        elif kind in (TRY_ACQUIRE, TRY_DOWN):  # these happen only if they fail
            self._add(me, FAILED, self._identities.resource(target))
        elif kind in _STEPS:
            number = self._identities.resource(target)
            self._add(me, kind, number)
            if kind in _CONSUMES:
                self._block(me, target, number)
        elif isinstance(target, Carrier):
            self._of_thread(me, kind, target)

    def _of_thread(self, me: Carrier, kind: Kind, other: Carrier) -> None:
        add = self.stream.append
        if kind == START:
            actor = self._actors[other.index] = self.entities.add_actor(thread_type(thread_of(other), other.run_now))
            add((me.index, START, other.index, _own_site(me)))
            add((other.index, BEGIN, actor, 0))
        elif kind == END:
            self.entities.ended(self._actors[me.index])
            add((me.index, END, me.index, 0))
        elif kind == JOIN and other.done:
            add((me.index, JOIN, other.index, _own_site(me)))

    def noted(self, me: Carrier, kind: Kind, target: Any) -> None:
        if kind == RELEASE_MUTEX:  # also while the execution is aborted: what was done before counts
            self._let_go(me, target)
            return
        if self._engine.aborting:
            return
        if kind == CREATED:
            self._identities.made(target)
        elif kind == HOLD_MUTEX:
            self._hold(me, target)
        elif kind == TASK:
            self.entities.ended(self._actors[me.index])
            actor = self._actors[me.index] = self.entities.add_actor(target)
            self.stream.append((me.index, TASK, actor, 0))
        else:
            self._add(me, kind, self._identities.resource(target))

    def _hold(self, me: Carrier, mutex: Any) -> None:
        """Note that a thread takes a queue's mutex. `_report_mutexes` decides later whether that becomes a step."""
        key, at = id(mutex), len(self.stream)
        self._mutexes[key] = mutex
        self._holding[me.index, key] = at
        rivals = self._rivals(me, mutex)
        if rivals:
            self._wanted[at] = rivals
        self.stream.append((me.index, HOLD_MUTEX, key, me.site))

    def _let_go(self, me: Carrier, mutex: Any) -> None:
        key = id(mutex)
        at = self._holding.pop((me.index, key), None)
        if at is not None and len(self.stream) > at + 1:
            self._guarding.add(key)
        if at is not None and not self._engine.aborting:
            self.stream.append((me.index, RELEASE_MUTEX, key, me.site))

    def _report_mutexes(self) -> None:
        """Turn the notes about queues' mutexes into steps, for each mutex under which any step was recorded.

        A thread that held such a mutex without a step of its own passes on what happened before, too.
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
                self._keep_waiting(numbers[key], site, self._wanted.get(at, ()))
        self._mutexes.clear()

    def _acquired(self, me: Carrier, lock: Any) -> int:
        number = self._numbers.get(id(lock))
        if number is None:
            number = self._identities.resource(lock)
        if number == INSIDE:
            return number
        site = me.site
        self.stream.append((me.index, ACQUIRE, number, site))
        rivals = self._rivals(me, lock)
        if rivals:
            self._keep_waiting(number, site, rivals)
        return number

    def _rivals(self, me: Carrier, lock: Any) -> list[tuple[int, int]]:
        """Return the threads that had come to a lock when it was taken, and where: they are blocked now."""
        return [
            (c.index, c.site) for c in self._engine.queue.live if c.target is lock and c is not me and c.kind == ACQUIRE
        ]

    def _block(self, me: Carrier, target: object, number: int) -> None:
        """Record which threads had come to a semaphore, queue or event and are blocked by what was done to it now."""
        rivals = [
            (c.index, c.site)
            for c in self._engine.queue.live
            if c is not me and c.target is target and c.kind in CONTENDED and c.ready is not None and not c.ready()
        ]
        if rivals and number != INSIDE:
            self._keep_waiting(number, me.site, rivals)

    def _keep_waiting(self, number: int, site: int, rivals: Iterable[tuple[int, int]]) -> None:
        """Record that threads are blocked, once per site, however often other threads go first."""
        for index, where in rivals:
            blocked = (index, BLOCKED, number, where)
            if (site, blocked) not in self._reported:
                self._reported.add((site, blocked))
                self.stream.append(blocked)


def _own_site(me: Carrier) -> int:
    """Return the site where a thread starts or joins another one; 0 if the library does so for its own purposes."""
    return 0 if called_by_library() else me.site
