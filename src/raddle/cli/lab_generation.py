"""The commands of `raddle lab` that measure the generation of tests. Interrupted runs can be resumed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from raddle.cli.lab_running import chosen, load, prepare
from raddle.cli.options import json_option
from raddle.exit_code import ExitCode
from raddle.generation.generation_options import METHODS

TOO_SHORT = "--quick: the times are too short to draw conclusions from these numbers."

_JOBS = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Number of runs at a time. Runs compete for processors, so use fewer than there are to measure times.",
)
_OUTPUT = click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the results of all runs, tables, JSON and figures. Runs whose results are there already are not "
    "repeated [default: write no files].",
)
_SECONDS = click.FloatRange(min=0, min_open=True)


@click.command(short_help="Measure how fast test generation finds the bugs of 20 classes.")
@click.option("--methods", help="Comma-separated methods to compare [default: all but contege and contege*].")
@click.option("--classes", help="Comma-separated classes, such as V3,V17 [default: all 20].")
@click.option("--questions", help="Comma-separated research questions of the paper: 1, 2, 3 [default: all].")
@click.option("--seeds", type=click.IntRange(min=1), help="Number of runs of each method on each class [default: 10].")
@click.option("--seconds", type=_SECONDS, help="Time limit of a search for the first bug [default: 60].")
@click.option(
    "--coverage-seconds",
    type=_SECONDS,
    help="Question 2: time in which coverage grows. The total comes from runs that are 4 times as long [default: 60].",
)
@click.option("--coverage-seeds", type=click.IntRange(min=1), help="Question 2: number of runs [default: 1].")
@click.option(
    "--correlation-seconds",
    type=_SECONDS,
    help="Question 3: time of each run without locks. The total comes from runs 6 times as long [default: 20].",
)
@click.option("--correlation-seeds", type=click.IntRange(min=1), help="Question 3: number of runs [default: 10].")
@click.option(
    "--max-tests",
    type=click.IntRange(min=1),
    help="Limit runs by this number of tests, not by time, so that the results do not depend on the speed.",
)
@click.option("--quick", is_flag=True, help="Try everything on three classes in less than two minutes.")
@_OUTPUT
@_JOBS
@json_option
def maptest(output: Path | None, jobs: int, quick: bool, as_json: bool, **options: Any) -> int:
    """Measure how fast test generation finds the bugs of 20 classes.

    Reproduces Tables II, III and IV and Figures 4 and 5 of Wang et al., "MAP-Coverage: A Novel Coverage Criterion for
    Testing Thread-Safe Classes", with classes re-created in Python. With the default times and one job, the first
    question takes about nine hours, the second two hours and the third three hours. After Ctrl-C, raddle
    reports on the runs completed so far; with --output, the same command continues.
    """
    experiment, studies, tables = load("maptest.experiment"), load("maptest.study"), load("maptest.report")
    figures = load("maptest.figures")
    plan = _plan(experiment, quick=quick, **options)
    prepare(output)
    log = load("result_log").ResultLog(output and output / "maptest-runs.jsonl")

    def done(run: Any, number: int, total: int) -> None:
        cell = run.cell
        click.echo(f"{number} of {total}: {cell.subject}, {cell.method}, {cell.part}: {run.result['end']}", err=True)

    interrupted = _run(lambda: experiment.run(plan, log, jobs=jobs, done=done))
    study = studies.Study.of_runs(plan, experiment.runs_of(plan, log), jobs=jobs, quick=quick)
    data, text = study.as_json(), tables.report(study)
    if quick:
        text = f"{TOO_SHORT}\n\n{text}"
    if output is not None and study.runs:
        _write(output, "maptest", studies.text_of(data), text)
        for path in figures.draw_figures(study, output):
            click.echo(f"drawn: {path}", err=True)
    return _end(data, text, as_json=as_json, interrupted=interrupted)


def _plan(
    experiment: Any, *, quick: bool, methods: str | None, classes: str | None, questions: str | None, **limits: Any
) -> Any:
    plan = experiment.QUICK if quick else experiment.Plan()
    given = {name: value for name, value in limits.items() if value is not None}
    if methods:
        given["methods"] = chosen("method", methods, METHODS)
    if classes:
        given["subjects"] = chosen("class", classes, experiment.NAMES)
    if questions:
        known = tuple(map(str, experiment.QUESTIONS))
        given["questions"] = tuple(map(int, chosen("question", questions, known)))
    return replace(plan, **given)


@click.command(name="false-alarms", short_help="Count the bugs that test generation reports for correct classes.")
@click.option("--classes", help="Comma-separated classes, such as C3,V5-fixed [default: all].")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="portfolio",
    show_default=True,
    help="How tests are searched for.",
)
@click.option("--seconds", type=_SECONDS, default=300.0, show_default=True, help="Time for each class.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed for all random choices.")
@click.option("--max-tests", type=click.IntRange(min=1), help="Limit searches by this number of tests, not by time.")
@_OUTPUT
@_JOBS
@json_option
def false_alarms(output: Path | None, jobs: int, as_json: bool, classes: str | None, **options: Any) -> int:
    """Count the bugs that test generation reports for correct classes.

    The classes are thread-safe ones without known bugs, and the fixed versions of classes with known bugs. Exceptions
    and hangs (tiers 1 and 2) are counted separately from results and states (tiers 3 and 4). With the default time and
    one job, this takes about four hours. After Ctrl-C, raddle reports on the classes completed so far; with --output,
    the same command continues.
    """
    experiment = load("false_alarms")
    plan = experiment.Plan(classes=chosen("class", classes, experiment.NAMES), **options)
    prepare(output)
    log = load("result_log").ResultLog(output and output / "false-alarms-runs.jsonl")

    def done(name: str, result: Any, number: int, total: int) -> None:
        click.echo(f"{number} of {total}: {name}: {experiment.describe(result)}", err=True)

    interrupted = _run(lambda: experiment.run_all(plan, log, jobs=jobs, done=done))
    data = experiment.as_json(plan, log, jobs=jobs)
    text = "\n\n".join(section.text() for section in experiment.sections(data))
    if output is not None and data["runs"]:
        _write(output, "false-alarms", json.dumps(data, indent=1) + "\n", text)
    return _end(data, text, as_json=as_json, interrupted=interrupted)


@click.command(short_help="Measure how fast AutoConTest finds the faults of six classes.")
@click.option("--classes", help="Comma-separated classes, such as A1,A4 [default: all six].")
@click.option("--parts", help="Comma-separated parts: 1 (Fig. 1), 2 (Table 1, Fig. 10), 3 (Table 2) [default: all].")
@click.option("--seconds", type=_SECONDS, help="Parts 1 and 2: time for each run [default: 60].")
@click.option("--seeds", type=click.IntRange(min=1), help="Part 2: runs of ConTeGe and of ConTeGe* [default: 5].")
@click.option("--generator-seconds", type=_SECONDS, help="Part 3: time limit of each run [default: 60].")
@click.option("--quick", is_flag=True, help="Try everything on two classes in less than two minutes.")
@_OUTPUT
@_JOBS
@json_option
def autocontest(output: Path | None, jobs: int, quick: bool, as_json: bool, **options: Any) -> int:
    """Measure how fast AutoConTest finds the faults of six classes.

    Reproduces Fig. 1, Tables 1 and 2 and Figure 10 of Terragni and Cheung, "Coverage-Driven Test Code Generation for
    Concurrent Classes", with classes re-created in Python. ConTeGe* explores the random tests of ConTeGe as AutoConTest
    explores its own. With the default times and one job, part 2 takes about 70 minutes and part 3 about 30 minutes.
    After Ctrl-C, raddle reports on the runs completed so far; with --output, the same command continues.
    """
    experiment, studies, tables = load("autocontest.experiment"), load("autocontest.study"), load("autocontest.report")
    figures, texts = load("autocontest.figures"), load("maptest.study")
    plan = _autocontest_plan(experiment, quick=quick, **options)
    prepare(output)
    log = load("result_log").ResultLog(output and output / "autocontest-runs.jsonl")

    def done(run: Any, number: int, total: int) -> None:
        cell = run.cell
        what = f"{cell.subject}, {cell.part}, {cell.approach}, {cell.pruning}, seed {cell.seed}"
        click.echo(f"{number} of {total}: {what}: {run.result['end']}", err=True)

    interrupted = _run(lambda: experiment.run(plan, log, jobs=jobs, done=done))
    study = studies.Study.of_runs(plan, experiment.runs_of(plan, log), jobs=jobs, quick=quick)
    data, text = study.as_json(), tables.report(study)
    if quick:
        text = f"{TOO_SHORT}\n\n{text}"
    if output is not None and study.runs:
        _write(output, "autocontest", texts.text_of(data), text)
        for path in figures.draw_figures(study, output):
            click.echo(f"drawn: {path}", err=True)
    return _end(data, text, as_json=as_json, interrupted=interrupted)


def _autocontest_plan(experiment: Any, *, quick: bool, classes: str | None, parts: str | None, **limits: Any) -> Any:
    plan = experiment.QUICK if quick else experiment.Plan()
    given = {name: value for name, value in limits.items() if value is not None}
    if classes:
        given["subjects"] = chosen("class", classes, experiment.NAMES)
    if parts:
        given["parts"] = tuple(map(int, chosen("part", parts, tuple(map(str, experiment.PARTS)))))
    return replace(plan, **given)


def _run(run: Callable[[], object]) -> bool:
    """Run an experiment; return whether it was interrupted."""
    try:
        run()
    except KeyboardInterrupt:
        return True
    return False


def _write(folder: Path, name: str, data: str, text: str) -> None:
    (folder / f"{name}.json").write_text(data, encoding="utf-8")
    (folder / f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")


def _end(data: dict[str, Any], text: str, *, as_json: bool, interrupted: bool) -> int:
    click.echo(json.dumps({**data, "interrupted": interrupted}) if as_json else text)
    if interrupted:
        click.echo("interrupted; the results include only completed runs", err=True)
    return ExitCode.INTERRUPTED if interrupted else ExitCode.SUCCESS
