"""One row of the table of classes that claim to be thread-safe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClassSubject:
    """A class with a known concurrency bug, and the calls that expose the bug."""

    id: str  # "V3"
    project: str  # "JDK"
    version: str
    published_name: str  # the name of the Java class
    label: str  # the paper's name for the kind of bug: "data race", "atomicity", "deadlock"; "" if it gives none
    fields: int  # number of fields, of methods and of lines of code according to the paper; 0 if it gives none
    methods: int
    lines: int
    target: str  # "raddle_lab.classes.buffered_input_stream:BufferedInputStream"
    fixed: str  # "raddle_lab.classes.fixed.buffered_input_stream:BufferedInputStream"
    exposing: Callable[[type], Callable[[], None]]  # given the class, returns a scenario that exposes the bug
    symptoms: tuple[str, ...]  # the accepted symptoms: names of exceptions, "deadlock" or "wrong result"
    calls: str  # the exposing calls, such as "read() | close()"
    reset: Callable[[], None] | None = None  # restores class-level state before an execution
