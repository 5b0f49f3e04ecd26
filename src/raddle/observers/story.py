"""The story recorder: records the events of an execution, from which stories are built."""

from __future__ import annotations

from typing import Any

from raddle.engine.carrier import Carrier
from raddle.engine.engine import Engine
from raddle.engine.observer import Observer
from raddle.engine.variables import Variable
from raddle.event import Event
from raddle.inspection import resource_kind
from raddle.observers.places import Places
from raddle.observers.wording import show, variable_name
from raddle.operation import ACQUIRE, ENTER, LEAVE, Kind
from raddle.site import SiteTable
from raddle.threads.data_model.variables import UNKNOWN
from raddle.trace import Trace


class StoryRecorder(Observer):
    """Records the trace of an execution. Objects are numbered in the order of their first appearance."""

    def __init__(self, table: SiteTable, places: Places) -> None:
        self._table = table
        self._places = places

    def begin(self, engine: Engine) -> None:
        self._world = engine.world
        self.events: list[Event] = []
        self._numbers: dict[int, int] = {}  # maps the id of an object to its number
        self._kept: list[object] = []  # keeps objects alive, because they are identified by id
        self._names: dict[int, str] = {}  # maps the id of a resource to its name
        self._counters: dict[str, int] = {}  # number of resources by class
        self._interned: dict[str, str] = {}  # stores equal names only once

    @property
    def trace(self) -> Trace:
        """The trace of the last execution."""
        return Trace(tuple(self.events))

    def accessed(self, me: Carrier, kind: Kind, variable: Variable, site: int, value: object) -> None:
        where = self._table[site]
        number = self._number(variable.owner)
        shown = "" if value is UNKNOWN else show(value)
        name = variable_name(variable, where.name)
        name = self._interned.setdefault(name, name)
        self.events.append(Event(me.label, kind, name, number, where.file, where.line, site, shown))

    def entered(self, me: Carrier, site: int) -> None:
        where = self._table[site]
        self.events.append(Event(me.label, ENTER, where.function, 0, where.file, where.line, site))

    def left(self, me: Carrier, site: int) -> None:
        where = self._table[site]
        self.events.append(Event(me.label, LEAVE, where.function, 0, where.file, where.line, site))

    def happened(self, me: Carrier, kind: Kind, target: Any, value: object = None) -> None:
        place = self._places.of_caller()
        if isinstance(target, Carrier):
            name, number = ("" if target is me else target.label), 0
        else:
            name = self._world.resource_name(kind, target) or self._name_of(target)
            number = self._number(target)
        if kind == ACQUIRE:
            target.taken_at = place
        shown = "" if value is None or (kind == ACQUIRE and value is True) else show(self._world.shown_value(value))
        self.events.append(Event(me.label, kind, name, number, *place, 0, shown))

    def _number(self, obj: object) -> int:
        number = self._numbers.get(id(obj))
        if number is None:
            number = self._numbers[id(obj)] = len(self._numbers) + 1
            self._kept.append(obj)
        return number

    def _name_of(self, resource: object) -> str:
        """Return the name of a lock or another resource: its class and a number."""
        name = self._names.get(id(resource))
        if name is None:
            kind = resource_kind(type(resource))
            count = self._counters[kind] = self._counters.get(kind, 0) + 1
            name = self._names[id(resource)] = f"{kind} {count}"
            self._kept.append(resource)
        return name
