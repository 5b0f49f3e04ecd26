"""`raddle html`: the report as pages for a browser."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

import raddle
from raddle.cli.options import data_file_option
from raddle.cli.report import data_path, opened
from raddle.exit_code import ExitCode

FOLDER = "raddle-html"


@click.command()
@data_file_option
@click.option("--output", metavar="FOLDER", default=FOLDER, show_default=True, help="Where the pages go.")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON on stdout.")
def html(data_file: str | None, output: str, as_json: bool) -> int:
    """Write the report as pages: what was covered and what is missing, line by line, and every finding as a picture.

    The folder needs no network and no server: open its index.html.

    \b
    Exit codes: 0 fine, 5 nothing was measured.
    """
    from raddle.report.html import write_pages  # jinja2 is needed here only

    path = data_path(data_file)
    contents = opened(path)
    if contents is None:
        return ExitCode.NOTHING_TO_DO
    title = os.path.basename(os.path.dirname(os.path.abspath(path)))
    written = write_pages(contents, Path(output), title=title, version=raddle.__version__)
    if as_json:
        click.echo(json.dumps(written.as_json(), indent=2))
    else:
        click.echo(f"wrote {written.pages:,} pages: open {written.folder / 'index.html'}", err=True)
    return ExitCode.SUCCESS
