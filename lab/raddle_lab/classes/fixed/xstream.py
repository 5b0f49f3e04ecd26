"""A facade that turns objects into XML and XML into objects."""

from __future__ import annotations

from typing import TextIO

from raddle_lab.classes import xstream
from raddle_lab.classes.one_lock import synchronized
from raddle_lab.classes.xml_writer import XmlDriver, XmlWriter


class SeparateWriters(XmlDriver):
    """Makes a new writer for each stream."""

    def create_writer(self, output: TextIO) -> XmlWriter:
        return XmlWriter(output)


@synchronized
class XStream(xstream.XStream):
    """A facade with a lock that each method holds, and whose writers are never used again."""

    driver_class = SeparateWriters
