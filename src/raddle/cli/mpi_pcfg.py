"""`raddle mpi pcfg`: show the parallel control flow graph of a program, and what the structural criteria require."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from raddle.cli.mpi_options import graph_options, ranks_option
from raddle.cli.options import given, json_option
from raddle.cli.output import survive_closed_pipe
from raddle.criteria import MESSAGES, make_criteria
from raddle.errors import UsageError
from raddle.exit_code import ExitCode
from raddle.messages.exploring import structural_criteria
from raddle.messages.graphs import Answer, graph, sites_of, why
from raddle.pcfg.elements import Element, Elements
from raddle.pcfg.graph import Options, Pcfg
from raddle.pcfg.matching import Profile, Side
from raddle.pruning_facts import PruningFacts
from raddle.report.pcfg_drawing import Drawing
from raddle.static_model import StaticModel
from raddle.wording import count


@click.command("pcfg", short_help="Show the parallel control flow graph of a program.")
@ranks_option
@graph_options
@click.option("--criteria", metavar="NAMES", help="List the required elements of these criteria as sentences.")
@click.option(
    "--why",
    "question",
    metavar="PAIR",
    help="Say whether a send and a receive form a sync-edge, and if not, why: '12 master, 36 worker 2'.",
)
@click.option("--svg", metavar="FILE", help="Draw the graph in this file.")
@json_option
@click.argument("program", metavar="PROGRAM")
def mpi_pcfg(
    program: str, ranks: int, criteria: str | None, question: str | None, svg: str | None, as_json: bool, **options: Any
) -> int:
    """Show the processes of PROGRAM, a file that uses mpi4py, and the number of elements that each structural criterion
    requires. Nothing is run."""
    settings = given(**options)
    if "profile" in settings:
        settings["profile"] = Profile(settings["profile"])
    pcfg = graph(program, Options(ranks, **settings))
    listed = structural_criteria(criteria, program) if criteria is not None else ()
    answers = why(pcfg, question) if question is not None else []
    if svg is not None:
        _write(Path(svg), Drawing(pcfg).svg())
    with survive_closed_pipe():
        if as_json:
            click.echo(json.dumps(_as_json(program, pcfg, listed, answers), indent=2))
        else:
            for line in [str(answer) for answer in answers] if question is not None else _lines(pcfg, listed):
                click.echo(line)
    return ExitCode.SUCCESS


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError("output-unwritable", f"{path} cannot be written: {error.strerror}") from None


def _numbers(pcfg: Pcfg) -> dict[str, int]:
    elements = Elements(pcfg)
    return {name: sum(1 for _ in elements.required(Element(name))) for name in MESSAGES}


def _lines(pcfg: Pcfg, listed: Sequence[str]) -> list[str]:
    lines = []
    for process in pcfg.processes:
        nodes = list(process.nodes)
        sends, receives = sum(bool(n.sends) for n in nodes), sum(bool(n.receives) for n in nodes)
        lines.append(
            f"{process.label} (rank {process.rank}): {count(len(nodes), 'node')}, {count(sends, 'send')}, "
            f"{count(receives, 'receive')}"
        )
    sides = [reason.side for _, reason in pcfg.eliminated]
    by = ", ".join(f"{sides.count(side)} by the {side}" for side in Side if side in sides)
    pairs = len(pcfg.sync_edges) + len(sides)
    lines += [
        "",
        f"{count(pairs, 'pair')} of a send and a receive: {count(len(pcfg.sync_edges), 'sync-edge')}, "
        f"{len(sides)} eliminated{f' ({by})' if by else ''}",
        "",
        *(f"{name:<14}{number:>7,}" for name, number in _numbers(pcfg).items()),
    ]
    for name, sentences in _sentences(pcfg, listed).items():
        lines += ["", f"{name}:", *(f"  {sentence}" for sentence in sentences)]
    return lines


def _sentences(pcfg: Pcfg, names: Sequence[str]) -> dict[str, list[str]]:
    sites, model = sites_of(pcfg), StaticModel(graphs=(pcfg,))
    facts = PruningFacts()
    return {
        criterion.name: [criterion.explain(key, sites) for key in criterion.requirements(model, facts) or ()]
        for criterion in (make_criteria(names) if names else ())
    }


def _as_json(program: str, pcfg: Pcfg, listed: Sequence[str], answers: Sequence[Answer]) -> dict[str, Any]:
    return {
        "program": program,
        "processes": [
            {"rank": process.rank, "label": process.label, "nodes": sum(1 for _ in process.nodes)}
            for process in pcfg.processes
        ],
        "required": _numbers(pcfg),
        "sync_edges": len(pcfg.sync_edges),
        "eliminated": [str(Answer(pair, reason.reason)) for pair, reason in pcfg.eliminated],
        "elements": _sentences(pcfg, listed),
        "answers": [{"pair": str(answer), "is_sync_edge": not answer.reason} for answer in answers],
    }
