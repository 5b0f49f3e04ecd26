"""Measures one tool on one scenario, in a process of its own: `cell.py TOOL SCENARIO SECONDS`, JSON out.

The tools patch `threading` and claim the interpreter's trace hooks, so no two share a process.
"""

import json
import sys
from time import perf_counter

from contestants import CONTESTANTS, Explore, RefusedError
from scenarios import SCENARIOS, Scenario, outcomes

FIRST_BATCH = 5
GROWTH = 20  # at most, from one batch to the next: a small batch tells little about a large one


def executions_per_second(explore: Explore, scenario: Scenario, seconds: float) -> float:
    """Like `timeit`'s autorange: batches grow until one lasts long enough, and only that one counts."""
    batch = FIRST_BATCH
    run(explore, scenario, batch)  # never counted: it pays for the tool's import and its caches
    while True:
        started = perf_counter()
        executed = run(explore, scenario, batch)
        lasted = perf_counter() - started
        if lasted >= 0.7 * seconds:
            return executed / lasted
        batch = min(batch * GROWTH, 1 + int(batch * seconds / lasted))


def run(explore: Explore, scenario: Scenario, executions: int) -> int:
    """Run so many executions, restarting a tool that stops early, and check that they took place."""
    outcomes.clear()
    executed = restarts = 0
    while executed < executions:
        more = explore(scenario, executions - executed, restarts + 1)
        if more < 1:
            raise RefusedError("explored nothing")
        executed += more
        restarts += 1
    if len(outcomes) < executed:
        raise RefusedError(f"claims {executed} executions, but {len(outcomes)} took place")
    impossible = sorted(set(outcomes) - set(scenario.possible))
    if impossible:
        raise RefusedError(f"ended with {impossible}, which no execution can")
    return executed


def main(tool: str, scenario: str, seconds: str) -> None:
    try:
        rate = executions_per_second(CONTESTANTS[tool].explore, SCENARIOS[scenario], float(seconds))
    except Exception as error:  # whatever a tool raises is its result here
        print(json.dumps({"failed": f"{type(error).__name__}: {error}".strip().partition("\n")[0]}))
    else:
        print(json.dumps({"executions_per_second": rate}))


if __name__ == "__main__":
    main(*sys.argv[1:])
