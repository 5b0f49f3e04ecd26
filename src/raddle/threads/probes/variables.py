"""Which variable an access is about: attributes, contents of containers, and what is reached through proxies."""

from __future__ import annotations

from types import BuiltinFunctionType, ModuleType
from typing import Any

from raddle.engine.variables import Variable, VariableTable
from raddle.inspection import class_attribute, own_fields
from raddle.operation import CONTENT
from raddle.threads.data_model.proxies import behind
from raddle.threads.data_model.variables import attribute_owner, container_base, written_owner
from raddle.threads.patches import NAMES


class Variables:
    """Finds the variables of an execution.

    No code of the program runs to find a variable: objects are inspected by `raddle.inspection`.
    """

    __slots__ = ("_kept", "code_names", "objects", "variable", "views")

    def __init__(self, table: VariableTable) -> None:
        self.variable = table.variable
        self.objects = table.objects
        self.views = table.views
        # By id of a class or module: names of methods, properties and functions, which are not variables.
        self.code_names: dict[int, set[str]] = {}
        self._kept: list[type] = []  # classes that are known by id

    def find(self, obj: Any, name: str) -> Variable | None:
        """Return the variable that reading `obj.name` reads; None if the name means code."""
        real = behind(obj, name)
        if real is not None:
            return self._known_as(obj, name, self.find(real, name))
        owner = attribute_owner(obj, name)
        if owner is None:
            self._note_code(obj, name)
            return None
        variable_of = self.variable
        variable = variable_of(owner, name)
        if owner is obj or issubclass(type(obj), ModuleType):
            return variable
        mine = variable_of(obj, name)
        mine.inherited = variable
        return mine

    def find_written(self, obj: Any, name: str) -> Variable | None:
        """Return the variable that `obj.name = ...` writes; None if a property takes the value, say."""
        real = behind(obj, name)
        if real is not None:
            return self._known_as(obj, name, self.find_written(real, name))
        owner = written_owner(obj, name)
        if owner is None:
            return None
        self.code_names.get(id(obj if issubclass(type(obj), ModuleType) else type(obj)), set()).discard(name)
        if issubclass(type(owner), ModuleType):
            owner = own_fields(owner)
        variable_of = self.variable
        return variable_of(owner, name)

    def find_content(self, obj: Any) -> Variable:
        """Return the variable that stands for the content of a container."""
        fields = self.objects.get(id(obj))
        if fields is None:
            fields = self.objects[id(obj)] = {}
        variable = fields.get(CONTENT)
        if variable is None:
            real = behind(obj)
            if real is None:
                variable = fields[CONTENT] = Variable(obj, CONTENT)
            else:
                variable = self.find_content(real)
                self._known_as(obj, CONTENT, variable)
        return variable

    def container_of(self, obj: Any) -> Any:
        """Return the container whose content is read through `obj`: itself, or what it is a view of; None if none."""
        if container_base(type(obj)) is not None:
            return obj
        known = self.views.get(id(obj))
        return known[1] if known is not None else None

    def forget_proxy(self, proxy: Any) -> None:
        """Forget what was behind a proxy, as another object is now."""
        if self.views.pop(id(proxy), None) is not None:
            self.objects.pop(id(proxy), None)

    def is_function_of(self, module: ModuleType, name: str) -> bool:
        """Whether a name of a module is known to mean code."""
        return name in self.code_names.get(id(module), ())

    def _known_as(self, proxy: Any, name: str, variable: Variable | None) -> Variable | None:
        """Remember that a variable is reached through a proxy, too."""
        if variable is not None:
            self.objects.setdefault(id(proxy), {})[name] = variable
            self.views[id(proxy)] = proxy, variable.owner
        return variable

    def _note_code(self, obj: Any, name: str) -> None:
        cls = type(obj)
        if issubclass(cls, ModuleType):
            self.code_names.setdefault(id(obj), set()).add(name)
        elif not issubclass(cls, type) and container_base(cls) is None and not _keeps_real(cls, name):
            if id(cls) not in self.code_names:
                self._kept.append(cls)
            self.code_names.setdefault(id(cls), set()).add(name)


def _keeps_real(cls: type, name: str) -> bool:
    """Whether a class keeps a function that has a twin, and calls it like a method."""
    found = class_attribute(cls, name)
    return type(found) is BuiltinFunctionType and found in NAMES
