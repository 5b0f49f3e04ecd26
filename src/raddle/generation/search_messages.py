"""The messages that the search for bugs of a class sends to its supervisor. All of them are picklable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from raddle.errors import RaddleError
from raddle.generation.bug import Bug
from raddle.generation.call_watch import MethodRecord
from raddle.generation.class_search import Counts
from raddle.generation.coverage_meter import MeasuredCoverage
from raddle.generation.search_end import SearchEnd
from raddle.generation.testcase import TestCase


@dataclass(frozen=True, slots=True)
class Status:
    """What the search has done so far."""

    counts: Counts = field(default_factory=Counts)
    seconds: float = 0.0
    records: Mapping[str, MethodRecord] = field(default_factory=dict)  # how the calls of each method ended
    refused: Mapping[str, str] = field(default_factory=dict)  # methods whose calls do not return, and why


@dataclass(frozen=True, slots=True)
class Started:
    """The search begins. The time for instrumenting the modules does not count."""


@dataclass(frozen=True, slots=True)
class Suspected:
    """A failing test that is going to be simplified. A `Found` or `Dismissed` follows unless the process ends."""

    bug: Bug


@dataclass(frozen=True, slots=True)
class Dismissed:
    """The suspected bug cannot be repeated, or is one of those that were found before."""


@dataclass(frozen=True, slots=True)
class Found:
    """A bug. The search continues, but reports another one only if the supervisor agrees."""

    bug: Bug


@dataclass(frozen=True, slots=True)
class Raised:
    """A test that has raised the coverage of `map`, by this many requirements."""

    test: TestCase
    gain: int


@dataclass(frozen=True, slots=True)
class Covered:
    """The coverage so far."""

    coverage: MeasuredCoverage


@dataclass(frozen=True, slots=True)
class Ended:
    """The search has ended."""

    why: SearchEnd
    status: Status
    coverage: MeasuredCoverage = field(default_factory=MeasuredCoverage)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """The class cannot be tested, for a reason that the user can change."""

    error: RaddleError


@dataclass(frozen=True, slots=True)
class Broken:
    """The search has raised an exception that is a bug in raddle."""

    traceback: str


Message: TypeAlias = Status | Started | Suspected | Dismissed | Found | Raised | Covered | Ended | Refused | Broken
