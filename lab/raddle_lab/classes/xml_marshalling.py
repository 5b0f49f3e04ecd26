"""Writing objects as XML elements, and reading them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element

from raddle_lab.classes.xml_converters import ConversionError, ConverterLookup, ReferenceTable, ReflectionProvider
from raddle_lab.classes.xml_mapper import ImplicitField, XmlMapper
from raddle_lab.classes.xml_writer import XmlWriter

HINTED_TYPES: Mapping[str, type] = {"int": int, "float": float, "bool": bool, "str": str}


class Marshaller:
    """Writes objects; each call has its own marshaller."""

    def __init__(
        self,
        mapper: XmlMapper,
        lookup: ConverterLookup,
        provider: ReflectionProvider,
        writer: XmlWriter,
        references: ReferenceTable | None,
    ) -> None:
        self._mapper = mapper
        self._lookup = lookup
        self._provider = provider
        self._writer = writer
        self._references = references  # None if objects that occur twice are written twice
        self._open: list[object] = []  # objects whose elements are not complete

    def write(self, value: object, name: str | None = None) -> None:
        """Write a value as an element; with a name, the element has its type as an attribute."""
        kind = type(value)
        attributes = {} if name is None else {"class": self._mapper.name_of(kind)}
        name = name or self._mapper.name_of(kind)
        converter = self._lookup.for_type(kind)
        if value is None or converter is not None:
            self._write_text(name, attributes, "" if value is None else converter.to_text(value))
        elif self._is_reference(value):
            attributes["reference"] = str(self._references.number_of(value))
            self._write_text(name, attributes, "")
        else:
            self._write_parts(value, name, attributes)

    def _is_reference(self, value: object) -> bool:
        return self._references is not None and self._references.number_of(value) is not None

    def _write_text(self, name: str, attributes: dict[str, str], text: str) -> None:
        self._writer.start_node(name, attributes)
        self._writer.write_text(text)
        self._writer.end_node(name)

    def _write_parts(self, value: object, name: str, attributes: dict[str, str]) -> None:
        if any(each is value for each in self._open):
            raise ConversionError("the object contains itself; choose a mode with references")
        if self._references is not None and not self._mapper.is_immutable(type(value)):
            attributes["id"] = str(self._references.add(value))
        self._open.append(value)
        if isinstance(value, dict):
            self._writer.start_node(name, attributes)
            for key, item in value.items():
                self._writer.start_node("entry")
                self.write(key)
                self.write(item)
                self._writer.end_node("entry")
        elif isinstance(value, (list, tuple)):
            self._writer.start_node(name, attributes)
            for item in value:
                self.write(item)
        else:
            self._write_object(value, name, attributes)
        self._writer.end_node(name)
        self._open.pop()

    def _write_object(self, value: object, name: str, attributes: dict[str, str]) -> None:
        kind = type(value)
        fields = {
            field: item
            for field, item in self._provider.fields_of(value).items()
            if not self._mapper.is_omitted(kind, field)
        }
        for field, item in tuple(fields.items()):
            if self._mapper.is_attribute(kind, field, item):
                attributes[self._mapper.attribute_name(field)] = self._attribute_text(item)
                del fields[field]
        self._writer.start_node(name, attributes)
        implicit = {each.field: each for each in self._mapper.implicit_fields(kind)}
        for field, item in fields.items():
            converter = self._lookup.for_field(kind, field)
            if converter is not None:
                self._write_text(self._mapper.field_name(kind, field), {}, converter.to_text(item))
            elif field in implicit:
                for each in item.values() if isinstance(item, dict) else item:
                    self.write(each, implicit[field].item_name)
            else:
                self.write(item, self._mapper.field_name(kind, field))

    def _attribute_text(self, value: object) -> str:
        converter = self._lookup.for_type(type(value))
        if converter is None:
            raise ConversionError(f"an object of type {type(value).__name__} cannot be written as an attribute")
        return converter.to_text(value)


class Unmarshaller:
    """Reads objects; each call has its own unmarshaller."""

    def __init__(self, mapper: XmlMapper, lookup: ConverterLookup, provider: ReflectionProvider) -> None:
        self._mapper = mapper
        self._lookup = lookup
        self._provider = provider
        self._objects: dict[str, Any] = {}  # objects by number

    def read(self, element: Element) -> Any:
        """Return the value that an element represents."""
        if "reference" in element.attrib:
            return self._referenced(element.attrib["reference"])
        kind = self._mapper.type_of(element.get("class", element.tag))
        converter = self._lookup.for_type(kind)
        if kind is type(None):
            return None
        if converter is not None:
            return converter.from_text(element.text or "", kind)
        if kind is tuple:
            return self._remember(element, tuple(self.read(child) for child in element))
        if kind is list:
            items: list[Any] = self._remember(element, [])
            items.extend(self.read(child) for child in element)
            return items
        if kind is dict:
            entries: dict[Any, Any] = self._remember(element, {})
            for entry in element:
                key, value = entry
                entries[self.read(key)] = self.read(value)
            return entries
        return self._read_object(element, kind)

    def _referenced(self, number: str) -> Any:
        if number not in self._objects:
            raise ConversionError(f"no object has the number {number}")
        return self._objects[number]

    def _remember(self, element: Element, value: Any) -> Any:
        if "id" in element.attrib:
            self._objects[element.attrib["id"]] = value
        return value

    def _read_object(self, element: Element, kind: type) -> Any:
        value = self._remember(element, self._provider.new_instance(kind))
        implicit = {each.item_name: each for each in self._mapper.implicit_fields(kind)}
        collected: dict[str, list[Any]] = {each.field: [] for each in implicit.values()}
        for name, text in element.attrib.items():
            if name not in ("class", "id"):
                field = self._mapper.attribute_of(name)
                self._provider.write_field(value, field, self._attribute_value(kind, field, text))
        for child in element:
            if child.tag in implicit:
                collected[implicit[child.tag].field].append(self.read(child))
                continue
            field = self._mapper.field_of(kind, child.tag)
            converter = self._lookup.for_field(kind, field)
            item = converter.from_text(child.text or "", str) if converter is not None else self.read(child)
            self._provider.write_field(value, field, item)
        for each in implicit.values():
            self._provider.write_field(value, each.field, _container(each, collected[each.field]))
        return value

    def _attribute_value(self, kind: type, field: str, text: str) -> Any:
        """Convert the text of an attribute to the type in the field's annotation, if that is a basic type."""
        hint = getattr(kind, "__annotations__", {}).get(field, str)
        wanted = HINTED_TYPES.get(hint if isinstance(hint, str) else getattr(hint, "__name__", "str"), str)
        converter = self._lookup.for_type(wanted)
        return converter.from_text(text, wanted) if converter is not None else text


def _container(implicit: ImplicitField, items: list[Any]) -> Any:
    if implicit.container is dict:
        return {getattr(item, implicit.key_field): item for item in items}
    return implicit.container(items)
