"""The page of the papers' experiments, whose tables are written by the commands that it shows.

    raddle lab krena --output control         an indented command: its result is called "control"
    <!-- table: growth of control -->         what follows, up to the end mark, is made from that result
    <!-- end of table -->

`python tools/lab_page.py [RESULT...]` runs the commands of all results, or of those named, and writes their tables into
the page. Results are kept in build/lab; with --keep, those that are there are not run again.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lab_tables

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/explanation-lab.md"
FOLDER = ROOT / "build/lab"
FIGURES = {"control": ("figure1-crawler-controlled.svg", ROOT / "docs/explanation-lab-figure1.svg")}
PYTHON = (3, 11)  # that the numbers of the page come from; schedules depend on what the interpreter executes
QUICK = "quick-"  # results whose commands take seconds

_COMMAND = re.compile(r"^    (raddle lab \w+ .*?)\s*(?:#.*)?$", re.MULTILINE)
_BLOCK = re.compile(r"^<!-- table: ([\w-]+) of ([\w-]+) -->\n(.*?)^<!-- end of table -->$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Result:
    """A result that the page has tables of."""

    name: str
    experiment: str
    arguments: tuple[str, ...]  # of `raddle lab`, without --output

    @property
    def reproduces(self) -> bool:
        """Whether the same command gives the same numbers: a program's own threads do not."""
        return not {"noise", "both"} & set(self.arguments)

    @property
    def is_quick(self) -> bool:
        return self.name.startswith(QUICK)

    def run(self, folder: Path) -> Any:
        """Run the command; return its data."""
        output = folder / self.name
        command = [sys.executable, "-m", "raddle", "lab", *self.arguments, "--output", str(output)]
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        return self.read(folder)

    def read(self, folder: Path) -> Any:
        """Return the data of an earlier run."""
        return json.loads((folder / self.name / f"{self.experiment}.json").read_text(encoding="utf-8"))

    def is_in(self, folder: Path) -> bool:
        return (folder / self.name / f"{self.experiment}.json").exists()


@dataclass(frozen=True, slots=True)
class Block:
    """A place of the page for a table."""

    table: str
    result: str
    text: str


def results(page: str) -> dict[str, Result]:
    """Return the results whose commands the page shows, by name.

    >>> results("    raddle lab krena --mode noise --output noise  # an hour")["noise"].arguments
    ('krena', '--mode', 'noise')
    """
    found = {}
    for match in _COMMAND.finditer(page):
        words = shlex.split(match[1])[2:]
        if "--output" in words:
            place = words.index("--output")
            name = words[place + 1]
            found[name] = Result(name, words[0], (*words[:place], *words[place + 2 :]))
    return found


def blocks(page: str) -> list[Block]:
    """Return the places for tables, from top to bottom."""
    return [Block(*match.groups()) for match in _BLOCK.finditer(page)]


def without_blocks(page: str) -> str:
    """Return what people wrote."""
    return _BLOCK.sub("", page)


def made(block: Block, result: Result, data: Any) -> str:
    """Return what belongs into a place."""
    return f"\n{lab_tables.TABLES[result.experiment][block.table](data)}\n\n"


def filled(page: str, data: Mapping[str, Any]) -> str:
    """Return the page with the tables of these results made again."""
    known = results(page)

    def fill(match: re.Match[str]) -> str:
        block = Block(*match.groups())
        if block.result not in data:
            return match[0]
        text = made(block, known[block.result], data[block.result])
        return f"<!-- table: {block.table} of {block.result} -->\n{text}<!-- end of table -->"

    return _BLOCK.sub(fill, page)


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the commands of docs/explanation-lab.md and write their tables.")
    parser.add_argument("results", nargs="*", metavar="RESULT", help="the results to make [default: all]")
    parser.add_argument("--keep", action="store_true", help="do not run what is in build/lab already")
    options = parser.parse_args()
    known = results(PAGE.read_text(encoding="utf-8"))
    for name in options.results:
        if name not in known:
            parser.error(f"the page has no result {name!r}; it has {', '.join(known)}")
    if sys.version_info[:2] != PYTHON:
        parser.error(f"the page's numbers come from Python {'.'.join(map(str, PYTHON))}; this is {sys.version}")
    for name in options.results or known:
        result, start = known[name], time.monotonic()
        data = result.read(FOLDER) if options.keep and result.is_in(FOLDER) else result.run(FOLDER)
        # After each one: the next may take long, and somebody may edit the page meanwhile.
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), {name: data}), encoding="utf-8")
        if name in FIGURES:
            made_figure, place = FIGURES[name]
            shutil.copyfile(FOLDER / name / made_figure, place)
        print(f"{name}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
