"""Checks how often the interval estimated by a saturated search contains the true number of requirements.

The true number comes from an exhausted search, and the estimate from a default search that stopped at saturation. The
programs are the test programs with few enough schedules for an exhaustive search. Each program runs in a separate
process, because it may leave behind threads that wait forever.

In a complete search, an execution continues after an exception has ended a thread; in other searches it does not.
Requirements that are covered only after such an exception therefore count as missed.
"""

import argparse
import json
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path[:0] = [str(TESTS / "counts"), str(TESTS / "programs")]
import reachable  # noqa: E402 -- programs of the tests, not installed modules
import shelf  # noqa: E402

import raddle  # noqa: E402
from raddle.analysis.richness import estimate  # noqa: E402
from raddle.tally import EXACT  # noqa: E402

MAX_EXECUTIONS = 3_000  # a search that is not exhausted after this many executions is abandoned
REQUIRED_SHARE = 0.9  # required share of estimates whose interval contains the true number


@dataclass(frozen=True, slots=True)
class Judged:
    """An estimate of the number of requirements, with the true number."""

    program: str
    seed: int
    criterion: str
    executions: int
    covered: int
    estimated: tuple[int, int, int]  # (number, lower end of the interval, upper end)
    truth: int

    @property
    def holds(self) -> bool:
        return self.estimated[1] <= self.truth <= self.estimated[2]

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in (*self.__slots__, "holds")}


def programs() -> dict[str, tuple[Callable[[], object], list[str]]]:
    """Map the name of each program to its scenario and the source that contains its code."""
    found: dict[str, tuple[Callable[[], object], list[str]]] = {}
    for scenario in reachable.PROGRAMS:
        found[f"{scenario.__module__}.{scenario.__name__}"] = scenario, list(reachable.SOURCES)
    for kind in ("correct", "faulty"):
        for name in shelf.names(kind):
            program = shelf.program(kind, name)
            found[f"{kind}.{name}"] = program.scenario, [program.__name__]
    return found


def truth(scenario: Callable[[], object], source: list[str]) -> dict[str, int] | None:
    """Return the true number of requirements of each criterion; None if the search was not exhausted."""
    result = raddle.explore(
        scenario,
        scheduler="exhaustive",
        executions=MAX_EXECUTIONS,
        until="exhausted",
        criteria="default",
        source=source,
        shrink=False,
    )
    if not result.exhausted:
        return None
    return {name: row["total"] for name, row in result.criteria.items() if row["total_kind"] == EXACT}


def judge(name: str, *, seeds: int) -> list[Judged]:
    """Return the estimate for every criterion at the end of each saturated search."""
    scenario, source = programs()[name]
    exact = truth(scenario, source)
    judged: list[Judged] = []
    if exact is None:
        return judged
    for seed in range(1, seeds + 1):
        result = raddle.explore(scenario, seed=seed, source=source, shrink=False, until="saturated")
        if result.stopped_because != "saturated":
            continue
        tally = result.tally
        for criterion, total in exact.items():
            counts = [seen.executions for seen in tally.covered.get(criterion, {}).values()]
            guess = estimate(counts, tally.executions)
            if guess.number is not None and guess.low is not None and guess.high is not None:
                ends = guess.number, guess.low, guess.high
                judged.append(Judged(name, seed, criterion, tally.executions, len(counts), ends, total))
    return judged


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="JSON on stdout, the text on stderr")
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="default %(default)s")
    parser.add_argument("--programs", nargs="+", metavar="NAME", help="only these")
    options = parser.parse_args()
    judged: list[Judged] = []
    for name in options.programs or programs():
        with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as alone:
            own = alone.submit(judge, name, seeds=options.seeds).result()
        print(f"{name}: {summary(own)}", file=sys.stderr, flush=True)
        judged += own
    print(text(judged), file=sys.stderr if options.json else sys.stdout)
    if options.json:
        print(json.dumps([one.as_json() for one in judged], indent=2))
    return 0 if judged and share(judged) >= REQUIRED_SHARE else 1


def share(judged: list[Judged]) -> float:
    return sum(one.holds for one in judged) / len(judged)


def summary(judged: list[Judged]) -> str:
    if not judged:
        return "not exhausted, or never saturated"
    return f"{sum(one.holds for one in judged)} of {len(judged)} estimates include the truth"


def text(judged: list[Judged]) -> str:
    """Return the share of correct estimates, overall and by criterion, and the estimates that missed the truth."""
    lines = [summary(judged) + (f": {share(judged):.1%}" if judged else "")]
    to_cover = [one for one in judged if one.truth]
    if to_cover:
        lines.append(f"with anything to cover: {summary(to_cover)}: {share(to_cover):.1%}")
    for criterion in dict.fromkeys(one.criterion for one in judged):
        own = [one for one in to_cover if one.criterion == criterion]
        if own:
            lines.append(f"{criterion}: {summary(own)}: {share(own):.1%}")
    lines += [
        f"missed: {one.program}, seed {one.seed}, {one.criterion}: {one.covered} covered by {one.executions}, "
        f"estimated {one.estimated[0]} ({one.estimated[1]} to {one.estimated[2]}), truth {one.truth}"
        for one in judged
        if not one.holds
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
