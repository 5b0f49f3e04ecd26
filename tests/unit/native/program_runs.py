"""Runs programs with plain Python and with `raddle run`, each in a separate process.

To save start-up time, the `raddle run` process is forked from a process that has imported only the command.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import processes
import warm

COMMAND = "import sys; from raddle.cli.run import run; sys.exit(run.main(args=sys.argv[1:], standalone_mode=False))"


@dataclass(frozen=True)
class ProcessResult:
    """The exit code and output of a process. `summary` is the JSON summary of `raddle run`."""

    code: int
    out: str
    err: str
    summary: dict[str, Any] = field(default_factory=dict, compare=False)


def plain(folder: Path, *args: str, env: Mapping[str, str] | None = None, stdin: str = "") -> ProcessResult:
    """Run Python without raddle."""
    command = [sys.executable, *args]
    completed = processes.run(command, cwd=folder, env=_environment(env), input=stdin, capture_output=True, text=True)
    return ProcessResult(completed.returncode, completed.stdout, completed.stderr)


def watched(
    folder: Path,
    *args: str,
    options: Sequence[str] = ("--criteria", "none"),
    env: Mapping[str, str] | None = None,
    stdin: str = "",
) -> ProcessResult:
    """Run `raddle run` and read its JSON summary."""
    file = folder / "summary.json"
    file.unlink(missing_ok=True)
    result = run_command(folder, *options, "--json-file", str(file), *args, env=env, stdin=stdin)
    summary = json.loads(file.read_text()) if file.exists() else {}
    return ProcessResult(result.code, result.out, result.err, summary)


def run_command(folder: Path, *args: str, env: Mapping[str, str] | None = None, stdin: str = "") -> ProcessResult:
    """Run `raddle run` with exactly these arguments."""
    environment = _environment(env)
    completed = warm.python(
        "-c", COMMAND, *args, cwd=folder, env=environment, stdin=stdin, imported=("raddle.cli.run",)
    )
    return ProcessResult(completed.returncode, completed.stdout, completed.stderr)


def _environment(extra: Mapping[str, str] | None) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}
    return inherited | dict(extra or {})
