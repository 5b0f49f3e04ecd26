"""Finds the variable of an access: an attribute or the content of a container, possibly reached through a proxy."""

from __future__ import annotations

from types import BuiltinFunctionType, ModuleType
from typing import Any

from raddle.engine.variables import Variable, VariableTable
from raddle.inspection import class_attribute, own_fields
from raddle.operation import CONTENT
from raddle.threads.data_model.proxies import proxied_object
from raddle.threads.data_model.variables import attribute_owner, container_base, written_owner
from raddle.threads.patches import NAMES


class Variables:
    """Finds the variables of an execution.

    Finding a variable never runs the program's code: objects are inspected through `raddle.inspection`.
    """

    __slots__ = ("_kept_alive", "code_names", "objects", "variable", "views")

    def __init__(self, table: VariableTable) -> None:
        self.variable = table.variable
        self.objects = table.objects
        self.views = table.views
        # Maps the id of a class or module to the names of its methods, properties and functions.
        self.code_names: dict[int, set[str]] = {}
        self._kept_alive: list[type] = []  # classes whose ids must stay valid

    def find(self, obj: Any, name: str) -> Variable | None:
        """Return the variable that the expression `obj.name` reads, or None if the attribute is code."""
        real = proxied_object(obj, name)
        if real is not None:
            return self._add_proxy(obj, name, self.find(real, name))
        owner = attribute_owner(obj, name)
        if owner is None:
            self._note_code(obj, name)
            return None
        variable_of = self.variable
        variable = variable_of(owner, name)
        if owner is obj or issubclass(type(obj), ModuleType):
            return variable
        own = variable_of(obj, name)
        own.inherited = variable
        return own

    def find_written(self, obj: Any, name: str) -> Variable | None:
        """Return the variable that `obj.name = ...` writes, or None if there is none, as for a property."""
        real = proxied_object(obj, name)
        if real is not None:
            return self._add_proxy(obj, name, self.find_written(real, name))
        owner = written_owner(obj, name)
        if owner is None:
            return None
        self.code_names.get(id(obj if issubclass(type(obj), ModuleType) else type(obj)), set()).discard(name)
        if issubclass(type(owner), ModuleType):
            owner = own_fields(owner)
        variable_of = self.variable
        return variable_of(owner, name)

    def find_content(self, obj: Any) -> Variable:
        """Return the variable that represents the content of a container."""
        fields = self.objects.get(id(obj))
        if fields is None:
            fields = self.objects[id(obj)] = {}
        variable = fields.get(CONTENT)
        if variable is None:
            real = proxied_object(obj)
            if real is None:
                variable = fields[CONTENT] = Variable(obj, CONTENT)
            else:
                variable = self.find_content(real)
                self._add_proxy(obj, CONTENT, variable)
        return variable

    def container_of(self, obj: Any) -> Any:
        """Return `obj` if it is a container, the underlying container if it is a view, or else None."""
        if container_base(type(obj)) is not None:
            return obj
        view = self.views.get(id(obj))
        return view[1] if view is not None else None

    def forget_proxy(self, proxy: Any) -> None:
        """Forget the variables of a proxy whose proxied object was replaced."""
        if self.views.pop(id(proxy), None) is not None:
            self.objects.pop(id(proxy), None)

    def is_function_of(self, module: ModuleType, name: str) -> bool:
        """Return whether a name in a module is known to be code."""
        return name in self.code_names.get(id(module), ())

    def _add_proxy(self, proxy: Any, name: str, variable: Variable | None) -> Variable | None:
        """Record that a variable can also be reached through a proxy; return the variable."""
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
                self._kept_alive.append(cls)
            self.code_names.setdefault(id(cls), set()).add(name)


def _keeps_real(cls: type, name: str) -> bool:
    """Return whether a class attribute is a real function that has a twin, such as a clock."""
    found = class_attribute(cls, name)
    return type(found) is BuiltinFunctionType and found in NAMES
