"""Checks that findings labeled "only on free-threaded builds" occur on such builds, and only there.

raddle first explores each program and labels the finding according to its model of a build with the GIL. Then native
threads run each program many times, on an interpreter with the GIL and on a free-threaded one. The free-threaded
interpreter needs no packages. It can be given on the command line:

    python benchmarks/free_threaded.py --free-threaded /opt/python3.13t/bin/python3.13t

The last program has a call between its read and its write, so it fails on any build.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import unlocked
from table import aligned

import raddle
from raddle import env
from raddle.finding import FREE_THREADED_ONLY

NATIVE = Path(unlocked.__file__)
NAMES = ("python3.15t", "python3.14t", "python3.13t")
LABELS = {FREE_THREADED_ONLY: "only on free-threaded builds"}


def label(program: unlocked.Program) -> str:
    """Return raddle's label for the finding in a program."""
    findings = raddle.explore(program.scenario, source=[unlocked.__name__]).findings
    return LABELS.get(findings[0].possible_on, "any build") if findings else "nothing found"


def counted(python: str, rounds: int) -> dict[str, Any]:
    """Run all programs natively on the given interpreter, and return the results."""
    done = subprocess.run(
        [python, str(NATIVE), str(rounds)],
        env={**os.environ, "PYTHON_GIL": "0"} if python != sys.executable else None,
        capture_output=True,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def table(labels: list[str], rounds: int, *runs: dict[str, Any]) -> str:
    header = ["program", "label", *(f"{run['version']}{' with the GIL' if run['gil'] else 't'}" for run in runs)]
    rows = [
        [program.name, label, *(f"{run['wrong'][number]:,} of {rounds:,}" for run in runs)]
        for number, (program, label) in enumerate(zip(unlocked.PROGRAMS, labels, strict=True))
    ]
    return aligned(header, rows)


def refusal(run: dict[str, Any] | None) -> str:
    """Return the reason why the programs could not be run without the GIL; "" if they were run."""
    if run is None:
        return (
            "no free-threaded interpreter was found, so only the GIL column is filled: "
            "pass one with --free-threaded PYTHON (a CPython configured with --disable-gil)"
        )
    if run["gil"]:
        return f"Python {run['version']} runs with the GIL: pass a CPython configured with --disable-gil"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100_000, help="runs of each program [default: 100000]")
    parser.add_argument("--free-threaded", default=next(filter(None, map(shutil.which, NAMES)), None), metavar="PYTHON")
    options = parser.parse_args()
    if not env.gil_enabled():
        print("labels need the model of an ordinary build: run this with a Python that has the GIL", file=sys.stderr)
        return 1
    labels = [label(program) for program in unlocked.PROGRAMS]
    runs = [counted(sys.executable, options.rounds)]
    without = counted(options.free_threaded, options.rounds) if options.free_threaded else None
    if without is not None:
        runs.insert(0, without)
    print(table(labels, options.rounds, *runs))
    why = refusal(without)
    if why:
        print(why, file=sys.stderr)
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main())
