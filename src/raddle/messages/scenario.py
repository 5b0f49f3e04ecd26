"""Message scenarios: a program, the number of its ranks, and how they are simulated."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from raddle.errors import UsageError
from raddle.execute.session import Session
from raddle.exploring.units import Itself, SearchPlan
from raddle.mpi.input import InputLines
from raddle.mpi.installation import MpiInstallation, Ranks
from raddle.mpi.library.comm import COMM_WORLD, Comm
from raddle.mpi.options import Collectives, MpiOptions, Sends
from raddle.mpi.program import Script
from raddle.origin import Command, Origin
from raddle.pcfg.graph import ITERATIONS
from raddle.pcfg.graph import Options as GraphOptions
from raddle.pcfg.matching import Profile
from raddle.replay_options import ReplayOptions

STEP_LIMIT, PATIENCE_SECONDS, POLLS = 50_000, 5.0, 3
MAX_RANKS = 4096

Program = str | os.PathLike[str] | Callable[[Comm], object]


class SendModes(StrEnum):
    """When the standard sends of an exploration complete."""

    BUFFERED = "buffered"
    SYNCHRONOUS = "synchronous"
    BOTH = "both"  # two searches, one for each

    @property
    def modes(self) -> tuple[Sends, ...]:
        """The modes to explore, one after the other."""
        return tuple(Sends) if self is SendModes.BOTH else (Sends(self.value),)


@dataclass(frozen=True, slots=True)
class MessageScenario:
    """A program with its options. The options are those of `raddle.messages.explore`."""

    program: Program
    ranks: int
    _: KW_ONLY
    argv: tuple[str, ...] = ()
    sends: Sends = Sends.BUFFERED
    collectives: Collectives = Collectives.MINIMAL
    polls: int = POLLS
    step_limit: int = STEP_LIMIT
    patience_seconds: float | None = PATIENCE_SECONDS
    seed: int = 1
    roles: str | None = None  # see `raddle.pcfg.roles`; None to infer them
    profile: Profile = Profile.LITERAL
    iterations: int = ITERATIONS
    input_lines: InputLines = field(default_factory=InputLines, repr=False, compare=False)

    def __post_init__(self) -> None:
        if type(self.ranks) is not int or not 1 <= self.ranks <= MAX_RANKS:
            raise UsageError("bad-ranks", f"ranks must be a number from 1 to {MAX_RANKS}, not {self.ranks!r}")
        if not isinstance(self.polls, int) or self.polls < 0:
            raise UsageError("bad-polls", f"polls must be a number that is not negative, not {self.polls!r}")
        if not isinstance(self.step_limit, int) or self.step_limit < 1:
            raise UsageError("bad-step-limit", f"step_limit must be at least 1, not {self.step_limit!r}")
        if not isinstance(self.iterations, int) or self.iterations < 1:
            raise UsageError("bad-iterations", f"iterations must be at least 1, not {self.iterations!r}")
        if not callable(self.program):
            check_program(self.program)

    def with_sends(self, sends: Sends) -> MessageScenario:
        """Return the same scenario with another mode of sends."""
        return replace(self, sends=sends)

    def domain(self, criteria: Sequence[str] = ()) -> Ranks:
        """Return the domain for executing the scenario."""
        script = None if callable(self.program) else Script(os.fspath(self.program), self.argv)
        return Ranks(
            self.ranks,
            MpiOptions(self.sends, self.collectives, self.polls),
            script,
            self.seed,
            self.input_lines,
            self.patience_seconds,
            tuple(criteria),
            GraphOptions(self.ranks, self.roles, self.profile, self.iterations) if criteria else None,
        )

    def scenario(self, installation: MpiInstallation) -> Callable[[], None]:
        """Return the function that runs all ranks on an installation of this scenario's domain."""
        program = self.program
        if callable(program):
            return installation.scenario(lambda rank: program(COMM_WORLD))
        return installation.scenario()

    def session_options(self, criteria: Sequence[str] = ()) -> dict[str, Any]:
        """Return the options of a session."""
        return {
            "step_limit": self.step_limit,
            "measuring": bool(criteria),
            "criteria": tuple(criteria),
            "replay_options": self._replay_options(),
        }

    def session(self) -> Session:
        """Return a session with a new installation."""
        installation = self.domain().install()
        return Session(self.scenario(installation), installation, **self.session_options())

    def plan(self, installation: MpiInstallation, criteria: tuple[str, ...], **search: Any) -> SearchPlan:
        """Return a plan for a search on an installation; `search` holds the other fields of the plan."""
        return SearchPlan(
            Itself(self.scenario(installation)),
            None,
            self.domain(criteria),
            self.session_options(criteria),
            criteria=criteria,
            origin=str(Origin(Command.EXPLORE, self.command_line)),
            **search,
        )

    @property
    def name(self) -> str:
        """The name of the program: its file, or the name of the function."""
        if callable(self.program):
            return getattr(self.program, "__name__", "program")
        return os.fspath(self.program)

    @property
    def command_line(self) -> str:
        """The program with its arguments. Data files keep the coverage of different arguments apart."""
        return shlex.join([self.name, *self.argv]) if self.argv else self.name

    def _replay_options(self) -> ReplayOptions:
        return ReplayOptions(
            ranks=self.ranks,
            arguments=self.argv or None,
            sends=None if self.sends is Sends.BUFFERED else str(self.sends),
            collectives=None if self.collectives is Collectives.MINIMAL else str(self.collectives),
            polls=None if self.polls == POLLS else self.polls,
            step_limit=None if self.step_limit == STEP_LIMIT else self.step_limit,
        )


def ignoring_communicator(function: Callable[[], object], name: str) -> Callable[[Comm], object]:
    """Return a program that calls a function which has its communicator already."""

    def program(communicator: Comm) -> object:
        return function()

    program.__name__ = name
    return program


def check_program(program: str | os.PathLike[str]) -> None:
    """Raise `UsageError` if a program file cannot be run."""
    if not isinstance(program, (str, os.PathLike)):
        raise UsageError("bad-program", f"the program must be a file or a function, not {program!r}")
    path = Path(program)
    if not path.is_file():
        why = "is a folder" if path.is_dir() else "does not exist"
        raise UsageError("no-such-file", f"the program {os.fspath(program)} {why}; name a Python file")
    try:
        compile(path.read_bytes(), os.fspath(program), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise UsageError("bad-program", f"{os.fspath(program)} is not valid Python: {error}") from None
