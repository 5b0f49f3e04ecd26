"""`raddle lab`: repeat the experiments from the papers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from raddle.cli.lab_generation import autocontest, false_alarms, maptest
from raddle.cli.lab_messages import messages
from raddle.cli.lab_running import QUICK, chosen, end, follow, load, prepare, titled, write
from raddle.cli.lab_souza import souza
from raddle.cli.options import json_option, thread_methods
from raddle.cli.target import load_scenario
from raddle.errors import UsageError
from raddle.exit_code import ExitCode
from raddle.native.noise import Noise
from raddle.thread_scenario import check_source

CASES = ("philosophers", "airlines", "crawler", "ftp", "broker")
SERIES_EXECUTIONS, MUTANT_EXECUTIONS = 2000, 200  # default values of --executions
PROGRAM_EXECUTIONS, EXHAUST_EXECUTIONS = 500, 1000  # default limits of `raddle lab lu`

_JOBS = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    help="Number of parallel processes [default: one per processor].",
)
_SEED = click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed for all random choices."
)
_QUICK = click.option(
    "--quick",
    is_flag=True,
    help=f"Run only {QUICK} executions: enough for a trial, but too few for meaningful results.",
)
_OUTPUT = click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for tables, JSON and figures. Files of an earlier run are replaced [default: write no files].",
)


@click.group()
def lab() -> None:
    """Repeat the experiments from the papers."""


lab.add_command(maptest)
lab.add_command(autocontest)
lab.add_command(false_alarms)
lab.add_command(messages)
lab.add_command(souza)


@lab.command()
@click.option(
    "--executions",
    type=click.IntRange(min=2),
    help=f"Executions per series; the case 'broker' uses an eighth of that number [default: {SERIES_EXECUTIONS}].",
)
@click.option(
    "--collection",
    type=click.IntRange(min=2),
    help="Number of executions to run; series are drawn from these [default: twice the length of a series].",
)
@click.option(
    "--series", type=click.IntRange(min=1), default=100, show_default=True, help="Number of random series to draw."
)
@click.option("--cases", help=f"Comma-separated test cases: {', '.join(CASES)} [default: all].")
@click.option(
    "--target",
    metavar="FILE::FUNCTION",
    help="Use your own scenario instead of the test cases. With --mode noise, you can also give a script with its "
    "arguments, in quotes.",
)
@click.option(
    "--source",
    multiple=True,
    metavar="NAME",
    help="With --target: package, module, folder or file to instrument [default: the project that contains the "
    "target]. Repeatable.",
)
@click.option(
    "--mode",
    type=click.Choice(["controlled", "noise", "both"]),
    default="controlled",
    show_default=True,
    help="controlled: raddle schedules the threads; noise: the operating system schedules them, and raddle adds noise.",
)
@click.option(
    "--noise",
    multiple=True,
    metavar="KIND[:OPTIONS]",
    help="With --mode noise: the noise to add, as for raddle run [default: yield:probability=0.2 and "
    "sleep:probability=0.02,strength=0.5]. Repeatable.",
)
@thread_methods
@_OUTPUT
@_SEED
@_JOBS
@_QUICK
@json_option
def krena(mode: str, output: Path | None, as_json: bool, quick: bool, jobs: int, **options: Any) -> int:
    """Find the metrics that suit saturation-based testing.

    Reproduces Tables 2 and 3 and the verdict of Křena, Letko and Vojnar, for five test cases in Python or for your own
    scenario (--target). With --output, raddle also draws Figure 1, for the crawler or for your scenario. The five
    test cases take about nine minutes on one processor, about fifteen minutes with noise, and a few seconds with
    --quick. After Ctrl-C, raddle reports on the test cases completed so far, or on the completed executions of your own
    scenario.
    """
    experiment = load("krena")
    tables, figure = load("tables"), load("figure")  # fail now, not after minutes of work, if a module is missing
    names = _krena_cases(mode=mode, **options)
    prepare(output)
    executions = options["executions"] or (QUICK if quick else SERIES_EXECUTIONS)
    _check_collection(options["collection"], executions)
    texts, found, interrupted = [], [], False
    for one in experiment.MODES if mode == "both" else (mode,):
        plan = experiment.Plan(
            cases=names,
            mode=one,
            executions=executions,
            collection=options["collection"],
            series=options["series"],
            seed=options["seed"],
            noise=options["noise"],
            source=options["source"],
        )
        if options["thread_methods"] is not None:
            plan = replace(plan, thread_methods=options["thread_methods"])
        results: list[Any] = []
        with _silence() if options["target"] else nullcontext():
            interrupted = follow(experiment.run, plan, results, jobs=min(jobs, len(names)), describe=_case_done)
        if results:
            texts.append(tables.report(results))
        found += results
        if interrupted:
            break
    data = {**experiment.as_json(found), "seed": options["seed"], "series": options["series"], "quick": quick}
    text = titled("\n\n".join(texts), quick=quick)
    if found and output is not None:
        write(output, "krena", data, text)
        for result in found:
            if result.case == "crawler" or options["target"]:
                for path in figure.draw_figure(result, output):
                    click.echo(f"drawn: {path}", err=True)
    return end(data, text, as_json=as_json, interrupted=interrupted)


@lab.command()
@click.option(
    "--executions",
    type=click.IntRange(min=4),
    help=f"Executions per mutant [default: {MUTANT_EXECUTIONS}].",
)
@click.option(
    "--sets", type=click.IntRange(min=2), default=20, show_default=True, help="Number of test sets of each size."
)
@click.option("--subjects", help="Comma-separated subjects [default: all].")
@click.option("--criteria", default="every", show_default=True, help="Comma-separated criteria to evaluate.")
@_OUTPUT
@_SEED
@_JOBS
@_QUICK
@json_option
def correlation(
    subjects: str | None, criteria: str, output: Path | None, as_json: bool, quick: bool, **options: Any
) -> int:
    """Measure whether more coverage means more bugs found.

    Computes Kendall's τ between coverage and bugs found, for every criterion, on programs with one lock removed. Takes
    about a minute on one processor. After Ctrl-C, raddle reports on the subjects completed so far.
    """
    from raddle.criteria import resolve

    experiment, mutants, table = load("correlation"), load("mutants"), load("correlation_table")
    plan = experiment.Plan(
        subjects=chosen("subject", subjects, mutants.subject_names()),
        criteria=resolve(criteria),
        executions=options["executions"] or (QUICK if quick else MUTANT_EXECUTIONS),
        sets=options["sets"],
        seed=options["seed"],
    )
    prepare(output)
    results: list[Any] = []
    jobs = min(options["jobs"], len(plan.subjects))
    interrupted = follow(experiment.run, plan, results, jobs=jobs, describe=_subject_done)
    correlations = [experiment.correlate(criterion, results) for criterion in plan.criteria]
    data = {**experiment.as_json(plan, results, correlations), "quick": quick}
    text = titled(table.report(results, correlations), quick=quick) if results else ""
    if results and output is not None:
        write(output, "correlation", data, text)
    return end(data, text, as_json=as_json, interrupted=interrupted)


@lab.command(short_help="Measure the cost of complete test sets and the bugs they expose.")
@click.option(
    "--executions",
    type=click.IntRange(min=2),
    help=f"Executions of each program that is not searched exhaustively [default: {PROGRAM_EXECUTIONS}].",
)
@click.option(
    "--exhaust",
    type=click.IntRange(min=2),
    help=f"Give up on an exhaustive search after this many executions [default: {EXHAUST_EXECUTIONS}].",
)
@click.option(
    "--sets", type=click.IntRange(min=1), default=100, show_default=True, help="Number of complete test sets to draw."
)
@click.option("--programs", help="Comma-separated programs [default: all].")
@_OUTPUT
@_SEED
@_JOBS
@_QUICK
@json_option
def lu(programs: str | None, output: Path | None, as_json: bool, quick: bool, jobs: int, **options: Any) -> int:
    """Measure the cost of complete test sets and the bugs they expose.

    Draws complete test sets for the seven criteria of Lu, Jiang and Zhou. The subjects are mutants with one lock
    removed, and programs from SCTBench. raddle compares the size of the test sets with the bounds in Table 1 of the
    paper, and counts the bugs they expose. The criterion 'all' is evaluated only for programs that can be searched
    exhaustively. Takes about four minutes on one processor. After Ctrl-C, raddle reports on the programs completed so
    far.
    """
    experiment, table = load("lu"), load("lu_table")
    names = chosen("program", programs, experiment.program_names())
    prepare(output)
    plan = experiment.Plan(
        programs=names,
        executions=options["executions"] or (QUICK if quick else PROGRAM_EXECUTIONS),
        exhaust=options["exhaust"] or (QUICK if quick else EXHAUST_EXECUTIONS),
        sets=options["sets"],
        seed=options["seed"],
    )
    results: list[Any] = []
    interrupted = follow(experiment.run, plan, results, jobs=min(jobs, len(names)), describe=_program_done)
    data = {**experiment.as_json(plan, results), "quick": quick}
    text = titled(table.report(results), quick=quick) if results else ""
    if results and output is not None:
        write(output, "lu", data, text)
    return end(data, text, as_json=as_json, interrupted=interrupted)


@lab.command(short_help="Count the executions each scheduler needs to find bugs.")
@click.option("--schedulers", help="Comma-separated schedulers [default: portfolio, pos, surw, pct:depth=3, random].")
@click.option("--programs", help="Comma-separated programs [default: all 28].")
@click.option("--seeds", type=click.IntRange(min=1), default=20, show_default=True, help="Number of seeds to try.")
@click.option(
    "--executions",
    type=click.IntRange(min=1),
    default=1_000,
    show_default=True,
    help="Maximum number of executions per seed.",
)
@_OUTPUT
@_SEED
@_JOBS
@json_option
def sctbench(
    schedulers: str | None, programs: str | None, output: Path | None, as_json: bool, jobs: int, **options: Any
) -> int:
    """Count the executions that each scheduler needs to find the bugs in SCTBench.

    Takes about ten minutes on one processor.
    """
    from raddle.guide.policies import make_policy

    experiment = load("sctbench_table")
    plan = experiment.Plan(programs=chosen("program", programs, tuple(experiment.PROGRAMS)), **options)
    if schedulers:
        names = tuple(name.strip() for name in schedulers.split(",") if name.strip())
        for name in names:
            make_policy(name, seed=1, criteria=["sync"])  # raises now if there is no such scheduler
        plan = replace(plan, schedulers=names)
    rows = experiment.run(plan, jobs=jobs, done=_row_done)
    data, text = experiment.as_json(plan, rows), experiment.report(plan, rows)
    if output is not None:
        write(output, "sctbench", data, text)
    click.echo(json.dumps(data, indent=2) if as_json else text)
    return ExitCode.SUCCESS


def _krena_cases(
    *,
    cases: str | None,
    target: str | None,
    source: Sequence[str],
    mode: str,
    noise: Sequence[str],
    **others: Any,
) -> tuple[str, ...]:
    """Return the requested cases, or the target; raise a `UsageError` for conflicting options."""
    if noise and mode == "controlled":
        raise UsageError("bad-experiment", "--noise has no effect on controlled executions: add --mode noise")
    for text in noise:
        Noise.parse(text)
    if target is None:
        if source:
            raise UsageError(
                "bad-experiment", "--source only applies to your own scenario: add --target FILE::FUNCTION"
            )
        return chosen("case", cases, CASES)
    if cases is not None:
        raise UsageError("bad-experiment", "give --cases for the paper's programs or --target for your own, not both")
    for name in source:
        check_source(name)
    if "::" in target or mode != "noise":
        load_scenario(target)
    elif not target.strip():
        raise UsageError("no-program", "name a program: --target script.py, or --target '-m module'")
    return (target,)


def _check_collection(collection: int | None, executions: int) -> None:
    if collection is not None and collection < executions:
        raise UsageError(
            "bad-experiment",
            f"series of {executions:,} executions cannot be drawn from a collection of {collection:,}: "
            "raise --collection or lower --executions",
        )


@contextmanager
def _silence() -> Iterator[None]:
    """Discard the output of the user's scenario, which every execution would otherwise print between the tables."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        yield


def _case_done(result: Any) -> str:
    ends = ", ".join(f"{count:,} {kind}" for kind, count in result.outcomes.items())
    return f"{result.case}, {result.mode}: {result.collected:,} executions: {ends}"


def _row_done(row: Any) -> None:
    click.echo(f"{row.program}, {row.scheduler}: found with {row.found} of {len(row.firsts)} seeds", err=True)


def _subject_done(result: Any) -> str:
    return f"{result.subject}: {result.bugs} of {result.mutants} mutants fail"


def _program_done(result: Any) -> str:
    runs = f"{result.executions:,} executions" + (" (all there are)" if result.exhausted else "")
    return f"{result.program}: {runs}, {result.failures:,} fail"
