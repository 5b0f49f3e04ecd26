"""The command line: one module per command."""

from __future__ import annotations

import sys
import traceback

import click

import raddle
from raddle.cli.combine import combine
from raddle.cli.criteria import criteria
from raddle.cli.demo import demo
from raddle.cli.explore import explore
from raddle.cli.lab import lab
from raddle.cli.replay import replay
from raddle.cli.report import report
from raddle.cli.run import run
from raddle.errors import RaddleError

FINE, FINDING, INTERRUPTED, INTERNAL_ERROR, USAGE = 0, 1, 2, 3, 4


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(raddle.__version__, prog_name="raddle")
def group() -> None:
    """Test the interleavings of threaded Python.

    \b
    Exit codes: 0 fine, 1 something was found, 2 interrupted, 3 internal error, 4 wrong usage, 5 nothing to do,
    6 less was covered than asked for.
    """


for _command in (explore, replay, run, report, combine, criteria, demo, lab):
    group.add_command(_command)


def main() -> None:
    """Run, and turn whatever happens into a sentence and an exit code."""
    try:
        code = group.main(standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("interrupted", err=True)
        code = INTERRUPTED
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        code = INTERRUPTED
    except click.ClickException as error:
        error.show()
        code = USAGE
    except RaddleError as error:
        click.echo(f"raddle: {error} [{error.slug}]", err=True)
        code = USAGE
    except BrokenPipeError:
        code = FINE
    except Exception:
        traceback.print_exc()
        click.echo("raddle: internal error: this is a fault of raddle's own, not of your code", err=True)
        code = INTERNAL_ERROR
    sys.exit(code if isinstance(code, int) else FINE)
