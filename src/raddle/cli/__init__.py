"""The command line: one module per command."""

from __future__ import annotations

import sys
import traceback
from contextlib import nullcontext

import click

import raddle
from raddle.cli.lazy_commands import LazyCommands
from raddle.cli.output import careful_stdout
from raddle.errors import RaddleError
from raddle.exit_code import ExitCode

# Maps commands to modules, in the order shown by --help.
COMMANDS = {
    "explore": "explore",
    "generate": "generate",
    "search": "search",
    "replay": "replay",
    "mpi": "mpi",
    "run": "run",
    "report": "report",
    "html": "html",
    "json": "json_",
    "sarif": "sarif",
    "diff": "diff",
    "combine": "combine",
    "criteria": "criteria",
    "demo": "demo",
    "lab": "lab",
}


@click.group(
    cls=LazyCommands,
    modules=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(raddle.__version__, prog_name="raddle")
def group() -> None:
    """Test the interleavings of threaded Python.

    \b
    Exit codes: 0 success, 1 finding, 2 interrupted, 3 internal error, 4 usage error, 5 nothing to do,
    6 coverage below the threshold.
    """


def main() -> None:
    """Run the command line; report every error as one sentence and exit with the matching code."""
    # With `raddle run`, stdout belongs to the user's program, so raddle does not alter it.
    stdout = nullcontext() if sys.argv[1:2] == ["run"] else careful_stdout()
    try:
        with stdout:
            code = group.main(standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = ExitCode.INTERRUPTED
    except click.ClickException as error:
        error.show()
        code = ExitCode.USAGE
    except RaddleError as error:
        click.echo(f"raddle: {error} [{error.slug}]", err=True)
        code = ExitCode.USAGE
    except BrokenPipeError:
        code = ExitCode.SUCCESS
    except Exception:
        traceback.print_exc()
        click.echo("raddle: internal error: this is a bug in raddle, not in your code", err=True)
        code = ExitCode.INTERNAL_ERROR
    sys.exit(code if isinstance(code, int) else ExitCode.SUCCESS)
