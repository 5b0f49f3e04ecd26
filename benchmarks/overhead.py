"""Measures the overhead of observing threaded programs, compared with plain runs and with coverage.py.

Each program runs in three modes: plain, under coverage.py and under `raddle run`. Every run uses a new process. The
modes alternate within each program. Everything is repeated for several rounds, and only the best round counts. Each
program measures how long its own work takes, so Python's startup is not included. This time includes raddle's analysis,
because the program's threads perform it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import environment
from threaded import PROGRAMS

PROGRAM = Path(__file__).with_name("threaded.py")
REQUIREMENTS = {"raddle": ".", "coverage": "coverage>=7.6"}
RUN = ("-m", "raddle", "run", "--json-file", os.devnull)
WAYS: dict[str, Sequence[str]] = {
    "plain": (),
    "coverage": ("-m", "coverage", "run", "--branch", "--concurrency=thread"),
    "raddle, no criteria": (*RUN, "--criteria", "none"),
    "raddle": RUN,
}
PATIENCE_SECONDS = 300

Times = dict[str, dict[str, list[float]]]  # maps program and mode to the seconds of each round


def main() -> int:
    options = parse(sys.argv[1:])
    missing = environment.prepare(REQUIREMENTS)
    if missing:
        print("\n".join(f"{name} could not be installed: {reason}" for name, reason in missing.items()))
        return 1
    times: Times = {name: {way: [] for way in options.ways} for name in options.programs}
    for number in range(1, options.rounds + 1):
        print(f"round {number} of {options.rounds}", file=sys.stderr, flush=True)
        for name in options.programs:
            for way in options.ways:
                times[name][way].append(measure(name, WAYS[way]))
    header = f"Python {environment.python_version()}, {os.cpu_count()} CPUs, best of {options.rounds} rounds"
    print(f"{header}\n\n{table(times)}", file=sys.stderr if options.json else sys.stdout)
    if options.json:
        versions = {name: version for name, version in environment.versions().items() if name in REQUIREMENTS}
        print(json.dumps({"python": environment.python_version(), "versions": versions, **as_json(times)}, indent=2))
    return 0


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="JSON on stdout, the table on stderr")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="default %(default)s")
    parser.add_argument("--programs", nargs="+", choices=list(PROGRAMS), default=list(PROGRAMS))
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    return parser.parse_args(arguments)


def measure(name: str, way: Sequence[str]) -> float:
    """Return how many seconds the program's work took. The program checks its own result."""
    with tempfile.TemporaryDirectory() as folder:  # for data files
        command = [str(environment.PYTHON), *way, str(PROGRAM), name]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS
        )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with code {done.returncode}:\n{done.stderr}")
    return float(json.loads(done.stdout))


def best(times: Times) -> dict[str, dict[str, float]]:
    return {name: {way: min(seconds) for way, seconds in ways.items()} for name, ways in times.items()}


def ratios(times: Times) -> dict[str, dict[str, float]]:
    """Return the time of each mode as a multiple of the time of a plain run."""
    found = best(times)
    return {
        name: {way: seconds / ways["plain"] for way, seconds in ways.items() if way != "plain"}
        for name, ways in found.items()
        if "plain" in ways
    }


def as_json(times: Times) -> dict[str, object]:
    return {"seconds": best(times), "ratio": ratios(times), "samples": times}


def table(times: Times) -> str:
    """Return a table with one row per program and mode."""
    lines = []
    factors = ratios(times)
    for name, ways in best(times).items():
        for way, seconds in ways.items():
            factor = f"x {factors[name][way]:6.1f}" if way in factors.get(name, {}) else ""
            lines.append(f"{name:10} {way:20} {seconds:8.3f} s  {factor}".rstrip())
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
