"""`raddle mpi mutate`: insert defects into a message-passing program."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import click

from raddle.cli.options import json_option
from raddle.cli.output import survive_closed_pipe
from raddle.cli.screen import console
from raddle.errors import UsageError
from raddle.exit_code import ExitCode
from raddle.messages.defects import Defect
from raddle.messages.mutants import Mutant, mutants, sample
from raddle.messages.scenario import check_program
from raddle.wording import count


@click.command("mutate", short_help="Insert defects into a program.")
@click.argument("program")
@click.option("--kinds", metavar="NUMBERS", help="Comma-separated kinds of defect, from 1 to 16 [default: all].")
@click.option("--count", "wanted", type=click.IntRange(min=1), help="Number of mutants to draw [default: all].")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed for --count.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the mutants; it must be new or empty [default: write no files].",
)
@json_option
def mpi_mutate(program: str, kinds: str | None, wanted: int | None, seed: int, out: Path | None, as_json: bool) -> int:
    """List the mutants of PROGRAM, each with one of the sixteen kinds of defect of Souza et al.: wrong ranks, tags, and
    sizes of messages, nonblocking instead of blocking operations, wrong operators, missing statements and others."""
    check_program(program)
    found = mutants(Path(program).read_text(encoding="utf-8"), _kinds(kinds))
    if wanted is not None:
        found = sorted(sample(found, wanted, seed), key=lambda mutant: (mutant.defect, mutant.line, mutant.column))
    files = _write(found, Path(program), out) if out is not None else []
    if as_json:
        with survive_closed_pipe():
            click.echo(json.dumps({"program": program, "mutants": [_as_json(one) for one in found], "files": files}))
    else:
        _show(found, out)
    return ExitCode.SUCCESS if found else ExitCode.NOTHING_TO_DO


def _kinds(text: str | None) -> tuple[Defect, ...]:
    if text is None:
        return tuple(Defect)
    try:
        return tuple(Defect(int(one)) for one in text.split(","))  # type: ignore[call-arg]
    except ValueError:
        raise UsageError("bad-defect", f"--kinds takes numbers from 1 to {len(Defect)}, not {text!r}") from None


def _write(found: list[Mutant], program: Path, out: Path) -> list[str]:
    if out.exists() and any(out.iterdir()):
        raise UsageError("bad-out", f"{out} is not empty; name a new or empty folder with --out")
    out.mkdir(parents=True, exist_ok=True)
    files = []
    for number, mutant in enumerate(found, 1):
        file = out / f"{program.stem}_{number:03}_defect{mutant.defect:02}.py"
        file.write_text(mutant.source, encoding="utf-8")
        files.append(str(file))
    return files


def _as_json(mutant: Mutant) -> dict[str, object]:
    return {
        "defect": int(mutant.defect),
        "title": mutant.defect.title,
        "line": mutant.line,
        "column": mutant.column,
        "before": mutant.before,
        "after": mutant.after,
    }


def _show(found: list[Mutant], out: Path | None) -> None:
    numbers = Counter(mutant.defect for mutant in found)
    with survive_closed_pipe():
        for defect in Defect:
            if numbers[defect]:
                click.echo(f"{defect:2}  {defect.title}: {count(numbers[defect], 'mutant')}")
                for mutant in found:
                    if mutant.defect is defect:
                        click.echo(f"      {mutant}")
    where = f", written to {out}" if out is not None else "; --out writes them to a folder"
    console().print(f"{count(len(found), 'mutant')}{where}")
