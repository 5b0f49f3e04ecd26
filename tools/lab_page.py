"""Updates the tables on the page about the papers' experiments by running the commands that the page shows.

    raddle lab krena --output control         an indented command: its result is called "control"
    <!-- table: growth of control -->         everything up to the end mark is generated from that result
    <!-- end of table -->

`python tools/lab_page.py [RESULT...]` runs the commands of the named results, or of all results, and writes their
tables into the page. Results are stored in build/lab. With --keep, results that are already stored are not recomputed.

Some commands take hours. Their results are kept in docs/, and the page is made from these files. To replace them, run
such a command with `--output build/lab/RESULT`, and then this tool.
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
from raddle_lab.autocontest.figures import draw_figures as draw_autocontest_figures
from raddle_lab.autocontest.study import Study as AutoConTestStudy
from raddle_lab.maptest.figures import draw_figures
from raddle_lab.maptest.study import Study

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/explanation-lab.md"
FOLDER = ROOT / "build/lab"
FIGURES = {"control": ("figure1-crawler-controlled.svg", ROOT / "docs/explanation-lab-figure1.svg")}
PYTHON = (3, 11)  # the version that produced the page's numbers; schedules depend on the interpreter's bytecode
# Experiments that take hours, and the files in which their results are kept.
KEPT = {
    "maptest": ROOT / "docs/lab-maptest.json",
    "autocontest": ROOT / "docs/lab-autocontest.json",
    "false-alarms": ROOT / "docs/lab-false-alarms.json",
}
QUICK = "quick-"  # prefix of results whose commands take only seconds

_COMMAND = re.compile(r"^    (raddle lab [\w-]+ .*?)\s*(?:#.*)?$", re.MULTILINE)
_BLOCK = re.compile(r"^<!-- table: ([\w-]+) of ([\w-]+) -->\n(.*?)^<!-- end of table -->$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Result:
    """A result that has tables on the page."""

    name: str
    experiment: str
    arguments: tuple[str, ...]  # arguments of `raddle lab`, without --output

    @property
    def reproduces(self) -> bool:
        """Whether the command always gives the same numbers. Native threads and time limits prevent that."""
        return not {"noise", "both"} & set(self.arguments) and not self.is_kept

    @property
    def is_kept(self) -> bool:
        """Whether the command takes hours, so that its result is kept in a file."""
        return self.experiment in KEPT

    @property
    def is_quick(self) -> bool:
        return self.name.startswith(QUICK)

    def run(self, folder: Path) -> Any:
        """Run the command and return its result."""
        output = folder / self.name
        command = [sys.executable, "-m", "raddle", "lab", *self.arguments, "--output", str(output)]
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        return self.read(folder)

    def read(self, folder: Path) -> Any:
        """Return the result that an earlier run stored."""
        return json.loads((folder / self.name / f"{self.experiment}.json").read_text(encoding="utf-8"))

    def kept(self, folder: Path) -> Any:
        """Return the result that is kept, after replacing it with that of a new run if there is one."""
        if self.is_in(folder):
            shutil.copyfile(folder / self.name / f"{self.experiment}.json", KEPT[self.experiment])
        return json.loads(KEPT[self.experiment].read_text(encoding="utf-8"))

    def is_in(self, folder: Path) -> bool:
        return (folder / self.name / f"{self.experiment}.json").exists()


@dataclass(frozen=True, slots=True)
class Block:
    """A place on the page for a table."""

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
    """Return the page without its generated tables."""
    return _BLOCK.sub("", page)


def made(block: Block, result: Result, data: Any) -> str:
    """Return the text of a table."""
    return f"\n{lab_tables.TABLES[result.experiment][block.table](data)}\n\n"


def filled(page: str, data: Mapping[str, Any]) -> str:
    """Return the page with the tables of these results regenerated."""
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
    parser.add_argument("results", nargs="*", metavar="RESULT", help="the results to update [default: all]")
    parser.add_argument("--keep", action="store_true", help="do not recompute results that are in build/lab")
    options = parser.parse_args()
    known = results(PAGE.read_text(encoding="utf-8"))
    for name in options.results:
        if name not in known:
            parser.error(f"the page has no result {name!r}; it has {', '.join(known)}")
    if sys.version_info[:2] != PYTHON and not all(known[name].is_kept for name in options.results or known):
        parser.error(f"the page's numbers come from Python {'.'.join(map(str, PYTHON))}; this is {sys.version}")
    for name in options.results or known:
        result, start = known[name], time.monotonic()
        if result.is_kept:
            data = result.kept(FOLDER)
        else:
            data = result.read(FOLDER) if options.keep and result.is_in(FOLDER) else result.run(FOLDER)
        # Write the page after each result, because the next one may take a long time and the page may be edited in the
        # meantime.
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), {name: data}), encoding="utf-8")
        if name == "maptest":
            draw_figures(Study.of_json(data), ROOT / "docs", prefix="explanation-lab-maptest")
        if name == "autocontest":
            draw_autocontest_figures(
                AutoConTestStudy.of_json(data), ROOT / "docs", prefix="explanation-lab-autocontest"
            )
        if name in FIGURES:
            made_figure, place = FIGURES[name]
            shutil.copyfile(FOLDER / name / made_figure, place)
        print(f"{name}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
