"""`raddle lab`: the papers' experiments, done again."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

from raddle.errors import UsageError

CASES = ("philosophers", "airlines", "crawler", "ftp", "broker")
QUICK = 40  # executions of a series, or of a mutant: enough to see that everything works

_JOBS = click.option(
    "--jobs", type=click.IntRange(min=1), default=os.cpu_count() or 1, help="Processes side by side [default: all]."
)
_SEED = click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of everything random.")
_QUICK = click.option("--quick", is_flag=True, help="Very few executions: does everything work?")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON on stdout.")
_OUTPUT = click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for tables, JSON and figures [default: no files].",
)


@click.group()
def lab() -> None:
    """Do the experiments of the papers again."""


@lab.command()
@click.option(
    "--executions", type=click.IntRange(min=2), default=2000, show_default=True, help="Executions of a series."
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
@_JSON
def krena(cases: str | None, mode: str, output: Path | None, as_json: bool, quick: bool, **options: Any) -> int:
    """Which metrics suit saturation-based testing? Tables 2 and 3, Figure 1 and the verdict of Křena, Letko and
    Vojnar, for five test cases in Python."""
    experiment = _load("krena")
    names = _chosen("case", cases, CASES)
    plans = [
        experiment.Plan(
            cases=names,
            mode=one,
            executions=QUICK if quick else options["executions"],
            series=options["series"],
            seed=options["seed"],
        )
        for one in (experiment.MODES if mode == "both" else (mode,))
    ]
    tables = _load("tables")
    texts, found = [], []
    for plan in plans:
        results = experiment.run(plan, jobs=min(options["jobs"], len(names)), done=_case_done)
        texts.append(tables.report(results))
        found += results
    data = {"cases": [result.as_json() for result in found], "seed": options["seed"]}
    if output is not None:
        _write(output, "krena", data, "\n\n".join(texts))
        for result in found:
            if result.case == "crawler":
                for path in _load("figure").draw_figure(result, output):
                    click.echo(f"drawn: {path}", err=True)
    click.echo(json.dumps(data, indent=2) if as_json else "\n\n".join(texts))
    return 0


@lab.command()
@click.option(
    "--executions", type=click.IntRange(min=4), default=200, show_default=True, help="Executions of each mutant."
)
@click.option("--sets", type=click.IntRange(min=2), default=20, show_default=True, help="Test sets of each size.")
@click.option("--subjects", help="Some of the subjects, with commas in between [default: all].")
@click.option("--criteria", default="every", show_default=True, help="Criteria, with commas in between.")
@_OUTPUT
@_SEED
@_JOBS
@_QUICK
@_JSON
def correlation(
    subjects: str | None, criteria: str, output: Path | None, as_json: bool, quick: bool, **options: Any
) -> int:
    """Does more coverage mean more bugs found? Kendall's τ for every criterion, on programs with one lock left
    out."""
    from raddle.criteria import resolve

    experiment, mutants, table = _load("correlation"), _load("mutants"), _load("correlation_table")
    plan = experiment.Plan(
        subjects=_chosen("subject", subjects, mutants.subject_names()),
        criteria=resolve(criteria),
        executions=QUICK if quick else options["executions"],
        sets=options["sets"],
        seed=options["seed"],
    )
    results, correlations = experiment.run(plan, jobs=min(options["jobs"], len(plan.subjects)), done=_subject_done)
    data = {
        "seed": plan.seed,
        "executions": plan.executions,
        "subjects": [
            {"subject": r.subject, "mutants": r.mutants, "bugs": r.bugs, "requirements": dict(r.requirements)}
            for r in results
        ],
        "criteria": {
            row.criterion: {k: v for k, v in row._asdict().items() if k != "criterion"} for row in correlations
        },
    }
    text = table.report(results, correlations)
    if output is not None:
        _write(output, "correlation", data, text)
    click.echo(json.dumps(data, indent=2) if as_json else text)
    return 0


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


def _write(folder: Path, name: str, data: dict[str, Any], text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    (folder / f"{name}.txt").write_text(text + "\n", encoding="utf-8")


def _case_done(result: Any) -> None:
    click.echo(f"{result.case}: {result.collected:,} executions, {result.mode}", err=True)


def _subject_done(result: Any) -> None:
    click.echo(f"{result.subject}: {result.bugs} of {result.mutants} mutants fail", err=True)
