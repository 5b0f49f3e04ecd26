"""Measures the speed of raddle's searches, and compares them with frontrun's DPOR and, on traps, with all peers.

    speed     executions per second of each scheduler, relative to the plain random walk
    spaces    executions until a complete search ends, and its speed; if frontrun's search ends without an outcome that
              raddle has seen, a schedule that leads to this outcome
    traps     executions until the failure, for many seeds

Everything is measured in the virtual environment that `throughput` uses. Each number is measured in a separate
process, and each reported speed is the best of all rounds. On each scenario, the tools run one right after another.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import environment
import explore_tables
from comparison import Cell, Comparison
from contestants import CONTESTANTS
from scenarios import SCENARIOS
from searches import SPACES_OF, TRAPPED
from throughput import TRIES, log, machine, one_cpu_at_a_time
from traps import SPACES, TRAPS

CELL = Path(__file__).with_name("explore_cell.py")
SECTIONS = ("speed", "spaces", "traps")
SEARCHES = ("random", "pos", "surw", "pct", "directed")
# The searches whose names end in `+default` also measure coverage.
SEARCHES += tuple(f"{search}+default" for search in ("random", "pos", "directed", "portfolio"))
COMPLETE = ("raddle", "frontrun-dpor")
TOO_LARGE = ("rmw10", "lock10")  # scenarios with too many orders to run all of them; only the speed is measured
MAX_EXECUTIONS = 2_000  # a complete search that is not exhausted after this many executions is abandoned
PATIENCE_SECONDS = 240.0  # time limit for one measurement


def main() -> int:
    options = parse(sys.argv[1:])
    log(f"preparing {environment.FOLDER.relative_to(environment.ROOT)}")
    requirements = {contestant.package: contestant.requirement for contestant in CONTESTANTS.values()}
    missing = environment.prepare({package: needs for package, needs in requirements.items() if needs})
    if "raddle" in missing:
        log(f"raddle could not be installed: {missing['raddle']}")
        return 1
    found: dict[str, Any] = {}
    texts = [f"Python {environment.python_version()}, {os.cpu_count()} CPUs, best of {options.rounds} rounds"]
    texts += [f"{package} could not be installed: {reason}" for package, reason in missing.items()]
    if "speed" in options.only:
        speeds = Comparison(list(SCENARIOS), {search: search for search in SEARCHES})
        rates(speeds, options, question="speed")
        texts.append(explore_tables.speeds(speeds))
        found["speed"] = speeds.as_json()["executions_per_second"]
    if "spaces" in options.only:
        speeds = Comparison([*SPACES, *TOO_LARGE], {search: search for search in installed(COMPLETE, missing)})
        waits = rates(speeds, options, question="complete")
        spaces = measure_spaces(installed(SPACES_OF, missing))
        schedules = missed_outcomes(spaces)
        texts.append(explore_tables.spaces(spaces, schedules, speeds, waits))
        found["spaces"] = spaces
        found["spaces_speed"] = speeds.as_json()["executions_per_second"]
        found["seconds_until_done"] = {name: {tool: waits.get((name, tool)) for tool in COMPLETE} for name in SPACES}
        found["schedules"] = schedules
    if "traps" in options.only:
        traps = measure_traps(installed(TRAPPED, missing), executions=options.executions, seeds=options.seeds)
        texts.append(explore_tables.traps(traps, executions=options.executions, seeds=options.seeds))
        found["traps"] = traps
    print("\n\n".join(texts), file=sys.stderr if options.json else sys.stdout)
    if options.json:
        conditions = {"rounds": options.rounds, "seconds": options.seconds, "not_installed": missing}
        print(json.dumps(machine() | conditions | found, indent=2))
    return 0


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="JSON on stdout, the tables on stderr")
    parser.add_argument("--rounds", type=int, default=4, metavar="N", help="rounds for each speed; default %(default)s")
    parser.add_argument(
        "--seconds", type=float, default=0.4, metavar="S", help="seconds for each speed; default %(default)s"
    )
    parser.add_argument("--seeds", type=int, default=20, metavar="N", help="seeds for each trap; default %(default)s")
    parser.add_argument(
        "--executions",
        type=int,
        default=1_000,
        metavar="N",
        help="maximum number of executions in a trap; default %(default)s",
    )
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS, help="default: everything")
    parser.add_argument(
        "--quick", action="store_true", help="one short round and three seeds, to check that everything works"
    )
    options = parser.parse_args(arguments)
    if options.quick:
        options.rounds, options.seconds, options.seeds, options.executions = 1, 0.1, 3, 200
    return options


def installed(tools: Any, missing: dict[str, str]) -> list[str]:
    """Return the tools whose packages are installed."""
    return [tool for tool in tools if not any(tool.startswith(package) for package in missing)]


def rates(speeds: Comparison, options: argparse.Namespace, *, question: str) -> dict[Cell, float]:
    """Add the measured speeds to the comparison. For each search that finished, return its shortest time."""
    waits: dict[Cell, float] = {}
    for number, _ in enumerate(one_cpu_at_a_time(options.rounds), 1):
        log(f"{question}: round {number} of {options.rounds}")
        for scenario in speeds.scenarios:
            for search in speeds.package_of:
                if speeds.times_failed(scenario, search) >= TRIES:
                    continue
                answer = measure_cell(question, search, scenario, options.seconds)
                if "failed" in answer:
                    speeds.fail(scenario, search, reason=answer["failed"])
                    continue
                speeds.add(scenario, search, rate=answer["executions_per_second"])
                if answer.get("seconds_until_done"):
                    known = waits.get((scenario, search), answer["seconds_until_done"])
                    waits[scenario, search] = min(known, answer["seconds_until_done"])
    return waits


def measure_spaces(tools: list[str]) -> dict[str, dict[str, Any]]:
    """Measure complete searches; return the results by scenario and tool."""
    log("spaces")
    return {
        scenario: {tool: measure_cell("space", tool, scenario, MAX_EXECUTIONS) for tool in tools} for scenario in SPACES
    }


def missed_outcomes(spaces: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a schedule for every outcome that a peer missed although its search finished."""
    found = []
    for scenario, by_tool in spaces.items():
        ours = set(by_tool["raddle"].get("outcomes", ()))
        for tool, seen in by_tool.items():
            if seen.get("done"):
                for outcome in sorted(ours - set(seen["outcomes"])):
                    schedule = measure_cell("schedule", scenario, outcome).get("schedule")
                    found.append({"scenario": scenario, "tool": tool, "outcome": outcome, "schedule": schedule})
    return found


def measure_traps(tools: list[str], *, executions: int, seeds: int) -> dict[str, dict[str, Any]]:
    """Measure each tool's search for each trap's failure; return the results by trap and tool."""
    found: dict[str, dict[str, Any]] = {}
    for trap in TRAPS:
        log(f"trap {trap}")
        found[trap] = {tool: measure_cell("trap", tool, trap, executions, seeds) for tool in tools}
    return found


def measure_cell(question: str, *arguments: object) -> dict[str, Any]:
    command = [str(environment.PYTHON), str(CELL), question, *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        return {"failed": f"no answer within {PATIENCE_SECONDS:g} s"}
    if done.returncode:
        return {"failed": f"ended with code {done.returncode}: {done.stderr.strip().rpartition(chr(10))[2]}"}
    answer: dict[str, Any] = json.loads(done.stdout.strip().rpartition("\n")[2])
    return answer


if __name__ == "__main__":
    sys.exit(main())
