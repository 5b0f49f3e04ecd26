"""Compares executions per second of raddle, its peers and plain threads.

The tools are installed into a separate environment. Each tool is then measured on each scenario in a separate process.
The tools alternate within each scenario, and everything is repeated several times. The best round counts, since other
load on the machine can only slow a tool down. interleave-test needs Python 3.12 or later; with an older version, the
script reports this and measures only the other tools.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import environment
import table
from comparison import SUBJECT, Comparison
from contestants import CONTESTANTS
from scenarios import SCENARIOS

CELL = Path(__file__).with_name("cell.py")
PATIENCE_SECONDS = 15.0  # a tool that exceeds the requested time by this much is stopped
TRIES = 2  # a tool that has failed this many times on a scenario is not run on that scenario again


def main() -> int:
    options = parse(sys.argv[1:])
    tools = chosen(options.tools)
    comparison = Comparison(list(SCENARIOS), {tool: CONTESTANTS[tool].package for tool in tools})
    log(f"preparing {environment.FOLDER.relative_to(environment.ROOT)}")
    wanted = {CONTESTANTS[tool].package: CONTESTANTS[tool].requirement for tool in tools}
    missing = environment.prepare({package: needs for package, needs in wanted.items() if needs})
    installed = [tool for tool in tools if CONTESTANTS[tool].package not in missing]
    for number, _ in enumerate(one_cpu_at_a_time(options.rounds), 1):
        log(f"round {number} of {options.rounds}")
        run_round(comparison, installed, seconds=options.seconds)

    header = f"Python {environment.python_version()}, {os.cpu_count()} CPUs, best of {options.rounds} rounds"
    notes = [f"{package} could not be installed: {reason}" for package, reason in missing.items()]
    print("\n\n".join([header, *notes, table.text(comparison)]), file=sys.stderr if options.json else sys.stdout)
    if options.json:
        conditions = {"rounds": options.rounds, "seconds": options.seconds, "not_installed": missing}
        print(json.dumps(machine() | conditions | comparison.as_json(), indent=2))
    return 1 if SUBJECT in tools and SUBJECT not in installed else 0


def parse(arguments: list[str]) -> argparse.Namespace:
    names = {*CONTESTANTS, *(contestant.package for contestant in CONTESTANTS.values())}
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="JSON on stdout, the table on stderr")
    parser.add_argument("--rounds", type=int, default=4, metavar="N", help="default %(default)s")
    a_cell = "per tool, scenario and round; default %(default)s"
    parser.add_argument("--seconds", type=float, default=0.4, metavar="S", help=a_cell)
    parser.add_argument("--tools", nargs="+", choices=sorted(names), help="only these; all modes of a package")
    return parser.parse_args(arguments)


def chosen(names: list[str] | None) -> list[str]:
    return [tool for tool, contestant in CONTESTANTS.items() if not names or {tool, contestant.package} & {*names}]


def one_cpu_at_a_time(rounds: int) -> Iterable[None]:
    """Pin each round and its child processes to one CPU.

    Different rounds use different CPUs, because any one CPU may be busy.

    All the tools run one thread at a time. Without pinning, the threads of a tool that switches between OS threads run
    on different CPUs. The tool then loses up to half its speed, and its speed varies more.
    """
    cpus = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    for number in range(rounds):
        if cpus:
            os.sched_setaffinity(0, {cpus[number % len(cpus)]})
        yield


def run_round(comparison: Comparison, tools: list[str], *, seconds: float) -> None:
    for scenario in comparison.scenarios:
        for tool in tools:
            if comparison.times_failed(scenario, tool) < TRIES:
                measure(comparison, scenario, tool, seconds=seconds)


def measure(comparison: Comparison, scenario: str, tool: str, *, seconds: float) -> None:
    command = [str(environment.PYTHON), str(CELL), tool, scenario, str(seconds)]
    patience = PATIENCE_SECONDS + 3 * seconds
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=patience)
    except subprocess.TimeoutExpired:
        comparison.fail(scenario, tool, reason=f"no answer within {patience:g} s")
        return
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2]
        comparison.fail(scenario, tool, reason=f"ended with code {done.returncode}: {last}")
        return
    answer = json.loads(done.stdout)
    if "failed" in answer:
        comparison.fail(scenario, tool, reason=answer["failed"])
    else:
        comparison.add(scenario, tool, rate=answer["executions_per_second"])


def machine() -> dict[str, object]:
    packages = {contestant.package for contestant in CONTESTANTS.values()}
    return {
        "python": environment.python_version(),
        "cpus": os.cpu_count(),
        "platform": platform.platform(),
        "versions": {name: version for name, version in environment.versions().items() if name in packages},
    }


def log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
