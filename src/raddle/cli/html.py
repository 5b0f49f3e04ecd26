"""`raddle html`: write the report as HTML pages."""

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


@click.command(short_help="Write the report as HTML pages.")
@data_file_option
@click.option("--output", metavar="FOLDER", default=FOLDER, show_default=True, help="Folder to write the pages to.")
@click.option("--json", "as_json", is_flag=True, help="Print a summary as JSON on stdout.")
def html(data_file: str | None, output: str, as_json: bool) -> int:
    """Write the report as HTML pages: covered and missing requirements line by line, and a diagram of every finding.

    The pages work offline and without a server: open index.html in the output folder.

    \b
    Exit codes: 0 success, 5 nothing was measured.
    """
    from raddle.report.html import write_pages  # imported here because only this command needs jinja2

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
