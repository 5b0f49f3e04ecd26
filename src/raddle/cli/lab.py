"""`raddle lab`: the papers' experiments, done again."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from raddle.cli.options import json_option
from raddle.errors import UsageError
from raddle.exit_code import ExitCode

CASES = ("philosophers", "airlines", "crawler", "ftp", "broker")
QUICK = 40  # executions of a series, or of a mutant: enough to see that everything works
SERIES_EXECUTIONS, MUTANT_EXECUTIONS = 2000, 200
REDRAW_SECONDS = 0.2

_JOBS = click.option(
    "--jobs", type=click.IntRange(min=1), default=os.cpu_count() or 1, help="Processes side by side [default: all]."
)
_SEED = click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of everything random.")
_QUICK = click.option(
    "--quick", is_flag=True, help=f"Only {QUICK} executions: does everything work? The numbers mean nothing."
)
_OUTPUT = click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for tables, JSON and figures; those of an earlier run are replaced [default: no files].",
)


@click.group()
def lab() -> None:
    """Do the experiments of the papers again."""


@lab.command()
@click.option(
    "--executions",
    type=click.IntRange(min=2),
    help=f"Executions of a series [default: {SERIES_EXECUTIONS}; the broker: an eighth]. Twice as many are run.",
)
@click.option("--series", type=click.IntRange(min=1), default=100, show_default=True, help="Random series drawn.")
@click.option("--cases", help=f"Some of {', '.join(CASES)}, with commas in between [default: all].")
@click.option(
    "--mode",
    type=click.Choice(["controlled", "noise", "both"]),
    default="controlled",
    show_default=True,
    help="Executions under control, or of the program's own threads with noise.",
)
@_OUTPUT
@_SEED
@_JOBS
@_QUICK
@json_option
def krena(cases: str | None, mode: str, output: Path | None, as_json: bool, quick: bool, **options: Any) -> int:
    """Which metrics suit saturation-based testing?

    Tables 2 and 3, Figure 1 (of the crawler, with --output) and the verdict of Křena, Letko and Vojnar, for five
    test cases in Python. Takes about ten minutes of one processor, with noise about four times as long. Ctrl-C
    ends it with the cases that are done.
    """
    experiment = _load("krena")
    tables, figure = _load("tables"), _load("figure")  # better to hear now than in some minutes that one is missing
    names = _chosen("case", cases, CASES)
    _prepare(output)
    texts, found, interrupted = [], [], False
    for one in experiment.MODES if mode == "both" else (mode,):
        plan = experiment.Plan(
            cases=names,
            mode=one,
            executions=options["executions"] or (QUICK if quick else SERIES_EXECUTIONS),
            series=options["series"],
            seed=options["seed"],
        )
        results: list[Any] = []
        interrupted = _follow(experiment.run, plan, results, jobs=min(options["jobs"], len(names)), tell=_case_done)
        if results:
            texts.append(tables.report(results))
        found += results
        if interrupted:
            break
    data = {**experiment.as_json(found), "seed": options["seed"], "series": options["series"]}
    if found and output is not None:
        _write(output, "krena", data, "\n\n".join(texts))
        for result in found:
            if result.case == "crawler":
                for path in figure.draw_figure(result, output):
                    click.echo(f"drawn: {path}", err=True)
    return _end(data, "\n\n".join(texts), as_json=as_json, interrupted=interrupted)


@lab.command()
@click.option(
    "--executions",
    type=click.IntRange(min=4),
    help=f"Executions of each mutant [default: {MUTANT_EXECUTIONS}].",
)
@click.option("--sets", type=click.IntRange(min=2), default=20, show_default=True, help="Test sets of each size.")
@click.option("--subjects", help="Some of the subjects, with commas in between [default: all].")
@click.option("--criteria", default="every", show_default=True, help="Criteria, with commas in between.")
@_OUTPUT
@_SEED
@_JOBS
@_QUICK
@json_option
def correlation(
    subjects: str | None, criteria: str, output: Path | None, as_json: bool, quick: bool, **options: Any
) -> int:
    """Does more coverage mean more bugs found?

    Kendall's τ for every criterion, on programs with one lock left out. Takes some minutes. Ctrl-C ends it with
    the subjects that are done.
    """
    from raddle.criteria import resolve

    experiment, mutants, table = _load("correlation"), _load("mutants"), _load("correlation_table")
    plan = experiment.Plan(
        subjects=_chosen("subject", subjects, mutants.subject_names()),
        criteria=resolve(criteria),
        executions=options["executions"] or (QUICK if quick else MUTANT_EXECUTIONS),
        sets=options["sets"],
        seed=options["seed"],
    )
    _prepare(output)
    results: list[Any] = []
    jobs = min(options["jobs"], len(plan.subjects))
    interrupted = _follow(experiment.run, plan, results, jobs=jobs, tell=_subject_done)
    correlations = [experiment.correlate(criterion, results) for criterion in plan.criteria]
    data, text = experiment.as_json(plan, results, correlations), table.report(results, correlations)
    if results and output is not None:
        _write(output, "correlation", data, text)
    return _end(data, text if results else "", as_json=as_json, interrupted=interrupted)


@lab.command()
@click.option("--schedulers", help="Schedulers, with commas in between.")
@click.option("--programs", help="Some of the programs, with commas in between [default: all 28].")
@click.option("--seeds", type=click.IntRange(min=1), default=20, show_default=True, help="How many seeds to try.")
@click.option(
    "--executions", type=click.IntRange(min=1), default=1_000, show_default=True, help="At most, for each seed."
)
@_OUTPUT
@_SEED
@_JOBS
@json_option
def sctbench(
    schedulers: str | None, programs: str | None, output: Path | None, as_json: bool, jobs: int, **options: Any
) -> int:
    """How many executions does each scheduler need to find the bugs of SCTBench?"""
    from raddle.guide.policies import make_policy

    experiment = _load("sctbench_table")
    plan = experiment.Plan(programs=_chosen("program", programs, tuple(experiment.PROGRAMS)), **options)
    if schedulers:
        names = tuple(name.strip() for name in schedulers.split(",") if name.strip())
        for name in names:
            make_policy(name, seed=1, criteria=["sync"])  # better to hear now that there is none
        plan = replace(plan, schedulers=names)
    rows = experiment.run(plan, jobs=jobs, done=_row_done)
    data, text = experiment.as_json(plan, rows), experiment.report(plan, rows)
    if output is not None:
        _write(output, "sctbench", data, text)
    click.echo(json.dumps(data, indent=2) if as_json else text)
    return ExitCode.SUCCESS


def _load(name: str) -> Any:
    """A module of the lab, which is there only where its extra was installed."""
    import importlib

    try:
        return importlib.import_module(f"raddle_lab.{name}")
    except ImportError as error:
        raise UsageError(
            "lab-not-installed",
            f"the experiments need packages that are not there ({error}): pip install 'raddle[lab]'",
        ) from None


def _chosen(what: str, given: str | None, known: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in given.split(",") if name.strip())) if given else known
    for name in names:
        if name not in known:
            raise UsageError("no-such-case", f"there is no {what} {name!r}; there are {', '.join(known)}")
    return names


def _prepare(folder: Path | None) -> None:
    """Better to hear now than in some minutes that nothing can be written."""
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError("no-such-file", f"{folder} cannot be made: {error.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise UsageError("no-such-file", f"{folder} cannot be written to")


def _follow(
    run: Callable[..., object], plan: Any, results: list[Any], *, jobs: int, tell: Callable[[Any], str]
) -> bool:
    """Run an experiment, tell people how far it is, and keep what is done; was it interrupted?"""
    counter = _Counter()

    def done(result: Any) -> None:
        results.append(result)
        counter.clear()
        click.echo(tell(result), err=True)

    try:
        run(plan, jobs=jobs, done=done, executed=counter)
    except KeyboardInterrupt:
        counter.clear()
        return True
    return False


class _Counter:
    """How many executions there were, on a terminal: one line that is written over."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._last = 0.0

    def __call__(self, name: str, number: int, total: int) -> None:
        now = time.monotonic()
        if self._shown and now - self._last >= REDRAW_SECONDS:
            self._last = now
            self._draw(f"{name}: {number:,} of {total:,} executions")

    def clear(self) -> None:
        if self._shown:
            self._draw("")

    def _draw(self, line: str) -> None:
        click.echo(f"\r\x1b[K{line}", nl=False, err=True)


def _end(data: dict[str, Any], text: str, *, as_json: bool, interrupted: bool) -> int:
    """What a command prints at last, and its exit code."""
    if as_json:
        click.echo(json.dumps({**data, "interrupted": interrupted}, indent=2))
    elif text:
        click.echo(text)
    if interrupted:
        click.echo(f"interrupted; {'the results are of what was done' if text else 'nothing was done yet'}", err=True)
    return ExitCode.INTERRUPTED if interrupted else ExitCode.SUCCESS


def _write(folder: Path, name: str, data: dict[str, Any], text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    (folder / f"{name}.txt").write_text(text + "\n", encoding="utf-8")


def _case_done(result: Any) -> str:
    ends = ", ".join(f"{count:,} {kind}" for kind, count in result.outcomes.items())
    return f"{result.case}, {result.mode}: {result.collected:,} executions: {ends}"


def _row_done(row: Any) -> None:
    click.echo(f"{row.program}, {row.scheduler}: {row.found} of {len(row.firsts)} seeds", err=True)


def _subject_done(result: Any) -> str:
    return f"{result.subject}: {result.bugs} of {result.mutants} mutants fail"
