"""How the names in XML documents correspond to Python types and attributes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

BASIC_TYPES: dict[str, type] = {
    "int": int,
    "float": float,
    "boolean": bool,
    "string": str,
    "list": list,
    "tuple": tuple,
    "map": dict,
    "null": type(None),
}


@dataclass(frozen=True, slots=True)
class ImplicitField:
    """A collection whose items are written directly into the element of the object that has it."""

    field: str
    item_name: str
    container: type  # list, tuple or dict
    key_field: str = ""  # the attribute of the items that is their key in a dict


class XmlMapper:
    """Translates between types or attributes and their names in XML documents."""

    def __init__(self) -> None:
        self._type_of_name = dict(BASIC_TYPES)
        self._name_of_type = {kind: name for name, kind in BASIC_TYPES.items()}
        self._families: dict[type, str] = {}
        self._packages: dict[str, str] = {}
        self._field_aliases: dict[tuple[type, str], str] = {}
        self._attribute_aliases: dict[str, str] = {}
        self._attributes: set[tuple[type, str]] = set()
        self._attribute_types: set[type] = set()
        self._defaults: dict[type, type] = {}
        self._immutable = {int, float, bool, str, type(None)}
        self._omitted: set[tuple[type, str]] = set()
        self._implicit: dict[type, tuple[ImplicitField, ...]] = {}
        self._load: Callable[[str], type | None] = BASIC_TYPES.get

    def alias(self, name: str, kind: type) -> None:
        self._type_of_name[name] = kind
        self._name_of_type[kind] = name

    def alias_family(self, name: str, kind: type) -> None:
        """Name a type and all its subclasses."""
        self._families[kind] = name
        self._type_of_name[name] = kind

    def alias_package(self, name: str, package: str) -> None:
        self._packages[package] = name

    def alias_field(self, name: str, kind: type, field: str) -> None:
        self._field_aliases[kind, field] = name

    def alias_attribute(self, name: str, attribute: str) -> None:
        self._attribute_aliases[attribute] = name

    def use_attribute(self, kind: type, field: str) -> None:
        self._attributes.add((kind, field))

    def use_attribute_for_type(self, kind: type) -> None:
        self._attribute_types.add(kind)

    def add_default(self, implementation: type, kind: type) -> None:
        self._defaults[kind] = implementation

    def default_of(self, kind: type) -> type:
        """Return the type of which an object is made if a document names the given type."""
        return self._defaults.get(kind, kind)

    def add_immutable(self, kind: type) -> None:
        self._immutable.add(kind)

    def is_immutable(self, kind: type) -> bool:
        return kind in self._immutable

    def omit(self, kind: type, field: str) -> None:
        self._omitted.add((kind, field))

    def is_omitted(self, kind: type, field: str) -> bool:
        return (kind, field) in self._omitted

    def add_implicit(self, kind: type, implicit: ImplicitField) -> None:
        self._implicit[kind] = (*self.implicit_fields(kind), implicit)

    def implicit_fields(self, kind: type) -> tuple[ImplicitField, ...]:
        return self._implicit.get(kind, ())

    def set_loader(self, load: Callable[[str], type | None]) -> None:
        self._load = load

    def get_loader(self) -> Callable[[str], type | None]:
        return self._load

    def name_of(self, kind: type) -> str:
        """Return the element name of a type."""
        name = self._name_of_type.get(kind)
        if name is not None:
            return name
        for base in kind.__mro__:
            family = self._families.get(base)
            if family is not None:
                return family
        package = self._packages.get(kind.__module__, kind.__module__)
        return f"{package}.{kind.__qualname__}"

    def type_of(self, name: str) -> type:
        """Return the type with an element name; raise LookupError if there is none."""
        kind = self._type_of_name.get(name) or self._load(name)
        if kind is None:
            raise LookupError(f"no type has the name {name!r}; give it one with alias()")
        return self.default_of(kind)

    def field_name(self, kind: type, field: str) -> str:
        """Return the name of a field in documents."""
        return self._field_aliases.get((kind, field), field)

    def field_of(self, kind: type, name: str) -> str:
        """Return the field that has a name in documents."""
        aliases = tuple(self._field_aliases.items())
        return next((field for (owner, field), alias in aliases if owner is kind and alias == name), name)

    def attribute_name(self, attribute: str) -> str:
        """Return the name of an XML attribute in documents."""
        return self._attribute_aliases.get(attribute, attribute)

    def attribute_of(self, name: str) -> str:
        """Return the field that is written as an XML attribute with a name."""
        return next((field for field, alias in tuple(self._attribute_aliases.items()) if alias == name), name)

    def is_attribute(self, kind: type, field: str, value: object) -> bool:
        """Return whether a field is written as an attribute of its object's element."""
        return (kind, field) in self._attributes or type(value) in self._attribute_types
