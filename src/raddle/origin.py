"""An origin: the command that ran a program or a scenario, and what it ran."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from enum import StrEnum


class Command(StrEnum):
    """The commands that measure."""

    EXPLORE = "explore"  # a scenario, under control
    PYTEST = "pytest"  # a marked test, under control
    RUN = "run"  # a program, natively
    SEARCH = "search"  # a program, many times


@dataclass(frozen=True, slots=True)
class Origin:
    """Where measurements and findings come from.

    Data files have the text: "explore log.py::scenario", "pytest test_log.py::test_it[1]", "run app.py".

    >>> str(Origin(Command.EXPLORE, "log.py", "scenario"))
    'explore log.py::scenario'
    >>> Origin.parse("pytest test_log.py::test_it[1]").name, Origin.parse("somewhere")
    ('test_it[1]', None)
    """

    command: Command
    file: str  # or all of a program's command line
    name: str = ""  # of the scenario or test

    @property
    def target(self) -> str:
        """The name that the command takes: "log.py::scenario"."""
        return f"{self.file}::{self.name}" if self.name else self.file

    def __str__(self) -> str:
        return f"{self.command} {self.target}"

    @classmethod
    def parse(cls, text: str) -> Origin | None:
        """Return the origin that has this text; None if none has."""
        command, _, target = text.partition(" ")
        file, _, name = target.partition("::")
        return cls(Command(command), file, name) if target and command in Command.__members__.values() else None

    def replay_test(self, schedule: object) -> str:
        """Return the command that replays a schedule, for the origin of a test."""
        return f"pytest {shlex.quote(self.target)} --raddle-replay {shlex.quote(str(schedule))}"
