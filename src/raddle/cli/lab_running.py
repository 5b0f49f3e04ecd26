"""Shared parts of the `raddle lab` commands: choosing names, showing progress, handling Ctrl-C and writing results."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from raddle.cli.progress_line import ProgressLine
from raddle.errors import UsageError
from raddle.exit_code import ExitCode

QUICK = 40  # executions per series, mutant or program with --quick: enough to check that everything works
TOO_FEW = f"--quick: {QUICK} executions are too few to draw conclusions from these numbers."


def titled(text: str, *, quick: bool) -> str:
    """Return the text of a report, with a warning at the top if --quick was given."""
    return f"{TOO_FEW}\n\n{text}" if quick and text else text


def load(name: str) -> Any:
    """Import a module of `raddle_lab`; raise a `UsageError` if the extra `lab` is not installed."""
    try:
        return importlib.import_module(f"raddle_lab.{name}")
    except ImportError as error:
        raise UsageError(
            "lab-not-installed",
            f"the experiments need packages that are not installed ({error}): pip install 'raddle[lab]'",
        ) from None


def chosen(what: str, given: str | None, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the comma-separated names that were given, or all known names if none were given."""
    names = tuple(dict.fromkeys(name.strip() for name in given.split(",") if name.strip())) if given else known
    for name in names:
        if name not in known:
            raise UsageError("no-such-case", f"there is no {what} {name!r}; choose from {', '.join(known)}")
    return names


def prepare(folder: Path | None) -> None:
    """Create the output folder; raise a `UsageError` now, not after minutes of work, if the folder is not writable."""
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError("no-such-file", f"{folder} cannot be created: {error.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise UsageError("no-such-file", f"{folder} cannot be written to")


def follow(
    run: Callable[..., object], plan: Any, results: list[Any], *, jobs: int, describe: Callable[[Any], str]
) -> bool:
    """Run an experiment, append its results to `results` and show progress; return whether it was interrupted."""
    line = ProgressLine()

    def done(result: Any) -> None:
        results.append(result)
        line.clear()
        click.echo(describe(result), err=True)

    def executed(name: str, number: int, total: int) -> None:
        line.show(f"{name}: {number:,} of {total:,} executions")

    try:
        run(plan, jobs=jobs, done=done, executed=executed)
    except KeyboardInterrupt:
        line.clear()
        return True
    return False


def end(data: dict[str, Any], text: str, *, as_json: bool, interrupted: bool) -> int:
    """Print the results of a command and return its exit code."""
    if as_json:
        click.echo(json.dumps({**data, "interrupted": interrupted}, indent=2))
    elif text:
        click.echo(text)
    if interrupted:
        click.echo(
            f"interrupted; {'the results include only completed work' if text else 'nothing was completed'}", err=True
        )
    return ExitCode.INTERRUPTED if interrupted else ExitCode.SUCCESS


def write(folder: Path, name: str, data: dict[str, Any], text: str) -> None:
    """Write the results of an experiment as JSON and as text."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    (folder / f"{name}.txt").write_text(text + "\n", encoding="utf-8")
