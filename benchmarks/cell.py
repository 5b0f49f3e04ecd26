"""Measures one tool on one scenario: `cell.py TOOL SCENARIO SECONDS` prints the result as JSON.

The tools patch `threading` and use the interpreter's trace hooks, so each tool runs in its own process.
"""

import json
import sys
from time import perf_counter

from contestants import CONTESTANTS, Explore, RefusedError
from scenarios import SCENARIOS, Scenario, outcomes

FIRST_BATCH = 5
GROWTH = 20  # maximum growth factor between batches, because small batches predict the speed of large ones poorly


def executions_per_second(explore: Explore, scenario: Scenario, seconds: float) -> float:
    """Run larger and larger batches, as `timeit` does; return the rate of the first batch that takes long enough."""
    batch = FIRST_BATCH
    run(explore, scenario, batch)  # not counted, because it includes imports and fills caches
    while True:
        started = perf_counter()
        executed = run(explore, scenario, batch)
        lasted = perf_counter() - started
        if lasted >= 0.7 * seconds:
            return executed / lasted
        batch = min(batch * GROWTH, 1 + int(batch * seconds / lasted))


def run(explore: Explore, scenario: Scenario, executions: int) -> int:
    """Run `executions` executions, restarting a tool that stops early, and check that all of them took place."""
    outcomes.clear()
    executed = restarts = 0
    while executed < executions:
        more = explore(scenario, executions - executed, restarts + 1)
        if more < 1:
            raise RefusedError("explored nothing")
        executed += more
        restarts += 1
    if len(outcomes) < executed:
        raise RefusedError(f"reported {executed} executions, but {len(outcomes)} took place")
    impossible = sorted(set(outcomes) - set(scenario.possible))
    if impossible:
        raise RefusedError(f"ended with {impossible}, which is impossible")
    return executed


def main(tool: str, scenario: str, seconds: str) -> None:
    try:
        rate = executions_per_second(CONTESTANTS[tool].explore, SCENARIOS[scenario], float(seconds))
    except Exception as error:  # an exception raised by the tool is reported as its result
        print(json.dumps({"failed": f"{type(error).__name__}: {error}".strip().partition("\n")[0]}))
    else:
        print(json.dumps({"executions_per_second": rate}))


if __name__ == "__main__":
    main(*sys.argv[1:])
