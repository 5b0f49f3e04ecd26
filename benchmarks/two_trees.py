"""Compares the speed of two versions of raddle, called trees: `two_trees.py OLD NEW`.

A tree is a checkout with a `.venv`, or an interpreter in which raddle is installed. Both trees are measured with the
benchmarks `throughput`, `explore` and `criteria` of the checkout that contains this script. Each benchmark consists of
cells, such as one search on one scenario. Each cell runs in two processes, one for each tree. The processes take turns
running batches of the same size on the same CPU, and CPU time is measured, so that other load on the machine slows both
down alike. Each ratio is the speed of NEW divided by the speed of OLD. Each cell has two ratios: that of the fastest
batches, and the median ratio over consecutive pairs of batches.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

import table
from two_trees_cell import CELLS

CELL = Path(__file__).with_name("two_trees_cell.py")
GROWTH = 20  # maximum growth factor between batches while the batch size is determined

Times = list[float]  # CPU seconds per execution or step, one for each batch


class Worker:
    """A process that runs one cell with the interpreter of one tree."""

    def __init__(self, python: Path, cell: str) -> None:
        command = [str(python), str(CELL), cell]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def pin(self, cpu: int) -> None:
        os.sched_setaffinity(self._process.pid, {cpu})

    def batch(self, size: int) -> tuple[float, int]:
        """Run a batch; return its CPU time and its number of executions or steps."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            print(size, file=self._process.stdin, flush=True)
        except BrokenPipeError:
            raise EOFError from None
        answer = self._process.stdout.readline()
        if not answer:
            raise EOFError
        found = json.loads(answer)
        return found["seconds"], found["units"]

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def main() -> int:
    options = parse(sys.argv[1:])
    chosen = [cell for cell in CELLS if not options.only or any(cell.startswith(text) for text in options.only)]
    found: dict[str, tuple[Times, Times] | None] = {}
    for number, cell in enumerate(chosen, 1):
        print(f"{number} of {len(chosen)}: {cell}", file=sys.stderr, flush=True)
        found[cell] = compare(interpreter(options.old), interpreter(options.new), cell, options)
    print(text(found), file=sys.stderr if options.json else sys.stdout)
    if options.json:
        print(json.dumps({cell: times and {"old": times[0], "new": times[1]} for cell, times in found.items()}))
    return 0


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("old", type=Path, metavar="OLD")
    parser.add_argument("new", type=Path, metavar="NEW")
    parser.add_argument("--json", action="store_true", help="JSON on stdout, the table on stderr")
    parser.add_argument("--rounds", type=int, default=10, metavar="N", help="pairs of batches; default %(default)s")
    parser.add_argument(
        "--seconds", type=float, default=0.2, metavar="S", help="seconds for each batch; default %(default)s"
    )
    parser.add_argument(
        "--only", nargs="+", metavar="TEXT", help='only cells that begin with a text, such as "explore random"'
    )
    return parser.parse_args(arguments)


def interpreter(tree: Path) -> Path:
    return tree if tree.is_file() else tree / ".venv" / "bin" / "python"


def compare(old: Path, new: Path, cell: str, options: argparse.Namespace) -> tuple[Times, Times] | None:
    """Return the times of both trees; None if one of them cannot run the cell."""
    workers = Worker(old, cell), Worker(new, cell)
    times: tuple[Times, Times] = [], []
    try:
        size = size_of_batch(workers, options.seconds)
        for number in range(options.rounds):
            for worker in workers:
                worker.pin(sorted(os.sched_getaffinity(0))[number // 2 % len(os.sched_getaffinity(0))])
            for which in (0, 1) if number % 2 else (1, 0):
                seconds, units = workers[which].batch(size)
                times[which].append(seconds / units)
    except EOFError:
        return None
    finally:
        for worker in workers:
            worker.close()
    return times


def size_of_batch(workers: tuple[Worker, Worker], seconds: float) -> int:
    """Return a batch size for which the faster tree needs about the given number of seconds.

    Both trees run the same batches, so that both are warmed up.
    """
    size = 1
    while True:
        lasted, _ = min(worker.batch(size) for worker in workers)
        if lasted >= 0.7 * seconds:
            return size
        size = min(size * GROWTH, 1 + int(size * seconds / max(lasted, 1e-6)))


def ratios(times: tuple[Times, Times]) -> tuple[float, float]:
    """Return the ratio of the fastest batches, and the median ratio over the rounds.

    >>> ratios(([2.0, 4.0, 2.0], [1.0, 4.0, 2.0]))
    (2.0, 1.0)
    """
    old, new = times
    return min(old) / min(new), median(before / after for before, after in zip(old, new, strict=True))


def text(found: dict[str, tuple[Times, Times] | None]) -> str:
    """Return two tables: one with a row per benchmark cell, and one with each benchmark's minimum and median ratio."""
    rows = []
    for cell, times in found.items():
        if times is None:
            rows.append([cell, "-", "-", "-", "-"])
            continue
        best, middle = ratios(times)
        rows.append([cell, *(f"{min(tree) * 1e6:,.2f}" for tree in times), f"{best:.3f}", f"{middle:.3f}"])
    summary = []
    for benchmark in dict.fromkeys(cell.split()[0] for cell in found):
        known = [ratios(times) for cell, times in found.items() if times and cell.split()[0] == benchmark]
        if known:
            fastest, middle = zip(*known, strict=True)
            figures = [min(fastest), median(fastest), min(middle), median(middle)]
            summary.append([benchmark, str(len(known)), *(f"{figure:.3f}" for figure in figures)])
    each = table.aligned(["CPU microseconds each", "old", "new", "ratio of best", "median ratio"], rows)
    header = ["ratios", "cells", "least of best", "median of best", "least of medians", "median of medians"]
    return f"{each}\n\n{table.aligned(header, summary)}"


if __name__ == "__main__":
    sys.exit(main())
