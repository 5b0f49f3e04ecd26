"""Conversion between single values and texts, and access to the fields of objects."""

from __future__ import annotations

from typing import Any, Protocol


class ConversionError(ValueError):
    """A value cannot be written, or a text or an element does not represent a value."""


class Converter(Protocol):
    """Converts values of some types to texts and back."""

    def can_convert(self, kind: type) -> bool: ...

    def to_text(self, value: object) -> str: ...

    def from_text(self, text: str, kind: type) -> object: ...


class BasicConverter:
    """Converts numbers, truth values and texts."""

    def can_convert(self, kind: type) -> bool:
        return kind in (int, float, bool, str)

    def to_text(self, value: object) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    def from_text(self, text: str, kind: type) -> object:
        return text == "true" if kind is bool else kind(text)


class ConverterLookup:
    """The registered converters; among those for a type, the one with the highest priority is used."""

    def __init__(self) -> None:
        self._converters: tuple[tuple[int, Converter], ...] = ()
        self._local: dict[tuple[type, str], Converter] = {}
        self.register(BasicConverter(), -10)

    def register(self, converter: Converter, priority: int) -> None:
        self._converters = tuple(
            sorted((*self._converters, (priority, converter)), key=lambda entry: entry[0], reverse=True)
        )

    def register_local(self, kind: type, field: str, converter: Converter) -> None:
        self._local[kind, field] = converter

    def for_type(self, kind: type) -> Converter | None:
        """Return the converter for a type, or None."""
        return next((converter for _, converter in self._converters if converter.can_convert(kind)), None)

    def for_field(self, kind: type, field: str) -> Converter | None:
        """Return the converter that is registered for one field of a type, or None."""
        return self._local.get((kind, field))


class ReflectionProvider:
    """Makes objects without calling their constructors, and reads and writes their fields."""

    def new_instance(self, kind: type) -> Any:
        return object.__new__(kind)

    def fields_of(self, value: object) -> dict[str, Any]:
        """Return the fields of an object; raise `ConversionError` if it has no `__dict__`."""
        fields = getattr(value, "__dict__", None)
        if not isinstance(fields, dict):
            raise ConversionError(f"an object of type {type(value).__name__} has no fields to write")
        return dict(fields)

    def write_field(self, target: object, field: str, value: object) -> None:
        setattr(target, field, value)


class ReferenceTable:
    """Numbers objects in the order in which they are written."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[int, object]] = {}  # keeps the objects, so that their ids stay unique

    def number_of(self, value: object) -> int | None:
        """Return the number of an object, or None if it has not been written."""
        entry = self._entries.get(id(value))
        return entry[0] if entry else None

    def add(self, value: object) -> int:
        number = len(self._entries) + 1
        self._entries[id(value)] = (number, value)
        return number
