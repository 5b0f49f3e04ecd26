"""An origin: the command that ran a program or scenario, and its target."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from enum import StrEnum


class Command(StrEnum):
    """The commands that measure coverage."""

    EXPLORE = "explore"  # controlled executions of a scenario
    PYTEST = "pytest"  # controlled executions of a marked test
    RUN = "run"  # native execution of a program
    SEARCH = "search"  # repeated executions of a program


@dataclass(frozen=True, slots=True)
class Origin:
    """The command and target that measurements and findings come from.

    Data files store an origin as text: "explore log.py::scenario", "pytest test_log.py::test_it[1]", "run app.py".

    >>> str(Origin(Command.EXPLORE, "log.py", "scenario"))
    'explore log.py::scenario'
    >>> Origin.parse("pytest test_log.py::test_it[1]").name, Origin.parse("somewhere")
    ('test_it[1]', None)
    """

    command: Command
    file: str  # the file, or the whole command line of a program
    name: str = ""  # name of the scenario or test

    @property
    def target(self) -> str:
        """The target as given to the command: "log.py::scenario"."""
        return f"{self.file}::{self.name}" if self.name else self.file

    def __str__(self) -> str:
        return f"{self.command} {self.target}"

    @classmethod
    def parse(cls, text: str) -> Origin | None:
        """Parse the text of an origin; return None if the text is invalid."""
        command, _, target = text.partition(" ")
        file, _, name = target.partition("::")
        return cls(Command(command), file, name) if target and command in Command.__members__.values() else None

    def replay_test(self, schedule: object) -> str:
        """Return the pytest command that replays a schedule. Use this only for the origin of a test."""
        return f"pytest {shlex.quote(self.target)} --raddle-replay {shlex.quote(str(schedule))}"
