"""Identities: the numbers and abstract names of the objects that steps are about."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from types import FrameType
from typing import Any

from raddle.engine.variables import Variable
from raddle.entities import AbstractObject, AbstractVariable, Entities
from raddle.inspection import name_of, resource_kind
from raddle.instrument.model.owners import attribute_of, class_owner, declaring_owner, method_sites
from raddle.operation import ACCESSES, CONTENT
from raddle.site import SiteTable
from raddle.static_model import StaticModel
from raddle.step import Step
from raddle.threads.data_model.creation_sites import ModuleObjects, unwrap_twin
from raddle.threads.data_model.identity import name_of_content
from raddle.threads.data_model.library import called_by_library
from raddle.threads.data_model.places import Places
from raddle.threads.data_model.variables import is_iterator

INSIDE = -1  # in place of a number
WHOLE = (threading.Barrier, Future, ThreadPoolExecutor)  # what the library has inside of these is not told of


class Identities:
    """The variables, resources and objects of one execution, as its cast names them."""

    def __init__(self, table: SiteTable, model: Callable[[], StaticModel], *, renewed: bool) -> None:
        self._table = table
        self._survey = model
        self._imported = ModuleObjects(table, renewed=renewed)
        self._places = Places(table)

    def begin(self, entities: Entities) -> None:
        """Begin an execution."""
        self._model = self._survey()  # now: what makes it uses locks, and those would be seen
        self._imported.begin()
        self.entities = entities
        entities.functions = method_sites(self._table)
        self._seen: list[Variable] = []
        self._created: dict[int, str] = {}  # by id of an object: where it was made
        self._holders: dict[int, tuple[AbstractVariable, int]] = {}  # by id of a container: whose content it is
        self._unnamed: list[int] = []  # contents of containers whose first site does not say whose they are
        self.resources: dict[int, int] = {}  # by id: the number of a lock or another resource
        self._groups: dict[int, int] = {}
        self._alive: list[object] = []  # ids are names here, so the objects must not go

    # -- variables ----------------------------------------------------------------------------------

    def private(self) -> set[int]:
        """Return the numbers of variables on which no two threads can conflict."""
        return {number for number, variable in enumerate(self._seen) if not variable.conflicted}

    def hold(self, variable: Variable, value: object) -> bool:
        """Note that a variable holds a container; return whether that is news."""
        if variable.name == CONTENT or id(value) in self._holders:
            return False
        self._holders[id(value)] = (self.entities.variables[variable.number], self.entities.groups[variable.number])
        self._alive.append(value)
        return True

    def introduce(self, variable: Variable, site: int) -> int:
        """Return the number of a variable that is seen for the first time."""
        owner = variable.owner
        group = self.group(owner)
        if variable.name == CONTENT:
            holder = self._holders.get(id(owner))
            if holder is not None:
                named, group = holder
                abstract = named._replace(name=named.name + CONTENT)
            else:
                if is_iterator(owner):
                    self.entities.iterators.add(group)
                abstract = self._content_of(owner, site)
                if abstract.owner == name_of(type(owner)):
                    self._unnamed.append(len(self._seen))
        else:
            abstract = self._attribute_of(owner, variable.name, site)
        variable.number = self.entities.add_variable(abstract, group)
        self._seen.append(variable)
        return variable.number

    def _attribute_of(self, owner: Any, name: str, site: int) -> AbstractVariable:
        if issubclass(type(owner), type):
            return AbstractVariable(declaring_owner(self._model, self._table, owner, name), "", name)
        if type(owner) is dict or type(owner) is object or type(owner) is str:  # globals, cells of a call
            known = self._model.variable_at(site)
            return AbstractVariable(known[0] if known else self._table[site].file, "", name)
        return attribute_of(self._model, self._table, type(owner), name, self._place_of(owner))

    def _place_of(self, owner: Any) -> str:
        """Return where an object was made; it is kept alive."""
        place = self._created.get(id(owner))
        if place is None:
            place = self._places.creation_line_of(owner) or self._imported.place(owner)
            self._created[id(owner)] = place
        return place

    def _content_of(self, container: Any, site: int) -> AbstractVariable:
        """Return the name of a container that no variable was seen to hold: a global, a local that threads share."""
        known = self._model.variable_at(site)
        if known is not None:
            return AbstractVariable(known[0], "", known[1])
        kind = type(container)
        name = name_of_content(kind, self._table[site].name) or name_of(kind)
        return AbstractVariable(name_of(kind), "", name + CONTENT)

    def name_contents(self, steps: Iterable[Step]) -> None:
        """Give each content the best name that any of its sites has for it, not that of the first one."""
        sites: dict[int, set[int]] = {number: set() for number in self._unnamed if self._seen[number].conflicted}
        if not sites:
            return
        for _, kind, target, site in steps:
            if target in sites and kind in ACCESSES:
                sites[target].add(site)
        for number, own in sites.items():
            container = self._seen[number].owner
            unnamed = AbstractVariable(name_of(type(container)), "", name_of(type(container)) + CONTENT)
            names = [self._content_of(container, site) for site in sorted(own)]
            self.entities.variables[number] = min(
                names, key=lambda name: (name.owner == unnamed.owner, name == unnamed), default=unnamed
            )

    def group(self, owner: Any) -> int:
        """Return the number of an object whose attributes are variables."""
        number = self._groups.get(id(owner))
        if number is None:
            number = self._groups[id(owner)] = len(self._groups) + 1
            self.entities.classes[number] = class_owner(
                self._table, owner if issubclass(type(owner), type) else type(owner)
            )
            self._alive.append(owner)
        return number

    # -- places -------------------------------------------------------------------------------------

    def made(self, obj: Any, frame: FrameType | None = None) -> None:
        """Note where a resource or another object is being made, or was made just now; `frame` is its constructor's."""
        if id(obj) not in self._created:
            self._created[id(obj)] = self._places.creation_line(frame)
            self._keep(obj)

    def is_unknown(self, obj: Any) -> bool:
        """Return whether nothing shows where an object was made, which therefore was not made by probed code."""
        return id(obj) not in self._created and not self._imported.place(obj)

    def made_with(self, obj: Any, holder: Any) -> None:
        """Note that an object was made when the one that holds it was made: both are named alike."""
        place = self._place_of(holder)
        if place:
            self._created[id(obj)] = place
            self._keep(obj)

    # -- resources ----------------------------------------------------------------------------------

    def resource(self, resource: Any) -> int:
        """Return the number of a lock or another resource; INSIDE for one that is the inside of another one.

        The first use decides: only the library itself uses what it has made for itself.
        """
        number = self.resources.get(id(resource))
        if number is None and called_by_library() and not issubclass(type(resource), WHOLE):
            number = self.resources[id(resource)] = INSIDE
            self._keep(resource)
        elif number is None:
            abstract = AbstractObject(resource_kind(type(resource)), self._made_at(resource))
            number = self.resources[id(resource)] = self.entities.add_resource(abstract)
            self._keep(resource)
        return number

    def _keep(self, obj: Any) -> None:
        """Make sure that an id means one object: keep the object alive, or forget what is known when it goes."""
        key = id(obj)

        def gone(_: object) -> None:
            self.resources.pop(key, None)
            self._created.pop(key, None)

        try:
            self._alive.append(weakref.ref(obj, gone))  # programs may wait for a lock's end
        except TypeError:
            self._alive.append(obj)

    def _made_at(self, resource: Any) -> str:
        """Where a resource was made: as its lock, for one that has a lock inside. Modules have made some before."""
        for name in ("mutex", "_cond", "_lock", ""):
            place = self._created.get(id(resource)) or self._created.get(id(unwrap_twin(resource)))
            place = place or self._imported.place(resource)
            if place:
                return place
            resource = getattr(resource, name, resource)
        return ""
