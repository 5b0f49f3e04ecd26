"""A facade that turns objects into XML and XML into objects."""

from __future__ import annotations

import io
from collections.abc import Callable
from enum import Enum
from typing import Any, ClassVar, TextIO
from xml.etree import ElementTree

from raddle_lab.classes.xml_converters import (
    ConversionError,
    Converter,
    ConverterLookup,
    ReferenceTable,
    ReflectionProvider,
)
from raddle_lab.classes.xml_mapper import ImplicitField, XmlMapper
from raddle_lab.classes.xml_marshalling import Marshaller, Unmarshaller
from raddle_lab.classes.xml_writer import XmlDriver, XmlWriter


class Mode(Enum):
    """How an object that occurs more than once is written."""

    NO_REFERENCES = "no references"  # it is written again
    ID_REFERENCES = "id references"  # later elements refer to the first one by its number


class ObjectOutputStream:
    """Writes objects to one XML document, one after the other."""

    def __init__(self, xstream: XStream, writer: XmlWriter, root: str) -> None:
        self._xstream = xstream
        self._writer = writer
        self._root = root

    def write_object(self, value: object) -> None:
        self._xstream.marshal(value, self._writer)

    def close(self) -> None:
        """Complete the document."""
        self._writer.end_node(self._root)


class ObjectInputStream:
    """Reads the objects of a document that `ObjectOutputStream` wrote."""

    def __init__(self, xstream: XStream, root: ElementTree.Element) -> None:
        self._xstream = xstream
        self._elements = iter(tuple(root))

    def read_object(self) -> Any:
        """Return the next object; raise EOFError if there is none."""
        element = next(self._elements, None)
        if element is None:
            raise EOFError("the document contains no more objects")
        return self._xstream.unmarshal(element)


class XStream:
    """Writes objects as XML, and reads them.

    Once it is configured, an instance is meant to be shared: several threads may read and write XML with it at the same
    time.
    """

    driver_class: ClassVar[type[XmlDriver]] = XmlDriver

    def __init__(self) -> None:
        self._driver = self.driver_class()
        self._mapper = XmlMapper()
        self._lookup = ConverterLookup()
        self._provider = ReflectionProvider()
        self._mode = Mode.NO_REFERENCES
        self._detects_annotations = False

    def to_xml(self, value: object) -> str:
        """Return a value as an XML document."""
        output = io.StringIO()
        self.write_xml(value, output)
        return output.getvalue()

    def write_xml(self, value: object, output: TextIO) -> None:
        """Write a value as an XML document to a stream."""
        writer = self._driver.create_writer(output)
        writer.start_document()
        self.marshal(value, writer)

    def from_xml(self, text: str) -> Any:
        """Return the value of an XML document; raise ValueError or LookupError if it has none."""
        return self.unmarshal(_parse(text))

    def read_xml(self, reader: TextIO) -> Any:
        """Return the value of the XML document in a stream; raise ValueError or LookupError if it has none."""
        return self.from_xml(reader.read())

    def marshal(self, value: object, writer: XmlWriter, holder: ReferenceTable | None = None) -> None:
        """Write a value as an XML element; calls with the same holder refer to the same numbers of objects."""
        if self.is_autodetecting_annotations():
            self.process_annotations(type(value))
        references = None if self.get_mode() is Mode.NO_REFERENCES else holder or self.new_data_holder()
        Marshaller(self._mapper, self._lookup, self._provider, writer, references).write(value)

    def unmarshal(self, element: ElementTree.Element) -> Any:
        """Return the value of an XML element; raise ValueError or LookupError if it has none."""
        return Unmarshaller(self._mapper, self._lookup, self._provider).read(element)

    def new_data_holder(self) -> ReferenceTable:
        """Return a table in which several calls of `marshal` can keep the numbers of objects."""
        return ReferenceTable()

    def create_object_output_stream(self, output: TextIO, root: str = "object-stream") -> ObjectOutputStream:
        """Start a document to which objects can be written one at a time."""
        writer = self._driver.create_writer(output)
        writer.start_document()
        writer.start_node(root)
        return ObjectOutputStream(self, writer, root)

    def create_object_input_stream(self, reader: TextIO) -> ObjectInputStream:
        """Read a document with several objects; raise ValueError if it is not XML."""
        return ObjectInputStream(self, _parse(reader.read()))

    def alias(self, name: str, kind: type) -> None:
        """Use a name for the elements of a type."""
        self._mapper.alias(name, kind)

    def alias_type(self, name: str, kind: type) -> None:
        """Use a name for the elements of a type and its subclasses."""
        self._mapper.alias_family(name, kind)

    def alias_package(self, name: str, package: str) -> None:
        """Use a name for a package or module in the names of its types."""
        self._mapper.alias_package(name, package)

    def alias_field(self, name: str, kind: type, field: str) -> None:
        """Use a name for the elements of a field."""
        self._mapper.alias_field(name, kind, field)

    def alias_attribute(self, name: str, attribute: str) -> None:
        """Use a name for all fields with a given name that are written as XML attributes."""
        self._mapper.alias_attribute(name, attribute)

    def use_attribute_for(self, kind: type, field: str) -> None:
        """Write a field as an XML attribute."""
        self._mapper.use_attribute(kind, field)

    def use_attribute_for_type(self, kind: type) -> None:
        """Write all fields whose values have a type as XML attributes."""
        self._mapper.use_attribute_for_type(kind)

    def add_default_implementation(self, implementation: type, kind: type) -> None:
        """Make objects of one type when a document names another one."""
        self._mapper.add_default(implementation, kind)

    def add_immutable_type(self, kind: type) -> None:
        """Never write references to objects of a type."""
        self._mapper.add_immutable(kind)

    def is_immutable_type(self, kind: type) -> bool:
        return self._mapper.is_immutable(kind)

    def omit_field(self, kind: type, field: str) -> None:
        """Leave a field out of documents."""
        self._mapper.omit(kind, field)

    def add_implicit_collection(self, kind: type, field: str, item_name: str) -> None:
        """Write the items of a list directly into the element of the object that has it."""
        self._mapper.add_implicit(kind, ImplicitField(field, item_name, list))

    def add_implicit_array(self, kind: type, field: str, item_name: str) -> None:
        """Write the items of a tuple directly into the element of the object that has it."""
        self._mapper.add_implicit(kind, ImplicitField(field, item_name, tuple))

    def add_implicit_map(self, kind: type, field: str, item_name: str, key_field: str) -> None:
        """Write the values of a dict directly into the element of the object; a field of each value is its key."""
        self._mapper.add_implicit(kind, ImplicitField(field, item_name, dict, key_field))

    def register_converter(self, converter: Converter, priority: int = 0) -> None:
        """Use a converter for the types that it accepts, unless another one has a higher priority."""
        self._lookup.register(converter, priority)

    def register_local_converter(self, kind: type, field: str, converter: Converter) -> None:
        """Use a converter for one field of a type."""
        self._lookup.register_local(kind, field, converter)

    def process_annotations(self, kind: type) -> None:
        """Use the settings in a type's attributes `xml_name` (a name) and `xml_omit` (names of fields)."""
        name = vars(kind).get("xml_name")
        if name is not None:
            self.alias(name, kind)
        for field in vars(kind).get("xml_omit", ()):
            self.omit_field(kind, field)

    def autodetect_annotations(self, flag: bool) -> None:
        """Choose whether `process_annotations` is called for the type of each object that is written."""
        self._detects_annotations = flag

    def is_autodetecting_annotations(self) -> bool:
        return self._detects_annotations

    def set_mode(self, mode: Mode) -> None:
        self._mode = mode

    def get_mode(self) -> Mode:
        return self._mode

    def set_class_loader(self, loader: Callable[[str], type | None]) -> None:
        """Set the function that finds types without an alias by their names."""
        self._mapper.set_loader(loader)

    def get_class_loader(self) -> Callable[[str], type | None]:
        return self._mapper.get_loader()

    def get_mapper(self) -> XmlMapper:
        return self._mapper

    def get_converter_lookup(self) -> ConverterLookup:
        return self._lookup

    def get_reflection_provider(self) -> ReflectionProvider:
        return self._provider

    def get_driver(self) -> XmlDriver:
        return self._driver


def _parse(text: str) -> ElementTree.Element:
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ConversionError(f"not an XML document: {error}") from error
