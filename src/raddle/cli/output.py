"""Where a command's data go: to stdout, or to the file that `--output` names."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import click

from raddle.errors import UsageError
from raddle.exit_code import ExitCode

Command = TypeVar("Command", bound=Callable[..., object])

output_option: Callable[[Command], Command] = click.option(
    "--output", "-o", metavar="FILE", help="Write to a file [default: stdout]."
)

_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EPIPE)


@contextmanager
def careful_stdout() -> Iterator[None]:
    """Inside, characters that stdout cannot encode are escaped; what it cannot take at all is a `UsageError`.

    `raddle criteria` names Křena, and a console or a file may have any encoding, as a disk may be full.
    """
    reconfigure: Any = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        _give_up_stdout()
        if isinstance(error, BrokenPipeError):
            raise
        what = error.filename or "the output"
        raise UsageError("output-unwritable", f"{what} cannot be written: {error.strerror}") from None


@contextmanager
def survive_closed_pipe() -> Iterator[None]:
    """Inside, a reader of stdout that has seen enough, as `head` does, changes nothing about the exit code."""
    try:
        yield
    except BrokenPipeError:
        _give_up_stdout()


def exit_code(*, found: bool, interrupted: bool, not_stored: str) -> ExitCode:
    """Return the exit code of a search; say on stderr, after everything else, why nothing could be stored.

    >>> exit_code(found=True, interrupted=True, not_stored="").name
    'FINDING'
    """
    if not_stored:
        click.echo(f"raddle: {not_stored}", err=True)
    if found:
        return ExitCode.FINDING
    if interrupted:
        return ExitCode.INTERRUPTED
    return ExitCode.USAGE if not_stored else ExitCode.SUCCESS


def _give_up_stdout() -> None:
    """Let nobody try again, as Python would when it ends."""
    with suppress(OSError, AttributeError):  # it may be none, or no file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def write_json(value: Any, output: str | None) -> None:
    """On one line, as that is several times as fast; on a terminal on many, as people look at it."""
    shown = output is None and sys.stdout.isatty()
    _write(json.dumps(value, indent=2 if shown else None) + "\n", output)


def _write(text: str, output: str | None) -> None:
    if output is None:
        click.echo(text.encode(), nl=False)
        return
    try:
        Path(output).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError("output-unwritable", f"{output} cannot be written: {error.strerror or error}") from None
