"""`raddle sarif`: print findings and warnings as SARIF, a format that code hosting sites display."""

from __future__ import annotations

import click

import raddle
from raddle.cli.options import data_file_option
from raddle.cli.output import output_option, write_json
from raddle.cli.report import data_path, opened
from raddle.exit_code import ExitCode
from raddle.report.sarif import sarif as log_of


@click.command(short_help="Print findings and warnings as SARIF.")
@data_file_option
@click.option("--json", "as_json", is_flag=True, help="No effect: SARIF is JSON.")
@output_option
def sarif(data_file: str | None, as_json: bool, output: str | None) -> int:
    """Print findings and warnings as SARIF 2.1.0. The interleaving of each finding becomes a code flow.

    \b
    Exit codes: 0 success, 5 nothing was measured.
    """
    contents = opened(data_path(data_file))
    if contents is None:
        return ExitCode.NOTHING_TO_DO
    write_json(log_of(contents, version=raddle.__version__), output)
    return ExitCode.SUCCESS
