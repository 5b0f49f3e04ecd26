"""`raddle run --until`: repeat a program with fixed noise settings until coverage is saturated or a budget is spent."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from raddle.cli.output import exit_code, survive_closed_pipe
from raddle.cli.progress_line import ProgressLine
from raddle.cli.repetition_request import RUNS, SATURATED, SATURATION, Request
from raddle.cli.safe_text import safe_text
from raddle.cli.screen import console, show_coverage
from raddle.cli.search_subject import CommandSubject
from raddle.errors import UsageError
from raddle.execute.interrupts import termination_interrupts
from raddle.exit_code import ExitCode
from raddle.native.settings import Settings
from raddle.origin import Command, Origin
from raddle.report.coverage import as_json as row_as_json
from raddle.store import UnusableError, check
from raddle.tuning.configurations import Configuration
from raddle.tuning.repetition import Limits, RepetitionEnd, RepetitionResult, repeat
from raddle.tuning.search import Measured
from raddle.wording import count


def repeat_program(
    command: Sequence[str],
    settings: Settings,
    request: Request,
    *,
    as_json: bool,
    json_file: str | None,
    verbose: bool,
) -> int:
    """Run a program repeatedly and return the exit code.

    `command` holds the arguments that follow the options of `raddle run`.
    """
    if not settings.criteria:
        raise UsageError(
            "bad-repetition", "nothing is measured, so coverage cannot saturate: name criteria with --criteria"
        )
    subject = _subject(command, settings, request)
    line = ProgressLine(shown=not as_json)

    def run(number: int, seconds: float | None) -> Measured:
        # Each run gets a different seed. With the same seed, the noise would make the same decisions again.
        return subject.evaluate(Configuration("noise", "", settings.seed + number - 1), seconds)

    def progress(so_far: RepetitionResult) -> None:
        covered = sum(so_far.tally.counts().values())
        line.show(f"{count(so_far.runs, 'run')}, {so_far.failed:,} failed, {count(covered, 'requirement')} covered")

    with termination_interrupts():
        repeated = repeat(run, _limits(request), progress)
    line.clear()
    data = _data(subject, settings, repeated)
    if json_file is not None:
        _write(json_file, data)
    elif as_json:
        with survive_closed_pipe():
            click.echo(json.dumps(data))
    else:
        _show(console(), subject, settings, repeated, verbose=verbose)
    return _exit_code(subject, repeated)


def _limits(request: Request) -> Limits:
    runs = RUNS if request.runs is None and request.seconds is None else request.runs
    saturation = (request.saturation or SATURATION) if request.until == SATURATED else None
    return Limits(runs, request.seconds, saturation)


def _subject(command: Sequence[str], settings: Settings, request: Request) -> CommandSubject:
    assert settings.data_file is not None
    with suppress(UnusableError):  # an unusable data file is reported later
        check(settings.data_file)
    options = {
        "repeat": 1,
        "criteria": settings.criteria,
        "data_file": settings.data_file,
        "source": settings.sources,
        "run_seconds": request.run_seconds,
    }
    noise = [part for text in settings.noise for part in ("--noise", text)]
    return CommandSubject(
        command,
        options,
        arguments=(*noise, "--thread-methods", str(settings.thread_methods)),
        origin=str(Origin(Command.RUN, settings.program)),
    )


def _data(subject: CommandSubject, settings: Settings, repeated: RepetitionResult) -> dict[str, Any]:
    return {
        "program": settings.program,
        "runs": repeated.runs,
        "failed_runs": repeated.failed,
        "failures": [
            {name: one[name] for name in ("how", "error", "runs")} | {"seed": int(one["configuration"][-1])}
            for one in subject.findings()
        ],
        "stopped_because": str(repeated.stopped_because),
        "runs_since_new": repeated.quiet,
        "growth": {name: [list(point) for point in points] for name, points in repeated.tally.growth.items()},
        "noise": list(settings.noise),
        "seed": settings.seed,
        "data_file": settings.data_file,
        "criteria": {row.name: row_as_json(row) for row in subject.rows()},
        "notes": list(subject.runs.notes),
        "not_stored": subject.runs.not_stored or None,
        "not_instrumented": [refused.as_json() for refused in subject.runs.not_instrumented],
    }


def _write(file: str, data: dict[str, Any]) -> None:
    try:
        Path(file).write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError("output-unwritable", f"{file} cannot be written: {error.strerror or error}") from None


def _show(
    screen: Console, subject: CommandSubject, settings: Settings, repeated: RepetitionResult, *, verbose: bool
) -> None:
    subject.show_findings(screen)
    for note in subject.runs.notes:
        screen.print(safe_text(f"note: {note}", style="yellow"))
    for refused in subject.runs.not_instrumented:
        screen.print(safe_text(str(refused), style="yellow"))
    seeds = f", seeds {settings.seed} to {settings.seed + repeated.runs - 1}" if settings.noise else ""
    screen.print(safe_text(f"raddle: {count(repeated.runs, 'run')}{seeds}; {repeated.sentence}", style="bold"))
    if subject.runs.record is not None and settings.data_file is not None:
        data_file, stored = os.path.relpath(settings.data_file), not subject.runs.not_stored
        show_coverage(screen, subject.runs.record, data_file, stored=stored, verbose=verbose)
    elif repeated.runs:
        screen.print(safe_text("nothing was measured; use --source to name the code to measure", style="yellow"))


def _exit_code(subject: CommandSubject, repeated: RepetitionResult) -> int:
    interrupted = repeated.stopped_because is RepetitionEnd.INTERRUPTED
    code = exit_code(found=bool(subject.findings()), interrupted=interrupted, not_stored=subject.runs.not_stored)
    return code if code or any(repeated.tally.counts().values()) else ExitCode.NOTHING_TO_DO
