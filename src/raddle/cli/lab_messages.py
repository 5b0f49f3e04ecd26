"""`raddle lab messages`: the verdicts of raddle on small message-passing programs."""

from __future__ import annotations

from typing import Any

import click

from raddle.cli.lab_running import chosen, end, load
from raddle.cli.options import json_option
from raddle.cli.progress_line import ProgressLine
from raddle.exit_code import ExitCode


@click.command("messages", short_help="Judge small message-passing programs with known errors.")
@click.option("--scenarios", metavar="NAMES", help="Comma-separated names of scenarios [default: all].")
@json_option
def messages(scenarios: str | None, as_json: bool) -> int:
    """Explore small message-passing programs, with and without errors, in every mode of sends and collectives.

    The table has the recall and the precision for each class of error, and published figures of other tools. The exit
    code is 1 if a report differs from the known verdict.
    """
    lab = load("message_verdicts")
    known = {one.name: one for one in lab.SCENARIOS}
    names = chosen("scenario", scenarios, tuple(known))
    verdicts: list[Any] = []
    line, interrupted = ProgressLine(), False
    try:
        for number, name in enumerate(names, 1):
            line.show(f"{name}: {number} of {len(names)} scenarios")
            verdicts.append(lab.judge(known[name]))
    except KeyboardInterrupt:
        interrupted = True
    line.clear()
    data = lab.as_json(verdicts)
    code = end(data, lab.table(verdicts) if verdicts else "", as_json=as_json, interrupted=interrupted)
    return code or (ExitCode.FINDING if data["mistakes"] else ExitCode.SUCCESS)
