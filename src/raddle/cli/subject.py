"""What a search is about: a scenario under control, or a command with its own threads."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from contextlib import redirect_stdout
from functools import partial
from typing import Any, Protocol

from rich.console import Console

from raddle import api
from raddle.cli.said import said
from raddle.cli.screen import show_finding
from raddle.cli.target import load_scenario
from raddle.errors import UsageError
from raddle.record import Record
from raddle.refusal import NotInstrumented
from raddle.report.coverage import Row, contents_of, rows
from raddle.tuning.command_runs import CommandRuns, Failures
from raddle.tuning.configurations import Configuration, Space, no_noise, noise_space, scheduler_space
from raddle.tuning.scenario_runs import ScenarioRuns
from raddle.tuning.search import Measured

EXECUTIONS_OF_SCENARIO, EXECUTIONS_OF_COMMAND = 20, 3
SCENARIO_ONLY = ("switches", "setup", "isolate", "step_limit", "patience_seconds", "shrink")
COMMAND_ONLY = ("run_seconds",)


def _rows(record: Record | None) -> list[Row]:
    return [] if record is None else rows(contents_of(record))


class Subject(Protocol):
    """What is searched, how it is evaluated, and what went wrong on the way."""

    what: str
    executions: int  # of each evaluation
    space: Space[Configuration]
    first: Configuration | None
    notes: dict[str, None]
    not_instrumented: dict[NotInstrumented, None]

    @property
    def not_stored(self) -> str:
        """Why something could not be stored; "" where all was."""

    def evaluate(self, configuration: Configuration, seconds: float | None) -> Measured:
        """A few executions."""

    def rows(self) -> list[Row]:
        """What all evaluations covered together, out of how much."""

    def findings(self) -> list[dict[str, Any]]:
        """For machines."""

    def show_findings(self, screen: Console) -> None:
        """For people."""


class ScenarioSubject:
    """A scenario, run by schedulers."""

    first: Configuration | None = None

    def __init__(self, target: Sequence[str], options: dict[str, Any]) -> None:
        if len(target) > 1:
            raise UsageError("bad-search", f"a scenario takes no arguments, so what is {target[1]!r}?")
        self.what = target[0]
        self.executions = options.get("repeat", EXECUTIONS_OF_SCENARIO)
        self.space = scheduler_space()
        settings = {name: options[name] for name in ("source", *SCENARIO_ONLY) if name in options}
        shrink = settings.pop("shrink", True)
        if "setup" in settings:
            settings["setup"] = load_scenario(f"{self.what.partition('::')[0]}::{settings['setup']}")
        explore = partial(api.explore, load_scenario(self.what), criteria=options["criteria"], **settings)
        self._runs = ScenarioRuns(explore, executions=self.executions, data_file=options["data_file"], shrink=shrink)
        self.notes, self.not_instrumented = self._runs.notes, self._runs.not_instrumented

    @property
    def not_stored(self) -> str:
        return self._runs.not_stored

    def evaluate(self, configuration: Configuration, seconds: float | None) -> Measured:
        # What the scenario prints, it prints in every execution: `raddle replay` shows it once.
        with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
            return self._runs(configuration, seconds)

    def rows(self) -> list[Row]:
        return _rows(self._runs.record)

    def findings(self) -> list[dict[str, Any]]:
        return [
            finding.as_json() | {"configuration": list(configuration.arguments)}
            for finding, configuration in self._runs.findings.values()
        ]

    def show_findings(self, screen: Console) -> None:
        for finding, configuration in self._runs.findings.values():
            show_finding(screen, finding, self.what)
            screen.print(said(f"first found with {configuration}", style="dim"))
            screen.print()


class CommandSubject:
    """A program, run with noise; first without, to compare with."""

    first: Configuration | None = no_noise()

    def __init__(self, command: Sequence[str], options: dict[str, Any]) -> None:
        self.what = shlex.join(command)
        self.executions = options.get("repeat", EXECUTIONS_OF_COMMAND)
        self.space = noise_space()
        self._runs = CommandRuns(
            command,
            executions=self.executions,
            criteria=options["criteria"],
            data_file=options["data_file"],
            source=options.get("source", ()),
            run_seconds=options.get("run_seconds"),
        )
        self.notes, self.not_instrumented = self._runs.notes, self._runs.not_instrumented

    @property
    def not_stored(self) -> str:
        return self._runs.not_stored

    def evaluate(self, configuration: Configuration, seconds: float | None) -> Measured:
        return self._runs(configuration, seconds)

    def rows(self) -> list[Row]:
        return _rows(self._runs.record)

    def findings(self) -> list[dict[str, Any]]:
        return [
            {
                "how": one.how,
                "error": one.error,
                "runs": one.runs,
                "of_runs": self._runs.runs,
                "configuration": list(one.configuration.arguments),
            }
            for one in self._runs.failures.values()
        ]

    def show_findings(self, screen: Console) -> None:
        for one in self._runs.failures.values():
            screen.print(said(self._line(one), style="bold red"))
            screen.print(said(f"  first with {one.configuration}", style="dim"))
            screen.print()

    def _line(self, one: Failures) -> str:
        error = f": {one.error}" if one.error else ""
        return f"{one.how}{error}, in {one.runs:,} of {self._runs.runs:,} runs"
