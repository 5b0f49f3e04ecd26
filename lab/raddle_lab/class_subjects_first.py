"""Ten classes that claim to be thread-safe: data sources of Apache DBCP, and classes of the JDK."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from raddle_lab.class_subject import ClassSubject
from raddle_lab.classes import data_source_registry
from raddle_lab.classes.fixed import data_source_registry as fixed_data_source_registry
from raddle_lab.classes.log_handler import AcceptAll
from raddle_lab.subjects import together

Scenario = Callable[[], None]


def clear_registries() -> None:
    """Forget all data sources, so that each execution starts with the same keys."""
    data_source_registry.REGISTRY.clear()
    fixed_data_source_registry.REGISTRY.clear()


def data_source(cls: type[Any]) -> Scenario:
    def scenario() -> None:
        source = cls()
        source.set_connection_source(None)  # registers the data source, so that the registry is not empty
        together(lambda: source.set_data_source_name("a"), source.close)

    return scenario


def buffered_input_stream(cls: type[Any]) -> Scenario:
    def scenario() -> None:
        stream = cls(io.BytesIO(b"abc"))

        def read() -> None:
            with suppress(OSError):  # the documented result if the stream is closed first
                stream.read()

        together(read, stream.close)

    return scenario


def concurrent_hash_map(cls: type[Any]) -> Scenario:
    def scenario() -> None:
        table = cls()
        table.put("a", table)

        def clear_and_hash() -> None:
            table.clear()
            table.content_hash()

        together(clear_and_hash, lambda: table.put_all(table))

    return scenario


def hashtable(cls: type[Any]) -> Scenario:
    def scenario() -> None:
        table = cls()
        table.put(1, "x")
        together(table.to_string, table.rehash)

    return scenario


def logger(cls: type[Any]) -> Scenario:
    def scenario() -> None:
        log = cls()
        log.set_filter(AcceptAll())
        together(lambda: log.info("m"), lambda: log.set_filter(None))

    return scenario


def string_buffer(cls: type[Any]) -> Scenario:
    def scenario() -> None:
        text = cls("abc")
        together(lambda: text.insert(1, text), lambda: text.delete_char_at(0))

    return scenario


def synchronized_map(cls: type[Any]) -> Scenario:
    def scenario() -> None:
        first, second = cls(), cls()
        together(lambda: first.equals(second), lambda: second.equals(first))

    return scenario


def vector(cls: type[Any]) -> Scenario:
    def scenario() -> None:
        elements = cls()
        elements.add_element("a")

        def empty() -> None:
            elements.remove_all_elements()
            elements.trim_to_size()

        together(lambda: elements.last_index_of("a"), empty)

    return scenario


def list_vector(cls: type[Any]) -> Scenario:
    def scenario() -> None:
        elements = cls()
        elements.add_element("a")
        elements.add_element("b")
        together(lambda: cls(elements), lambda: elements.remove_element_at(0))

    return scenario


def _row(
    identifier: str,
    library: tuple[str, str],  # project and version
    published: tuple[str, str, int, int, int],  # the name of the class, its bug, and its size according to the paper
    module: str,
    class_name: str,
    exposing: Callable[[type], Scenario],
    symptoms: tuple[str, ...],
    calls: str,
    reset: Callable[[], None] | None = None,
) -> ClassSubject:
    """Return a row whose two classes have the same name and are in modules of the same name."""
    name, label, fields, methods, lines = published
    return ClassSubject(
        id=identifier,
        project=library[0],
        version=library[1],
        published_name=name,
        label=label,
        fields=fields,
        methods=methods,
        lines=lines,
        target=f"raddle_lab.classes.{module}:{class_name}",
        fixed=f"raddle_lab.classes.fixed.{module}:{class_name}",
        exposing=exposing,
        symptoms=symptoms,
        calls=calls,
        reset=reset,
    )


SUBJECTS: tuple[ClassSubject, ...] = (
    _row(
        "V1",
        ("Apache DBCP", "1.4"),
        ("PerUserPoolDataSource", "data race", 35, 65, 682),
        "per_user_pool_data_source",
        "PerUserPoolDataSource",
        data_source,
        ("RuntimeError",),
        'set_data_source_name("a") | close()',
        clear_registries,
    ),
    _row(
        "V2",
        ("Apache DBCP", "1.4"),
        ("SharedPoolDataSource", "atomicity", 30, 51, 516),
        "shared_pool_data_source",
        "SharedPoolDataSource",
        data_source,
        ("RuntimeError",),
        'set_data_source_name("a") | close()',
        clear_registries,
    ),
    _row(
        "V3",
        ("JDK", "1.1"),
        ("BufferedInputStream", "atomicity", 7, 9, 237),
        "buffered_input_stream",
        "BufferedInputStream",
        buffered_input_stream,
        # The stream or the buffer is missing, or the other stream is closed already.
        ("AttributeError", "TypeError", "ValueError"),
        "read() | close()",
    ),
    _row(
        "V4",
        ("JDK", "1.6.0"),
        ("ConcurrentHashMap", "atomicity", 15, 29, 1007),
        "concurrent_hash_map",
        "ConcurrentHashMap",
        concurrent_hash_map,
        ("RecursionError",),
        "clear(); content_hash() | put_all(itself)",
    ),
    _row(
        "V5",
        ("JDK", "1.6.0"),
        ("Hashtable", "data race", 14, 31, 558),
        "hashtable",
        "Hashtable",
        hashtable,
        # The iteration begins before the new table is in place, or while the new table is still empty.
        ("RuntimeError", "LookupError"),
        "to_string() | rehash()",
    ),
    _row(
        "V6",
        ("JDK", "1.4.1"),
        ("Logger", "atomicity", 18, 44, 530),
        "logger",
        "Logger",
        logger,
        ("AttributeError",),
        'info("m") | set_filter(None)',
    ),
    _row(
        "V7",
        ("JDK", "1.6.0"),
        ("StringBuffer", "atomicity", 5, 52, 845),
        "string_buffer",
        "StringBuffer",
        string_buffer,
        ("IndexError",),
        "insert(1, itself) | delete_char_at(0)",
    ),
    _row(
        "V8",
        ("JDK", "1.4.2"),
        ("SynchronizedMap", "deadlock", 6, 26, 79),
        "synchronized_map",
        "SynchronizedMap",
        synchronized_map,
        ("deadlock",),
        "equals(second) | second.equals(itself)",
    ),
    _row(
        "V9",
        ("JDK", "1.1.7"),
        ("Vector", "atomicity", 3, 22, 177),
        "vector",
        "Vector",
        vector,
        ("IndexError",),
        'last_index_of("a") | remove_all_elements(); trim_to_size()',
    ),
    _row(
        "V10",
        ("JDK", "1.4.2"),
        ("Vector", "atomicity", 5, 51, 660),
        "list_vector",
        "Vector",
        list_vector,
        # The constructor reads beyond the end, or an iterator over an argument sees a change.
        ("IndexError", "RuntimeError"),
        "Vector(itself) | remove_element_at(0)",
    ),
)
