"""The command of `raddle lab` on message-passing programs. Interrupted runs can be resumed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from raddle.cli.lab_running import chosen, end, load, prepare, write
from raddle.cli.options import json_option

_POSITIVE = click.IntRange(min=1)
TOO_SMALL = "--quick: the numbers are too small to draw conclusions from them."


@click.command(short_help="Compare approaches to testing message-passing programs.")
@click.option("--programs", help="Comma-separated programs, such as gcd,mmult [default: all nine].")
@click.option("--executions", type=_POSITIVE, help="Limit of reachability testing for each input [default: 500].")
@click.option("--random-runs", type=_POSITIVE, help="Limit of CovT's repetitions of each input [default: 100].")
@click.option("--pool", type=_POSITIVE, help="Number of random inputs from which T2 is chosen [default: 50].")
@click.option(
    "--mutants",
    type=click.IntRange(min=0),
    help="Number of defects in each program; 0 leaves Tables VII, VIII, XI and XII out [default: as in the paper].",
)
@click.option("--seed", type=click.IntRange(min=0), help="Seed for all random choices [default: 1].")
@click.option("--quick", is_flag=True, help="Try everything on three programs in less than a minute.")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the results of all runs, tables and JSON. Runs whose results are there already are not "
    "repeated [default: write no files].",
)
@click.option("--jobs", type=_POSITIVE, default=1, show_default=True, help="Number of runs at a time.")
@json_option
def souza(output: Path | None, jobs: int, quick: bool, as_json: bool, programs: str | None, **limits: Any) -> int:
    """Compare approaches to testing message-passing programs.

    Reproduces Tables I to XII and Figures 2, 4 and 5 of Souza, Souza and Zaluska, "Structural testing for
    message-passing concurrent programs", with nine new programs, beside the published numbers. CovT is structural
    testing, RT is reachability testing, and RTCovT is the composite approach. After Ctrl-C, raddle reports on the runs
    completed so far; with --output, the same command continues.
    """
    experiment, studies, tables = load("souza.experiment"), load("souza.study"), load("souza.report")
    plan = experiment.QUICK if quick else experiment.Plan()
    given = {name: value for name, value in limits.items() if value is not None}
    if programs:
        given["programs"] = chosen("program", programs, experiment.NAMES)
    plan = replace(plan, **given)
    prepare(output)
    log = load("result_log").ResultLog(output and output / "souza-runs.jsonl")

    def done(run: Any, number: int, total: int) -> None:
        what = run.result.get("text", "")
        click.echo(f"{number} of {total}: {run.cell.program}, {run.cell.part}: {what or run.result['end']}", err=True)

    interrupted = False
    try:
        experiment.run(plan, log, jobs=jobs, done=done)
    except KeyboardInterrupt:
        interrupted = True
    study = studies.Study.of_runs(plan, experiment.runs_of(plan, log), quick=quick)
    data, text = study.as_json(), tables.report(study)
    if quick:
        text = f"{TOO_SMALL}\n\n{text}"
    if output is not None and study.runs:
        write(output, "souza", data, text)
        click.echo(f"drawn: {tables.draw_figure_2(output)}", err=True)
    return end(data, text, as_json=as_json, interrupted=interrupted)
