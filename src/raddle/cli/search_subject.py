"""The subject of a search: a controlled scenario, or a program whose threads run natively."""

from __future__ import annotations

import os
import shlex
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import redirect_stdout
from functools import partial
from typing import Any

from rich.console import Console

from raddle import api
from raddle.cli.safe_text import safe_text
from raddle.cli.screen import show_finding
from raddle.cli.target import load_scenario, load_setup
from raddle.errors import UsageError
from raddle.report.coverage import Row, contents_of, rows
from raddle.tuning.command_runs import CommandRuns, Failures
from raddle.tuning.configurations import Configuration, Space, no_noise, noise_space, scheduler_space
from raddle.tuning.runs import Runs
from raddle.tuning.scenario_runs import ScenarioRuns
from raddle.tuning.search import Measured

EXECUTIONS_OF_SCENARIO, EXECUTIONS_OF_COMMAND = 20, 3  # default values of --repeat
SCENARIO_ONLY = ("switches", "setup", "isolate", "step_limit", "patience_seconds", "shrink")
COMMAND_ONLY = ("run_seconds",)


class Subject(ABC):
    """A scenario or program that a search evaluates with different configurations."""

    what: str
    executions: int  # executions per evaluation
    space: Space[Configuration]
    first: Configuration | None = None  # configuration to evaluate first, if any
    runs: Runs

    def evaluate(self, configuration: Configuration, seconds: float | None) -> Measured:
        """Run a few executions with a configuration, for at most `seconds` seconds."""
        return self.runs(configuration, seconds)

    def rows(self) -> list[Row]:
        """Return the combined coverage of all evaluations."""
        return [] if self.runs.record is None else rows(contents_of(self.runs.record))

    @abstractmethod
    def findings(self) -> list[dict[str, Any]]:
        """Return the findings in their JSON form."""

    @abstractmethod
    def show_findings(self, screen: Console) -> None:
        """Print the findings in human-readable form."""


class ScenarioSubject(Subject):
    """A scenario, evaluated with different schedulers."""

    runs: ScenarioRuns

    def __init__(self, target: Sequence[str], options: dict[str, Any]) -> None:
        if len(target) > 1:
            raise UsageError("bad-search", f"a scenario takes no arguments: remove {target[1]!r}")
        self.what = target[0]
        self.executions = options.get("repeat", EXECUTIONS_OF_SCENARIO)
        self.space = scheduler_space()
        settings = {name: options[name] for name in ("source", *SCENARIO_ONLY) if name in options}
        shrink = settings.pop("shrink", True)
        if "setup" in settings:
            settings["setup"] = load_setup(settings["setup"], self.what)
        explore = partial(api.explore, load_scenario(self.what), criteria=options["criteria"], **settings)
        self.runs = ScenarioRuns(explore, executions=self.executions, data_file=options["data_file"], shrink=shrink)

    def evaluate(self, configuration: Configuration, seconds: float | None) -> Measured:
        # Discard the scenario's output, which every execution repeats. `raddle replay` shows it once.
        with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
            return super().evaluate(configuration, seconds)

    def findings(self) -> list[dict[str, Any]]:
        return [
            finding.as_json() | {"configuration": list(configuration.arguments)}
            for finding, configuration in self.runs.findings.values()
        ]

    def show_findings(self, screen: Console) -> None:
        for finding, configuration in self.runs.findings.values():
            show_finding(screen, finding, self.what)
            screen.print(safe_text(f"first found with {configuration}", style="dim"))
            screen.print()


class CommandSubject(Subject):
    """A program, evaluated with different noise settings. The first evaluation adds no noise, for comparison."""

    first = no_noise()
    runs: CommandRuns

    def __init__(
        self, command: Sequence[str], options: dict[str, Any], *, arguments: Sequence[str] = (), origin: str = ""
    ) -> None:
        self.what = shlex.join(command)
        self.executions = options.get("repeat", EXECUTIONS_OF_COMMAND)
        self.space = noise_space()
        self.runs = CommandRuns(
            command,
            executions=self.executions,
            criteria=options["criteria"],
            data_file=options["data_file"],
            source=options.get("source", ()),
            run_seconds=options.get("run_seconds"),
            arguments=arguments,
            origin=origin,
        )

    def findings(self) -> list[dict[str, Any]]:
        return [
            {
                "how": one.how,
                "error": one.error,
                "runs": one.runs,
                "of_runs": self.runs.runs,
                "configuration": list(one.configuration.arguments),
            }
            for one in self.runs.failures.values()
        ]

    def show_findings(self, screen: Console) -> None:
        for one in self.runs.failures.values():
            screen.print(safe_text(self._line(one), style="bold red"))
            screen.print(safe_text(f"  first found with {one.configuration}", style="dim"))
            screen.print()

    def _line(self, one: Failures) -> str:
        error = f": {one.error}" if one.error else ""
        return f"{one.how}{error}, in {one.runs:,} of {self.runs.runs:,} runs"
