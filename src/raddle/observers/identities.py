"""Identities: assigns numbers and abstract names to the variables, resources and objects in steps."""

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

INTERNAL = -1  # replaces the number of a resource that the standard library uses internally
REPORTED_AS_WHOLE = (threading.Barrier, Future, ThreadPoolExecutor)  # the resources inside such objects are internal


class Identities:
    """Assigns numbers and names to the variables, resources and objects of one execution.

    `renewed` means that a setup function may replace module-level objects before each execution.
    """

    def __init__(self, table: SiteTable, model: Callable[[], StaticModel], *, renewed: bool) -> None:
        self._table = table
        self._make_model = model
        self._imported = ModuleObjects(table, renewed=renewed)
        self._places = Places(table)

    def begin(self, entities: Entities) -> None:
        """Prepare for a new execution."""
        self._model = self._make_model()  # building it during the execution would record lock operations
        self._imported.begin()
        self.entities = entities
        entities.functions = method_sites(self._table)
        self._variables: list[Variable] = []  # by number
        self._created: dict[int, str] = {}  # maps the id of an object to its creation line
        self._holders: dict[int, tuple[AbstractVariable, int]] = {}  # maps a container's id to its holder and group
        self._unnamed: list[int] = []  # numbers of container contents whose first site does not name the container
        self.resources: dict[int, int] = {}  # maps the id of a lock or another resource to its number
        self._groups: dict[int, int] = {}  # maps the id of an object to the number of its group of variables
        self._alive: list[object] = []  # keeps objects alive, because they are identified by id

    # -- variables ----------------------------------------------------------------------------------

    def private(self) -> set[int]:
        """Return the numbers of the variables without conflicting accesses."""
        return {number for number, variable in enumerate(self._variables) if not variable.conflicted}

    def record_holder(self, variable: Variable, value: object) -> bool:
        """Record that a variable holds a container; return False if the holder was already known."""
        if variable.name == CONTENT or id(value) in self._holders:
            return False
        self._holders[id(value)] = (self.entities.variables[variable.number], self.entities.groups[variable.number])
        self._alive.append(value)
        return True

    def add_variable(self, variable: Variable, site: int) -> int:
        """Assign a number and a name to a newly accessed variable; return its number."""
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
                    self._unnamed.append(len(self._variables))
        else:
            abstract = self._attribute_of(owner, variable.name, site)
        variable.number = self.entities.add_variable(abstract, group)
        self._variables.append(variable)
        return variable.number

    def _attribute_of(self, owner: Any, name: str, site: int) -> AbstractVariable:
        if issubclass(type(owner), type):
            return AbstractVariable(declaring_owner(self._model, self._table, owner, name), "", name)
        if type(owner) is dict or type(owner) is object or type(owner) is str:  # a global or closure variable
            named = self._model.variable_at(site)
            return AbstractVariable(named[0] if named else self._table[site].file, "", name)
        return attribute_of(self._model, self._table, type(owner), name, self._place_of(owner))

    def _place_of(self, owner: Any) -> str:
        """Return the creation line of an object that is kept alive; "" if it is unknown."""
        place = self._created.get(id(owner))
        if place is None:
            place = self._places.creation_line_of(owner) or self._imported.place(owner)
            self._created[id(owner)] = place
        return place

    def _content_of(self, container: Any, site: int) -> AbstractVariable:
        """Return the name of the content of a container in a global, a shared local or another unrecorded holder."""
        named = self._model.variable_at(site)
        if named is not None:
            return AbstractVariable(named[0], "", named[1])
        kind = type(container)
        name = name_of_content(kind, self._table[site].name) or name_of(kind)
        return AbstractVariable(name_of(kind), "", name + CONTENT)

    def name_contents(self, steps: Iterable[Step]) -> None:
        """Give the content of each container without a known holder the best name that any access site provides."""
        sites: dict[int, set[int]] = {number: set() for number in self._unnamed if self._variables[number].conflicted}
        if not sites:
            return
        for _, kind, target, site in steps:
            if target in sites and kind in ACCESSES:
                sites[target].add(site)
        for number, own in sites.items():
            container = self._variables[number].owner
            unnamed = AbstractVariable(name_of(type(container)), "", name_of(type(container)) + CONTENT)
            names = [self._content_of(container, site) for site in sorted(own)]
            self.entities.variables[number] = min(
                names, key=lambda name: (name.owner == unnamed.owner, name == unnamed), default=unnamed
            )

    def group(self, owner: Any) -> int:
        """Return the group number of an object whose attributes are variables."""
        number = self._groups.get(id(owner))
        if number is None:
            number = self._groups[id(owner)] = len(self._groups) + 1
            self.entities.classes[number] = class_owner(
                self._table, owner if issubclass(type(owner), type) else type(owner)
            )
            self._alive.append(owner)
        return number

    # -- places -------------------------------------------------------------------------------------

    def record_creation(self, obj: Any, frame: FrameType | None = None) -> None:
        """Record the creation line of an object that is being created; `frame` is the frame of its constructor."""
        if id(obj) not in self._created:
            self._created[id(obj)] = self._places.creation_line(frame)
            self._keep(obj)

    def has_unknown_creation(self, obj: Any) -> bool:
        """Return whether the creation line of an object is unknown, because code without probes created it."""
        return id(obj) not in self._created and not self._imported.place(obj)

    def record_created_with(self, obj: Any, holder: Any) -> None:
        """Record that an object was created together with its holder, so that both have the same creation line."""
        place = self._place_of(holder)
        if place:
            self._created[id(obj)] = place
            self._keep(obj)

    # -- resources ----------------------------------------------------------------------------------

    def resource(self, resource: Any) -> int:
        """Return the number of a lock or another resource; INTERNAL if the standard library uses it internally.

        The first use decides: if the library uses a resource first, it is internal.
        """
        number = self.resources.get(id(resource))
        if number is None and called_by_library() and not issubclass(type(resource), REPORTED_AS_WHOLE):
            number = self.resources[id(resource)] = INTERNAL
            self._keep(resource)
        elif number is None:
            abstract = AbstractObject(resource_kind(type(resource)), self._creation_line(resource))
            number = self.resources[id(resource)] = self.entities.add_resource(abstract)
            self._keep(resource)
        return number

    def _keep(self, obj: Any) -> None:
        """Forget an object's entries when it is garbage-collected, because its id may be reused.

        An object that cannot be weakly referenced is kept alive.
        """
        key = id(obj)

        def forget(_: object) -> None:
            self.resources.pop(key, None)
            self._created.pop(key, None)

        try:
            self._alive.append(weakref.ref(obj, forget))  # weak, because programs may depend on a lock being collected
        except TypeError:
            self._alive.append(obj)

    def _creation_line(self, resource: Any) -> str:
        """Return the creation line of a resource, or else that of the lock inside it; "" if both are unknown."""
        for name in ("mutex", "_cond", "_lock", ""):
            place = self._created.get(id(resource)) or self._created.get(id(unwrap_twin(resource)))
            place = place or self._imported.place(resource)
            if place:
                return place
            resource = getattr(resource, name, resource)
        return ""
