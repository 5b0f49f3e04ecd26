"""Command output: data on stdout or in the file given with `--output`, and the exit code."""

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
    "--output", "-o", metavar="FILE", help="Write to this file [default: stdout]."
)

_UNWRITABLE = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EIO,
    errno.EPIPE,
)  # errors caused by the output device, not by raddle


@contextmanager
def careful_stdout() -> Iterator[None]:
    """Escape characters that stdout cannot encode, and turn write errors into a `UsageError`.

    For example, `raddle criteria` prints the name Křena, which some consoles cannot encode. A full disk is one cause of
    write errors.
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
    """Keep the exit code when the reader of stdout closes the pipe early, as `head` does."""
    try:
        yield
    except BrokenPipeError:
        _give_up_stdout()


def exit_code(*, found: bool, interrupted: bool, not_stored: str) -> ExitCode:
    """Return the exit code of a search; if nothing could be stored, print the reason as the last line on stderr.

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
    """Redirect stdout to the null device, so that flushing stdout at exit does not fail again."""
    with suppress(OSError, AttributeError):  # stdout can be None or lack a file descriptor
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def write_json(value: Any, output: str | None) -> None:
    """Write a value as JSON: indented on a terminal, otherwise on one line, which is several times faster."""
    on_terminal = output is None and sys.stdout.isatty()
    _write(json.dumps(value, indent=2 if on_terminal else None) + "\n", output)


def _write(text: str, output: str | None) -> None:
    if output is None:
        click.echo(text.encode(), nl=False)
        return
    try:
        Path(output).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError("output-unwritable", f"{output} cannot be written: {error.strerror or error}") from None
