"""The results of `raddle search` as a table, sentences, JSON and TOML."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from raddle.report.coverage import Row, in_order
from raddle.report.numbers import out_of_text
from raddle.tuning.configurations import Configuration
from raddle.tuning.fitness import Fitness
from raddle.tuning.search import Evaluation, SearchResult
from raddle.wording import count


@dataclass(frozen=True, slots=True)
class Searched:
    """The results of a search, and its settings."""

    what: str  # the subject of the search: `file.py::scenario` or a command
    is_scenario: bool
    found: SearchResult[Configuration]
    fitness: Fitness
    algorithm: str
    seed: int
    executions: int  # executions per evaluation
    criteria: tuple[str, ...]  # names of the measured criteria
    rows: Sequence[Row] = ()  # coverage of all evaluations combined, with totals

    @property
    def winner(self) -> Evaluation[Configuration] | None:
        """The best evaluation, or None if nothing was covered."""
        best = self.found.best(1)
        return best[0] if best and best[0].fitness else None

    def table(self, limit: int) -> list[str]:
        """Return the table of the best configurations. Its lines are not truncated, so they can be copied."""
        names = in_order(self.criteria)
        rows = [["fitness", *names, "new", "failures", "configuration"]]
        for one in self.found.best(limit):
            counts = [f"{one.covered.get(name, 0):,}" for name in names]
            failed = str(one.failed) if one.failed else "-"
            rows.append([f"{one.fitness:,.6g}", *counts, f"{one.new:,}", failed, str(one.configuration)])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        widths[-1] = 0
        return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]

    def sentences(self) -> list[str]:
        """Return sentences on the evaluations, the stop reason and the chance of more coverage."""
        found = self.found
        why = found.stopped_because.sentence.format(quiet=count(found.quiet(), "evaluation"))
        done = f"{count(len(found.evaluations), 'evaluation')}, {count(found.tally.executions, 'execution')}"
        lines = [f"{done} ({self.algorithm}, seed {self.seed}, {found.seconds:.1f} s); {why}"]
        if self.winner is None:
            return [*lines, "nothing was covered: no two threads interacted in the measured code"]
        counts, chances = found.tally.counts(), found.chances()
        out_of = {row.name: out_of_text(row) for row in self.rows}
        together = [f"{name} {counts[name]:,}{out_of.get(name, '')}" for name in in_order(counts)]
        lines.append("covered by all evaluations together: " + ", ".join(together))
        name = max(in_order(counts), key=lambda name: chances[name])
        chance = (
            f"about {100 * chances[name]:.3g} %" if chances[name] else f"under {100 / found.tally.executions:.2g} %"
        )
        return [*lines, f"chance that one more such execution covers anything new: {chance} ({name})"]

    def command(self, configuration: Configuration) -> str:
        """Return the command that runs a configuration again."""
        options = shlex.join(configuration.arguments)
        criteria = shlex.join(["--criteria", ",".join(self.criteria)])
        if self.is_scenario:
            budget = f"--executions {self.executions} --until budget"
            return " ".join(["raddle explore", shlex.quote(self.what), options, budget, criteria])
        return " ".join(filter(None, ["raddle run", options, criteria, self.what]))

    def exported(self) -> str:
        """Return the best configuration as TOML for pyproject.toml."""
        winner = self.winner
        if winner is None:
            raise ValueError("nothing was covered, so there is no configuration to export")
        configuration = winner.configuration
        lines = [
            f"# The best of {count(len(self.found.evaluations), 'evaluation')} by raddle search ({self.algorithm}, "
            f"seed {self.seed}): fitness {winner.fitness:g} ({self.fitness}).",
            f"# {self.command(configuration)}",
            "[tool.raddle]",
        ]
        if configuration.option == "scheduler":
            lines.append(f"scheduler = {json.dumps(configuration.value)}")
        elif configuration.value:
            lines.insert(2, "# Noise cannot be set in pyproject.toml: give it on the command line, as above.")
        if configuration.seed is not None:
            lines.append(f"seed = {configuration.seed}")
        return "\n".join(lines) + "\n"

    def as_json(self, findings: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return the results as JSON values; `findings` are already in that form."""
        found, winner = self.found, self.winner
        return {
            "target": self.what,
            "mode": "controlled" if self.is_scenario else "native",
            "algorithm": self.algorithm,
            "fitness": str(self.fitness),
            "seed": self.seed,
            "executions_each": self.executions,
            "stopped_because": found.stopped_because,
            "seconds": round(found.seconds, 6),
            "executions": found.tally.executions,
            "covered": dict(found.tally.counts()),
            "totals": {row.name: {"total": row.total.number, "total_kind": row.total.kind} for row in self.rows},
            "chance_of_new": {name: round(chance, 6) for name, chance in found.chances().items()},
            "best": None if winner is None else self._evaluation(winner),
            "evaluations": [self._evaluation(one) for one in found.evaluations],
            "findings": list(findings),
        }

    def _evaluation(self, one: Evaluation[Configuration]) -> dict[str, Any]:
        return {
            "number": one.number,
            "fitness": one.fitness,
            "options": list(one.configuration.arguments),
            "command": self.command(one.configuration),
            "covered": dict(one.covered),
            "new": one.new,
            "executions": one.executions,
            "failures": one.failed,
            "whole": one.whole,
        }
