"""Measures how long `raddle html` takes for a large data file: 500 files and 10⁵ requirements.

python benchmarks/pages.py --files 500 --output /tmp/pages
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from raddle.criteria.memory_access import MemoryAccessPatterns
from raddle.instrument.rewrite import site_base
from raddle.pruning_facts import PruningFacts
from raddle.report.html import write_pages
from raddle.site import INDEX_BITS, Site
from raddle.static_model import Accesses, StaticModel
from raddle.store.contents import Contents, Run
from raddle.tally import Covered, Key, Tally

METHODS = 9
PAIRS = 42  # pairs of neighboring methods covered in each file
EXECUTIONS = 1_000


def large(files: int, folder: Path) -> Contents:
    """Return the contents of a data file. Each source file in it has one class with nine methods and a variable `x`."""
    chance = random.Random(1)
    sites: dict[int, Site] = {}
    variables: dict[tuple[str, str], Accesses] = {}
    paths: dict[str, str] = {}
    pairs: dict[Key, Covered] = {}
    for number in range(files):
        label = f"package/module_{number:03}.py"
        own = _sites(label, site_base(label, _source()))
        sites |= own
        reads, writes = sorted(own)[0:6:2], sorted(own)[1:7:2]
        variables[f"{label}:C", "x"] = Accesses(frozenset(reads), frozenset(writes))
        for _ in range(PAIRS):
            pairs[chance.choice(sorted(own)), chance.choice(sorted(own)), chance.random() < 0.5] = _seen(chance)
        path = folder / f"module_{number:03}.py"
        path.write_text(_source(), "utf-8")
        paths[label] = str(path)
    model = StaticModel(variables)
    patterns = MemoryAccessPatterns().requirements(model, PruningFacts())
    covered = {"map": {key: _seen(chance) for key in patterns if chance.random() < 0.4}, "concur-pairs": pairs}
    files_of_run = frozenset((site.file, number >> INDEX_BITS) for number, site in sites.items())
    run = Run("one", "run app.py", "native", EXECUTIONS, 0, "", frozenset(covered), frozenset(), files_of_run)
    tally = Tally.of(covered, executions=EXECUTIONS)
    return Contents(runs=(run,), tally=tally, sites=sites, paths=paths, model=model)


def _sites(label: str, base: int) -> dict[int, Site]:
    sites = {}
    for method in range(METHODS):
        line = 4 * method
        sites[base + 2 * method] = Site(label, line + 3, 16, "read", "x", f"C.m{method}", switchable=True)
        sites[base + 2 * method + 1] = Site(label, line + 4, 8, "write", "x", f"C.m{method}", switchable=False)
    return sites


def _source() -> str:
    methods = [
        f"    def m{method}(self):\n        value = self.x\n        self.x = value + {method}\n"
        for method in range(METHODS)
    ]
    return "\n".join(["class C:", *methods, *["# more of it"] * 200])


def _seen(chance: random.Random) -> Covered:
    return Covered(chance.randint(1, 50), chance.randint(1, EXECUTIONS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--output", type=Path, help="directory in which the pages are kept")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        contents = large(options.files, Path(folder))
        possible = MemoryAccessPatterns().static_total(contents.model).number or 0
        requirements = possible + len(contents.tally.covered["concur-pairs"])
        wall, processor = time.perf_counter(), time.process_time()
        written = write_pages(contents, options.output or Path(folder) / "pages")
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        largest = max(path.stat().st_size for path in written.folder.rglob("*.*"))
    print(
        f"{options.files} files, {requirements:,} requirements: {written.pages} pages in {wall:.1f} s "
        f"({processor:.1f} s of CPU time), the largest file has {largest:,} bytes"
    )


if __name__ == "__main__":
    main()
