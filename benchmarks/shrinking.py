"""Compares the number of preemptions in shrunk schedules with the minimum that the bugs in SCTBench need.

The minimum comes from a search that tries every schedule without preemption, then with one, and so on.
"""

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from raddle_lab.sctbench import PROGRAMS
from raddle_lab.sctbench_table import SOURCE
from table import aligned

import raddle

MAX_PREEMPTIONS = 3  # largest preemption bound to try
# Maps each family of programs to its smallest member. The members differ only in the number of threads, which does not
# change how many preemptions the bug needs.
SMALLEST = {"reorder_": "reorder_3", "twostage_": "twostage", "wronglock": "wronglock_1", "wronglock_": "wronglock_1"}
REQUIRED_SHARE = 0.9  # required share of schedules with the minimum number of preemptions


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The result of searching one program with default settings."""

    program: str
    seed: int
    preemptions: int | None  # preemptions in the shrunk schedule; None: no finding
    fewest: int | None  # minimum number of preemptions; None: unknown
    schedule: str = ""

    @property
    def minimal(self) -> bool | None:
        """Whether the shrunk schedule has the minimum number of preemptions; None if unknown."""
        if self.preemptions == 0:
            return True
        if self.preemptions is None or self.fewest is None:
            return None
        return self.preemptions <= self.fewest


def fewest(program: str, *, executions: int) -> int | None:
    """Return the minimum number of preemptions that the bug needs; None if the search cannot determine it.

    The result is the preemption bound of the search, not the number of preemptions in the schedule it found. If that
    schedule fails only on a free-threaded build, raddle looks for a schedule that also fails with the GIL. That second
    schedule may have more preemptions.
    """
    for preemptions in range(MAX_PREEMPTIONS + 1):
        scheduler = f"exhaustive:preemptions={preemptions}"
        result = _explore(program, scheduler=scheduler, executions=executions, shrink=False)
        if result.findings:
            return preemptions
        if not result.stopped_because.startswith("exhausted"):
            break  # an untried schedule with this many preemptions may fail
    smaller = SMALLEST.get(program.rstrip("0123456789"))
    return fewest(smaller, executions=executions) if smaller is not None and smaller != program else None


def shrunk(program: str, *, seeds: int, executions: int) -> list[Shrunk]:
    known = fewest(program, executions=executions)
    found = []
    for seed in range(1, seeds + 1):
        result = _explore(program, seed=seed)
        if not result.findings:
            found.append(Shrunk(program, seed, None, known))
            continue
        finding = result.findings[0]
        found.append(Shrunk(program, seed, len(finding.preemptions), known, str(finding.schedule)))
    return found


def _explore(program: str, **options: Any) -> raddle.Result:
    return raddle.explore(PROGRAMS[program].scenario, until="first-finding", source=[SOURCE], **options)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="JSON on stdout, the table on stderr")
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="default %(default)s")
    parser.add_argument(
        "--executions",
        type=int,
        default=5_000,
        metavar="N",
        help="maximum number of executions to find the minimum; default %(default)s",
    )
    parser.add_argument("--programs", nargs="+", choices=sorted(PROGRAMS), metavar="NAME", help="only these")
    options = parser.parse_args()
    found: list[Shrunk] = []
    for program in options.programs or PROGRAMS:
        with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as alone:
            own = alone.submit(shrunk, program, seeds=options.seeds, executions=options.executions).result()
        print(f"{program}: {[one.preemptions for one in own]}, minimum {own[0].fewest}", file=sys.stderr, flush=True)
        found += own
    print(text(found), file=sys.stderr if options.json else sys.stdout)
    if options.json:
        print(
            json.dumps([{name: getattr(one, name) for name in (*one.__slots__, "minimal")} for one in found], indent=2)
        )
    return 0 if share(found) >= REQUIRED_SHARE else 1


def share(found: list[Shrunk]) -> float:
    """Return the share of schedules with the minimum number of preemptions.

    A schedule does not count as minimal if the minimum is unknown.
    """
    return sum(one.minimal is True for one in found) / len(found) if found else 0.0


def text(found: list[Shrunk]) -> str:
    rows = [
        [one.program, str(one.seed), _number(one.preemptions), _number(one.fewest), _word(one.minimal)]
        for one in found
        if one.minimal is not True
    ]
    parts = [f"{share(found):.1%} of {len(found)} shrunk schedules have the minimum number of preemptions"]
    if rows:
        parts.append(aligned(["program", "seed", "preemptions", "fewest", "minimal"], rows))
    return "\n\n".join(parts)


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)


def _word(minimal: bool | None) -> str:
    return "not known" if minimal is None else "yes" if minimal else "no"


if __name__ == "__main__":
    sys.exit(main())
