"""`raddle combine`: merge several data files into one."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from raddle.cli.report import data_path
from raddle.exit_code import ExitCode
from raddle.store import DATA_FILE
from raddle.store import combine as merge
from raddle.wording import count


@click.command(short_help="Merge several data files into one.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--data-file", metavar="TARGET", help=f"Data file to add the runs to [default: {DATA_FILE}].")
@click.option("--json", "as_json", is_flag=True, help="Print a summary as JSON on stdout.")
def combine(files: Sequence[str], data_file: str | None, as_json: bool) -> int:
    """Add the runs in each FILE to one data file. The files may come from other machines and are not changed."""
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
        click.echo(f"{name}: all its runs are already in {target}", err=True)
    click.echo(
        f"{count(len(done.added), 'file')} added to {target}, which now has {count(done.runs, 'run')} "
        f"with {count(done.executions, 'execution')}",
        err=True,
    )
    return ExitCode.SUCCESS
