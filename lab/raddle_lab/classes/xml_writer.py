"""Writers of XML, and the driver that makes them."""

from __future__ import annotations

from typing import TextIO
from xml.sax.saxutils import escape, quoteattr


class XmlWriter:
    """Writes the elements of an XML document to a stream."""

    def __init__(self, output: TextIO) -> None:
        self._output: TextIO | None = output
        self._depth = 0

    def reset(self) -> None:
        """Forget the stream and the open elements, so that the writer can be used again."""
        self._depth = 0
        self._output = None

    def set_output(self, output: TextIO) -> None:
        self._output = output

    def get_depth(self) -> int:
        """Return the number of open elements."""
        return self._depth

    def start_document(self) -> None:
        self._output.write('<?xml version="1.0"?>')

    def start_node(self, name: str, attributes: dict[str, str] | None = None) -> None:
        self._depth += 1
        texts = [f" {key}={quoteattr(value)}" for key, value in (attributes or {}).items()]
        self._output.write(f"<{name}{''.join(texts)}>")

    def write_text(self, text: str) -> None:
        self._output.write(escape(text))

    def end_node(self, name: str) -> None:
        self._depth -= 1
        self._output.write(f"</{name}>")


class XmlDriver:
    """Makes writers; a writer that was made before is used again."""

    def __init__(self) -> None:
        self._writer: XmlWriter | None = None

    def create_writer(self, output: TextIO) -> XmlWriter:
        """Return a writer for a stream."""
        if self._writer is not None:
            self._writer.reset()
            self._writer.set_output(output)
        else:
            self._writer = XmlWriter(output)
        return self._writer
