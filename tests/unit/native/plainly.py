"""Runs a program with Python and with `raddle run`, each in a process of its own.

The process of `raddle run` is a fork of one that has imported the command and nothing else.
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
class Ended:
    """How a process ended."""

    code: int
    out: str
    err: str
    summary: dict[str, Any] = field(default_factory=dict, compare=False)


def plain(folder: Path, *args: str, env: Mapping[str, str] | None = None, stdin: str = "") -> Ended:
    """With Python alone."""
    command = [sys.executable, *args]
    done = processes.run(command, cwd=folder, env=_environment(env), input=stdin, capture_output=True, text=True)
    return Ended(done.returncode, done.stdout, done.stderr)


def watched(
    folder: Path,
    *args: str,
    options: Sequence[str] = ("--criteria", "none"),
    env: Mapping[str, str] | None = None,
    stdin: str = "",
) -> Ended:
    """With `raddle run`; its summary is kept apart."""
    file = folder / "summary.json"
    file.unlink(missing_ok=True)
    ended = run_command(folder, *options, "--json-file", str(file), *args, env=env, stdin=stdin)
    summary = json.loads(file.read_text()) if file.exists() else {}
    return Ended(ended.code, ended.out, ended.err, summary)


def run_command(folder: Path, *args: str, env: Mapping[str, str] | None = None, stdin: str = "") -> Ended:
    """With `raddle run` and exactly these arguments."""
    environment = _environment(env)
    done = warm.python("-c", COMMAND, *args, cwd=folder, env=environment, stdin=stdin, imported=("raddle.cli.run",))
    return Ended(done.returncode, done.stdout, done.stderr)


def _environment(more: Mapping[str, str] | None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}
    return kept | dict(more or {})
