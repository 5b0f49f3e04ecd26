"""`raddle json`: print everything in a data file as JSON."""

from __future__ import annotations

import click

import raddle
from raddle.cli.options import data_file_option, only_criteria_option
from raddle.cli.output import output_option, write_json
from raddle.cli.report import chosen, data_path, opened
from raddle.exit_code import ExitCode
from raddle.report.as_json import document, schema
from raddle.report.coverage import rows
from raddle.report.missing import LIMIT
from raddle.report.summary import summarize


@click.command("json", short_help="Print the contents of a data file as JSON.")
@data_file_option
@only_criteria_option
@click.option("--covered", "covered_of", metavar="NAMES", help="List the covered requirements of these criteria.")
@click.option("--missing", "gaps_of", metavar="NAMES", help="List the missing requirements of these criteria.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=LIMIT,
    show_default=True,
    help="Maximum number of missing requirements to list per criterion.",
)
@click.option("--schema", "only_schema", is_flag=True, help="Print the JSON Schema of the document instead.")
@click.option("--json", "as_json", is_flag=True, help="No effect: the output is always JSON.")
@output_option
def json_(
    data_file: str | None,
    criteria: str | None,
    covered_of: str | None,
    gaps_of: str | None,
    limit: int,
    only_schema: bool,
    as_json: bool,
    output: str | None,
) -> int:
    """Print everything in a data file as one JSON document, or, with --schema, the JSON Schema of that document.

    \b
    Exit codes: 0 success, 5 nothing was measured.
    """
    if only_schema:
        write_json(schema(), output)
        return ExitCode.SUCCESS
    contents = opened(data_path(data_file))
    if contents is None:
        return ExitCode.NOTHING_TO_DO
    measured = rows(contents)
    included = chosen(measured, criteria.split(",")) if criteria is not None else measured
    listed = chosen(measured, gaps_of.split(",")) if gaps_of is not None else []
    covered = chosen(measured, covered_of.split(",")) if covered_of is not None else []
    summary = summarize(contents, included, missing_of=listed, limit=limit)
    write_json(document(contents, summary, version=raddle.__version__, covered_of=covered), output)
    return ExitCode.SUCCESS
