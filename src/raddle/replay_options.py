"""The options needed to replay an execution, and the command or line of Python code that replays it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from raddle.schedule import Schedule


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """The options that a replay of an execution must repeat; None stands for the default value.

    >>> ReplayOptions(setup="fresh").command("log.py::scenario", "T0; T1.")
    "raddle replay log.py::scenario 'T0; T1.' --setup fresh"
    >>> ReplayOptions(setup="fresh", isolate="fork").line("T0; T1.")
    "raddle.replay(scenario, 'T0; T1.', setup=fresh, isolate='fork')"
    """

    setup: str | None = None  # name of the setup function in the module of the scenario
    source: tuple[str, ...] | None = None
    isolate: str | None = None
    step_limit: int | None = None
    patience_seconds: float | None = None
    timeouts: str | None = None
    wakeups: str | None = None
    ranks: int | None = None  # number of ranks of a message-passing program; None for threads
    arguments: tuple[str, ...] | None = None  # of a message-passing program
    sends: str | None = None
    collectives: str | None = None
    polls: int | None = None

    def command(self, target: str, schedule: Schedule | str) -> str:
        """Return the shell command for a replay; `target` is the scenario as given to `raddle replay`.

        >>> ReplayOptions(ranks=3, arguments=("8",), sends="synchronous").command("ring.py", "R0.")
        'raddle mpi replay -n 3 --schedule R0. --sends synchronous ring.py 8'
        >>> ReplayOptions(ranks=3, arguments=("8",)).command("ring.py 8", "R0.")
        'raddle mpi replay -n 3 --schedule R0. ring.py 8'
        """
        if self.ranks is not None:
            options = ["-n", str(self.ranks), "--schedule", str(schedule), *self._arguments()]
            program = target.removesuffix(f" {shlex.join(self.arguments or ())}")  # origins include the arguments
            return shlex.join(["raddle", "mpi", "replay", *options, program, *(self.arguments or ())])
        return shlex.join(["raddle", "replay", target, str(schedule), *self._arguments()])

    def line(self, schedule: Schedule | str) -> str:
        """Return the line of Python code for a replay."""
        if self.ranks is not None:
            given = "".join(
                f", {'argv' if name == 'arguments' else name}={value!r}" for name, value in self.as_json().items()
            )
            return f"raddle.messages.replay(program, {str(schedule)!r}{given})"
        given = "".join(f", {name}={self._code(name, value)}" for name, value in self.as_json().items())
        return f"raddle.replay(scenario, {str(schedule)!r}{given})"

    def _arguments(self) -> Iterator[str]:
        for name, value in self.as_json().items():
            if name in ("ranks", "arguments"):
                continue
            for one in value if isinstance(value, list) else [value]:
                yield from (f"--{name.replace('_', '-')}", str(one))

    @staticmethod
    def _code(name: str, value: Any) -> str:
        return str(value).replace("::", ".") if name == "setup" else repr(value)

    def as_json(self) -> dict[str, Any]:
        """Return the options that differ from their defaults, as JSON data."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in given.items()
            if value is not None
        }

    @classmethod
    def from_json(cls, value: object) -> ReplayOptions:
        """Return the options that a data file contains; unknown ones are ignored.

        >>> ReplayOptions.from_json({"source": ["shop"], "step_limit": 9, "color": "red"}) # doctest: +ELLIPSIS
        ReplayOptions(setup=None, source=('shop',), isolate=None, step_limit=9, ...)
        """
        given = value if isinstance(value, Mapping) else {}
        known = {field.name: given[field.name] for field in fields(cls) if given.get(field.name) is not None}
        for name in ("source", "arguments"):
            texts = known.pop(name, None)
            if isinstance(texts, list):
                known[name] = tuple(map(str, texts))
        return cls(**known)


DEFAULT_REPLAY_OPTIONS = ReplayOptions()
