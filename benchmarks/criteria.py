"""Measures the cost of criteria: microseconds per step on long executions, and the cost of the default set.

A criterion is linear if a step costs about the same in a long execution as in a short one. `all`, `tpair` and `svar`
store entire orders of accesses, so their memory grows with the execution; the report shows by how much.
"""

import argparse
import gc
import json
import sys
import tracemalloc
from collections import deque
from collections.abc import Sequence
from time import process_time

import scenarios
from traces import Trace

import raddle
from raddle.criteria import DEFAULT, make_criteria
from raddle.criteria import THREADS as NAMES

LENGTHS = (10_000, 100_000, 1_000_000)
THREADS = (2, 8, 32)
BATCH = 10_000  # steps passed to a criterion at a time, as in native runs
TOGETHER = {"default": list(DEFAULT), "every one": list(NAMES)}


def main() -> int:
    options = parse(sys.argv[1:])
    watched = {name: watching_costs(name, options.executions) for name in scenarios.SCENARIOS}
    names = {name: [name] for name in options.criteria or NAMES} | ({} if options.criteria else TOGETHER)
    costs = {name: {} for name in names}
    for threads in options.threads:
        for length in options.lengths:
            trace = Trace(threads=threads, length=length)
            steps = trace.steps()
            for name, together in names.items():
                log(f"{name}, {length:,} steps, {threads} threads")
                costs[name][threads, length] = per_step(together, steps, trace, rounds=options.rounds)
    memory = {name: bytes_kept(together) for name, together in names.items()}
    print(text(costs, memory, watched, options), file=sys.stderr if options.json else sys.stdout)
    if options.json:
        print(json.dumps(as_json(costs, memory, watched), indent=2))
    return 0


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="JSON on stdout, the tables on stderr")
    parser.add_argument("--criteria", nargs="+", metavar="NAME", help="only these")
    parser.add_argument("--lengths", nargs="+", type=int, default=LENGTHS, metavar="N")
    parser.add_argument("--threads", nargs="+", type=int, default=THREADS, metavar="N")
    parser.add_argument(
        "--rounds", type=int, default=2, metavar="N", help="rounds, of which the best counts; default %(default)s"
    )
    parser.add_argument(
        "--executions",
        type=int,
        default=2_000,
        metavar="N",
        help="executions measured with the default set; default %(default)s",
    )
    return parser.parse_args(arguments)


def per_step(names: Sequence[str], steps: Sequence[tuple], trace: Trace, *, rounds: int) -> float:
    """Return microseconds per step in the best of several rounds.

    Short executions get more rounds, because timing noise affects them more.
    """
    rounds = max(rounds, min(10, LENGTHS[-1] // len(steps)))
    return min(once(names, steps, trace) for _ in range(rounds)) / len(steps) * 1e6


def once(names: Sequence[str], steps: Sequence[tuple], trace: Trace) -> float:
    criteria = make_criteria(names)
    gc.collect()
    started = process_time()
    for criterion in criteria:
        criterion.begin(trace.entities)
    for first in range(0, len(steps), BATCH):
        batch = steps[first : first + BATCH]
        for criterion in criteria:
            criterion.feed(batch)
    for criterion in criteria:
        deque(criterion.collect(final=True), maxlen=0)  # creates the requirements without storing them in a tally
    return process_time() - started


def bytes_kept(names: Sequence[str]) -> dict[int, int]:
    """Map execution lengths to the memory, in bytes, that the criteria hold after an execution with 8 threads."""
    kept = {}
    for length in (20_000, 200_000):
        trace = Trace(threads=8, length=length)
        steps = trace.steps()
        criteria = make_criteria(names)
        gc.collect()
        tracemalloc.start()
        for criterion in criteria:
            criterion.begin(trace.entities)
        for first in range(0, len(steps), BATCH):
            for criterion in criteria:
                criterion.feed(steps[first : first + BATCH])
        kept[length] = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
    return kept


def watching_costs(name: str, executions: int) -> float:
    """Return the cost of measuring the default set, as a multiple of the cost of exploring without it."""
    scenario = scenarios.SCENARIOS[name].model
    log(f"{name}, with the default set")

    def seconds(**options: object) -> float:
        started = process_time()
        raddle.explore(scenario, scheduler="random", executions=executions, until="budget", **options)
        return process_time() - started

    alone = watched = float("inf")
    for _ in range(5):  # alternate between the two measurements, so that other load on the machine affects both alike
        alone, watched = min(alone, seconds()), min(watched, seconds(criteria=",".join(DEFAULT)))
    return (watched - alone) / alone


def linear(costs: dict[tuple[int, int], float]) -> float:
    """Return the cost of a step in the longest execution divided by the cost of a step in the shortest.

    The ratio is computed for each thread count, and the largest one is returned.
    """
    threads, lengths = {t for t, _ in costs}, sorted({n for _, n in costs})
    return max(costs[t, lengths[-1]] / costs[t, lengths[0]] for t in threads)


def text(costs, memory, watched, options) -> str:
    columns = [(t, n) for t in options.threads for n in options.lengths]
    lines = ["microseconds per step, by threads x steps", ""]
    header = ["", *(f"{t}x{n:,}" for t, n in columns), "longest/shortest", "memory x10 steps"]
    rows = [header]
    for name, measured in costs.items():
        grown = memory[name][200_000] / memory[name][20_000]
        rows.append([name, *(f"{measured[c]:.2f}" for c in columns), f"{linear(measured):.2f}", f"x{grown:.1f}"])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines += ["  ".join([r[0].ljust(widths[0]), *map(str.rjust, r[1:], widths[1:])]) for r in rows]
    lines += ["", f"the default set ({', '.join(DEFAULT)}), as a multiple of the execution's time", ""]
    lines += [f"{name:10} {cost:5.2f}" for name, cost in watched.items()]
    return "\n".join(lines)


def as_json(costs, memory, watched) -> dict:
    return {
        "microseconds_per_step": {
            name: {f"{t} threads, {n} steps": round(cost, 3) for (t, n), cost in measured.items()}
            for name, measured in costs.items()
        },
        "longest_to_shortest": {name: round(linear(measured), 3) for name, measured in costs.items()},
        "bytes_kept": memory,
        "default_set_to_execution": {name: round(cost, 3) for name, cost in watched.items()},
    }


def log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
