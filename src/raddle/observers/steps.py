"""A controller that tells criteria what happens, as steps (see `raddle.step`).

The executions are those of the plain controller: the same scheduling points, the same decisions. Steps at
variables that no two threads can be in each other's way at are left out at the end: they are most of all
steps, and no criterion is about them.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from raddle.cast import METHODS, AbstractObject, AbstractVariable, Cast
from raddle.engine.carrier import Carrier
from raddle.engine.engine import SAMPLED_EVERY, SETTLED_AFTER, Controller
from raddle.engine.sharing import Learned, Variable
from raddle.inspection import function_name, name_of, resource_kind
from raddle.instrument.owners import class_owner, declaring_owner, method_sites
from raddle.model import Model
from raddle.operation import (
    ACCESSES,
    ACQUIRE,
    BEGIN,
    BLOCK,
    BLOCKED,
    CLEAR,
    DOWN,
    END,
    ENTER,
    GET,
    HOLD,
    JOIN,
    JOIN_QUEUE,
    LEAVE,
    LET_GO,
    MADE,
    NOTIFY,
    PUT,
    READ,
    RELEASE,
    SET,
    START,
    TASK,
    TASK_DONE,
    UP,
    WAIT,
    WAIT_SET,
    WOKEN,
    WRITE,
    Kind,
)
from raddle.site import SiteTable
from raddle.step import Step
from raddle.threads.data_model.creation_sites import Imported
from raddle.threads.data_model.identity import (
    first_argument,
    in_its_constructor,
    name_of_content,
    place_of_creation,
    thread_type,
)  # fmt: skip
from raddle.threads.data_model.variables import CONTENT, container_base

_STEPS = frozenset({NOTIFY, SET, CLEAR, PUT, GET, TASK_DONE, JOIN_QUEUE})


class Measured(Controller):
    """Executions whose steps are wanted."""

    def __init__(
        self,
        learned: Learned,
        *,
        table: SiteTable,
        model: Callable[[], Model],
        step_limit: int,
        switchable: set[int] | None = None,
        methods: int = METHODS,
        renewed: bool = False,
    ) -> None:
        super().__init__(learned, step_limit=step_limit, switchable=switchable)
        self.table = table
        self.observing = self.measuring = True
        self._survey = model
        self._methods = methods
        self._imported = Imported(table, renewed=renewed)
        self._kept: set[int] = set()  # sites whose steps were ever wanted
        self._functions: dict[int, tuple[str, bool]] = {}  # by enter site: name, and is it a public method
        self._releasing: dict[int, bool] = {}

    def _place_points(self) -> None:
        super()._place_points()
        self._model = self._survey()  # now: what makes it uses locks, and those would be seen
        self._imported.begin()
        self.stream.clear()
        self.cast = Cast(methods=self._methods)
        self.cast.functions = method_sites(self.table)
        self._seen: list[Variable] = []
        self._created: dict[int, str] = {}  # by id of an object: where it was made
        self._holders: dict[int, tuple[AbstractVariable, int]] = {}  # by id of a container: whose content it is
        self._unnamed: list[int] = []  # contents of containers that the first site does not tell whose they are
        self._resources: dict[int, int] = {}
        self._groups: dict[int, int] = {}
        self._alive: list[object] = []  # ids are names here, so whatever has one must not go
        self._taken: dict[int, int] = {}  # by number of a lock or semaphore: the site where it was acquired
        self._mutexes: dict[int, Any] = {}  # of queues, by id
        self._guarding: set[int] = set()  # ids of those under which something was done that is told
        self._holding: dict[tuple[int, int], int] = {}  # by thread and id of a mutex: the number of steps by then
        self._wanted: dict[int, list[tuple[int, int]]] = {}  # by number of steps: who wanted the mutex that was taken
        self._told: set[tuple[int, Step]] = set()  # who was kept from a lock, by whom: the site of the acquire
        self._depths: dict[int, int] = {}  # by thread: functions with probes that it is in
        self._actors: dict[int, int] = {0: self.cast.add_actor("main")}

    # -- what came of it ----------------------------------------------------------------------------

    def observed(self) -> tuple[tuple[Step, ...], Cast]:
        """The steps of the execution just run, and who took part."""
        self._name_contents()
        if self._mutexes:
            self._tell_of_mutexes()
        private = {number for number, variable in enumerate(self._seen) if not variable.conflicted}
        # Numbers of resources may be among them, too; which is asked last, as it takes longest.
        steps = tuple([step for step in self.stream if step[2] not in private or step[1] not in ACCESSES])
        if not self.cold:
            wanted = {step[3] for step in steps if step[1] in ACCESSES}
            if not wanted <= self._kept:
                self._kept |= wanted
                self.settled = 0
        return steps, self.cast

    def _choose_tracking(self) -> None:
        """As for executions that nobody measures, but sites are cold only if none of their steps was ever wanted."""
        if self.learned.version != self.settled_version:
            self.settled, self.settled_version = 0, self.learned.version
        if self.sampling and self.settled >= SETTLED_AFTER and self.executions % SAMPLED_EVERY:
            if not self.cold:
                unwanted = self.quiet.keys() - self.learned.sites - self._kept
                self.cold.update({site: self.quiet[site] for site in unwanted})
        else:
            self.settled += 1
            self.cold.clear()

    # -- accesses -----------------------------------------------------------------------------------

    def accessed(self, me: Carrier, kind: Kind, variable: Variable, site: int, value: object) -> None:
        if self.aborting:
            return
        number = variable.number
        if number < 0:
            number = self._introduce(variable, site)
        if kind == READ:
            self.stream.append((me.index, READ, number, site))
            return
        self.stream.append((me.index, WRITE, number, site))
        if variable.name != CONTENT and container_base(type(value)) is not None and id(value) not in self._holders:
            self._holders[id(value)] = (self.cast.variables[number], self.cast.groups[number])
            self._alive.append(value)
            self._kept.add(site)  # else nobody would know whose content it is in executions where the site is cold

    def _introduce(self, variable: Variable, site: int) -> int:
        """A variable is seen for the first time."""
        owner = variable.owner
        group = self._group(owner)
        if variable.name == CONTENT:
            holder = self._holders.get(id(owner))
            if holder is not None:
                named, group = holder
                abstract = named._replace(name=named.name + CONTENT)
            else:
                abstract = self._content_of(owner, site)
                if abstract.owner == name_of(type(owner)):
                    self._unnamed.append(len(self._seen))
        else:
            abstract = self._attribute_of(owner, variable.name, site)
        variable.number = self.cast.add_variable(abstract, group)
        self._seen.append(variable)
        return variable.number

    def _attribute_of(self, owner: Any, name: str, site: int) -> AbstractVariable:
        if issubclass(type(owner), type):
            return AbstractVariable(declaring_owner(self._model, self.table, owner, name), "", name)
        if type(owner) is dict or type(owner) is object or type(owner) is str:  # globals, cells of a call
            known = self._model.named_at(site)
            return AbstractVariable(known[0] if known else self.table[site].file, "", name)
        if id(owner) not in self._created:
            made = in_its_constructor(owner, depth=2)
            self._created[id(owner)] = place_of_creation(self.table, depth=2) if made else self._imported.place(owner)
        return AbstractVariable(
            declaring_owner(self._model, self.table, type(owner), name), self._created[id(owner)], name
        )

    def _content_of(self, container: Any, site: int) -> AbstractVariable:
        """A container that nobody was seen to keep: a global, a local that threads share."""
        known = self._model.named_at(site)
        if known is not None:
            return AbstractVariable(known[0], "", known[1])
        kind = type(container)
        name = name_of_content(kind, self.table[site].name) or name_of(kind)
        return AbstractVariable(name_of(kind), "", name + CONTENT)

    def _name_contents(self) -> None:
        """Others of its sites may tell better what a content is: by its best name it is known, whoever came first."""
        sites: dict[int, set[int]] = {number: set() for number in self._unnamed if self._seen[number].conflicted}
        if not sites:
            return
        for _, kind, target, site in self.stream:
            if target in sites and kind in ACCESSES:
                sites[target].add(site)
        for number, own in sites.items():
            container = self._seen[number].owner
            unnamed = AbstractVariable(name_of(type(container)), "", name_of(type(container)) + CONTENT)
            names = [self._content_of(container, site) for site in sorted(own)]
            self.cast.variables[number] = min(
                names, key=lambda name: (name.owner == unnamed.owner, name == unnamed), default=unnamed
            )

    def _group(self, owner: Any) -> int:
        number = self._groups.get(id(owner))
        if number is None:
            number = self._groups[id(owner)] = len(self._groups) + 1
            self.cast.classes[number] = class_owner(self.table, owner if issubclass(type(owner), type) else type(owner))
            self._alive.append(owner)
        return number

    # -- functions ----------------------------------------------------------------------------------

    def entered(self, me: Carrier, site: int) -> None:
        if self.aborting:
            return
        known = self._functions.get(site)
        if known is None:
            known = self._functions[site] = self._function_at(site)
        name, is_method = known
        self.cast.entered(self._actors[me.index], name)
        self._depths[me.index] = self._depths.get(me.index, 0) + 1
        self.stream.append((me.index, ENTER, self._receiver() if is_method else 0, site))

    def left(self, me: Carrier, site: int) -> None:
        if self.aborting:
            return
        self.stream.append((me.index, LEAVE, 0, site))
        depth = self._depths[me.index] = self._depths.get(me.index, 1) - 1
        if depth <= 0:
            me.site = 0  # back in code without probes, as a pool's worker between two tasks

    def passed_block(self, me: Carrier, site: int) -> None:
        if not self.aborting:
            self.stream.append((me.index, BLOCK, 0, site))

    def _function_at(self, site: int) -> tuple[str, bool]:
        where = self.table[site]
        return f"{where.file}:{where.function}", site in self.cast.functions

    def _receiver(self) -> int:
        """The number of the object whose method just began."""
        frame = sys._getframe(3 if self.switchable is None else 4)
        receiver = first_argument(frame)
        return self._group(receiver) if receiver is not None else 0

    # -- synchronization ----------------------------------------------------------------------------

    def blocked(self, me: Carrier) -> None:
        if not self.aborting and me.kind in (ACQUIRE, DOWN, GET, PUT, WAIT_SET):
            self.stream.append((me.index, BLOCKED, self._resource(me.target), me.site))

    def happened(self, me: Carrier, kind: Kind, target: object, value: object = None) -> None:
        if self.aborting:
            return
        if kind == ACQUIRE:  # the most frequent first
            self._acquired(me, target)
            return
        index, site, add = me.index, me.site, self.stream.append
        if kind == RELEASE:
            number = self._resources.get(id(target))
            if number is None:
                number = self._resource(target)
            called = self._releasing.get(site)
            if called is None:
                called = self._is_release(site)
            add((index, RELEASE, number, site if called else self._taken.get(number, site)))
        elif kind == UP:
            number = self._resource(target)
            add((index, UP, number, site if self._is_release(site) else self._taken.get(number, site)))
        elif kind == WAIT:
            lock = target._lock  # type: ignore[attr-defined]
            add((index, RELEASE, self._resource(lock), site))
            add((index, WAIT, self._resource(target), site))
        elif kind == WOKEN:
            if value:
                add((index, WOKEN, self._resource(target), site))
            self._acquired(me, target._lock)  # type: ignore[attr-defined]
        elif kind in (WAIT_SET, DOWN):
            if value:
                number = self._resource(target)
                add((index, kind, number, site))
                self._taken[number] = site
        elif kind in _STEPS:
            add((index, kind, self._resource(target), site))
        elif isinstance(target, Carrier):
            self._of_thread(me, kind, target)

    def _of_thread(self, me: Carrier, kind: Kind, other: Carrier) -> None:
        add = self.stream.append
        if kind == START:
            actor = self._actors[other.index] = self.cast.add_actor(thread_type(other.thread, other.run_now))
            add((me.index, START, other.index, me.site))
            add((other.index, BEGIN, actor, 0))
        elif kind == END:
            self.cast.ended(self._actors[me.index])
            add((me.index, END, me.index, 0))
        elif kind == JOIN and other.done:
            add((me.index, JOIN, other.index, me.site))

    def noted(self, me: Carrier, kind: Kind, target: Any) -> None:
        if kind == LET_GO:  # also at the end: what was done before is told
            self._let_go(me, target)
            return
        if self.aborting:
            return
        if kind == MADE:
            self._created[id(target)] = place_of_creation(self.table, depth=2)
            self._keep(target)
        elif kind == HOLD:
            self._hold(me, target)
        elif kind == TASK:
            self.cast.ended(self._actors[me.index])
            actor = self._actors[me.index] = self.cast.add_actor(function_name(target))
            self.stream.append((me.index, TASK, actor, 0))
        else:
            self.stream.append((me.index, kind, self._resource(target), me.site))

    def _hold(self, me: Carrier, mutex: Any) -> None:
        """A thread takes a queue's mutex. Whether that is told turns out later: see `_tell_of_mutexes`."""
        key, at = id(mutex), len(self.stream)
        self._mutexes[key] = mutex
        self._holding[me.index, key] = at
        rivals = self._rivals(me, mutex)
        if rivals:
            self._wanted[at] = rivals
        self.stream.append((me.index, HOLD, key, me.site))

    def _let_go(self, me: Carrier, mutex: Any) -> None:
        key = id(mutex)
        at = self._holding.pop((me.index, key), None)
        if at is not None and len(self.stream) > at + 1:
            self._guarding.add(key)
        if at is not None and not self.aborting:
            self.stream.append((me.index, LET_GO, key, me.site))

    def _tell_of_mutexes(self) -> None:
        """A queue's mutex matters if something was done under it that is told; then every thread's holding is told.

        Who held it while nothing was told has passed on what it knew, too.
        """
        numbers = {key: self._resource(mutex) for key, mutex in self._mutexes.items() if key in self._guarding}
        steps = list(self.stream)
        self.stream.clear()
        for at, step in enumerate(steps):
            thread, kind, key, site = step
            if kind not in (HOLD, LET_GO):
                self.stream.append(step)
            elif key in numbers:
                self.stream.append((thread, ACQUIRE if kind == HOLD else RELEASE, numbers[key], site))
                self._keep_waiting(numbers[key], site, self._wanted.get(at, ()))
        self._mutexes.clear()

    def _acquired(self, me: Carrier, lock: Any) -> None:
        number = self._resources.get(id(lock))
        if number is None:
            number = self._resource(lock)
        site = me.site
        self.stream.append((me.index, ACQUIRE, number, site))
        self._taken[number] = site
        rivals = self._rivals(me, lock)
        if rivals:
            self._keep_waiting(number, site, rivals)

    def _rivals(self, me: Carrier, lock: Any) -> list[tuple[int, int]]:
        """Who came to a lock before it was taken, and where: they have to wait now."""
        return [(c.index, c.site) for c in self.live if c.target is lock and c is not me and c.kind == ACQUIRE]

    def _keep_waiting(self, number: int, site: int, rivals: Iterable[tuple[int, int]]) -> None:
        """Told once, however often others get ahead."""
        for index, where in rivals:
            blocked = (index, BLOCKED, number, where)
            if (site, blocked) not in self._told:
                self._told.add((site, blocked))
                self.stream.append(blocked)

    def _is_release(self, site: int) -> bool:
        """Is it a call of `release`? A `with` statement has none: what it gives back is said to be given back there."""
        called = self._releasing.get(site)
        if called is None:
            called = self._releasing[site] = site in self.table and self.table[site].name.endswith("release")
        return called

    def _resource(self, resource: Any) -> int:
        number = self._resources.get(id(resource))
        if number is None:
            abstract = AbstractObject(resource_kind(type(resource)), self._made_at(resource))
            number = self._resources[id(resource)] = self.cast.add_resource(abstract)
            self._keep(resource)
        return number

    def _keep(self, resource: Any) -> None:
        """Its id is its name here: it has to live as long as that, or the name has to go with it."""
        key = id(resource)

        def gone(_: object) -> None:
            self._resources.pop(key, None)
            self._created.pop(key, None)

        try:
            self._alive.append(weakref.ref(resource, gone))  # programs may wait for a lock's end
        except TypeError:
            self._alive.append(resource)

    def _made_at(self, resource: Any) -> str:
        """Where a resource was made: as its lock, for one that has a lock inside. Modules have made some before."""
        for name in ("mutex", "_cond", "_lock", ""):
            place = self._created.get(id(resource)) or self._imported.place(resource)
            if place:
                return place
            resource = getattr(resource, name, resource)
        return ""
