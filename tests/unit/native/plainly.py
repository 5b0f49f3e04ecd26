"""Runs a program with Python and with `raddle run`, each in a process of its own."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import processes

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
    return _run([sys.executable, *args], folder, env, stdin)


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
    ended = _run([sys.executable, "-c", COMMAND, *options, "--json-file", str(file), *args], folder, env, stdin)
    summary = json.loads(file.read_text()) if file.exists() else {}
    return Ended(ended.code, ended.out, ended.err, summary)


def _run(command: Sequence[str], folder: Path, env: Mapping[str, str] | None, stdin: str) -> Ended:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}
    done = processes.run(
        command,
        cwd=folder,
        env=environment | dict(env or {}),
        input=stdin,
        capture_output=True,
        text=True,
    )
    return Ended(done.returncode, done.stdout, done.stderr)
