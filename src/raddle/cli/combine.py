"""`raddle combine`: one data file out of several."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from raddle.cli.report import data_path
from raddle.exit_code import ExitCode
from raddle.store import DATA_FILE
from raddle.store import combine as merge
from raddle.wording import count


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--data-file", metavar="TARGET", help=f"Where to add them to [default: {DATA_FILE}].")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON on stdout.")
def combine(files: Sequence[str], data_file: str | None, as_json: bool) -> int:
    """Add what other data files hold, also those of other machines, to one. They stay as they are."""
    target = data_path(data_file)
    done = merge(target, files)
    if as_json:
        result = {
            "data_file": str(target),
            "added": list(done.added),
            "skipped": list(done.skipped),
            "runs": done.runs,
            "executions": done.executions,
        }
        click.echo(json.dumps(result, indent=2))
        return ExitCode.SUCCESS
    for name in done.skipped:
        click.echo(f"{name}: all its runs are in {target} already", err=True)
    click.echo(
        f"{count(len(done.added), 'file')} added to {target}: it has {count(done.runs, 'run')} "
        f"with {count(done.executions, 'execution')} now",
        err=True,
    )
    return ExitCode.SUCCESS
