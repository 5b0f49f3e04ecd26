"""Runs batches of one cell for `two_trees`, in the interpreter of one checkout: `two_trees_cell.py CELL`.

Each line on stdin is the size of a batch. The answer is a line of JSON: the CPU time of the batch, and its number of
executions or steps.
"""

import gc
import json
import sys
from collections.abc import Callable
from time import process_time

from cell import run
from contestants import Explore, raddle_random
from criteria import TOGETHER, once
from explore import SEARCHES, TOO_LARGE
from explore_cell import EVERY, MANY
from scenarios import SCENARIOS
from searches import raddle_space, raddle_with
from traces import Trace
from traps import SPACES

from raddle.criteria import THREADS as NAMES

STEPS, THREADS = 10_000, 8  # size of the trace on which criteria are measured

Batch = Callable[[int], int]  # takes a size and returns the number of executions or steps


def exploring(explore: Explore, scenario: str) -> Batch:
    return lambda size: run(explore, SCENARIOS[scenario], size)


def complete(space: str) -> Batch:
    return lambda size: sum(raddle_space(EVERY[space], MANY).executions for _ in range(size))


def criterion(name: str) -> Batch:
    trace = Trace(threads=THREADS, length=STEPS)
    steps, together = trace.steps(), TOGETHER.get(name, [name])

    def batch(size: int) -> int:
        for _ in range(size):
            once(together, steps, trace)
        return size * len(steps)

    return batch


CELLS: dict[str, Callable[[], Batch]] = {
    **{f"throughput {name}": lambda name=name: exploring(raddle_random, name) for name in SCENARIOS},
    **{
        f"explore {search} {name}": lambda search=search, name=name: exploring(raddle_with(search), name)
        for search in SEARCHES
        for name in SCENARIOS
    },
    **{f"explore complete {name}": lambda name=name: complete(name) for name in (*SPACES, *TOO_LARGE)},
    **{f"criteria {name}": lambda name=name: criterion(name) for name in (*NAMES, *TOGETHER)},
}


def main(cell: str) -> None:
    batch = CELLS[cell]()
    batch(1)  # not counted, because it includes imports and fills caches
    for line in sys.stdin:
        gc.collect()
        started = process_time()
        units = batch(int(line))
        print(json.dumps({"seconds": process_time() - started, "units": units}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
