"""Is saturation honest? How often the estimate of how much there is to cover holds what there is.

The truth comes from a search that was exhausted; the estimate from a search with defaults that said it was saturated.
Programs are those of the tests whose schedules are few enough, each in a process of its own: threads that wait forever
stay behind.

A complete search goes on when a thread has died of an exception, the others do not: of programs that die, what only
comes after that counts as missed.
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
import reachable  # noqa: E402 -- programs of the tests, no installed modules
import shelf  # noqa: E402

import raddle  # noqa: E402
from raddle.analysis.richness import estimate  # noqa: E402
from raddle.tally import EXACT  # noqa: E402

MOST = 3_000  # executions of a search that is to be exhausted
ASKED = 0.9  # share of estimates that hold the truth


@dataclass(frozen=True, slots=True)
class Judged:
    """One estimate."""

    program: str
    seed: int
    criterion: str
    executions: int
    covered: int
    estimated: tuple[int, int, int]  # number, lower end, upper end
    truth: int

    @property
    def holds(self) -> bool:
        return self.estimated[1] <= self.truth <= self.estimated[2]

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in (*self.__slots__, "holds")}


def programs() -> dict[str, tuple[Callable[[], object], list[str]]]:
    """By name: the scenario, and where its code is."""
    found: dict[str, tuple[Callable[[], object], list[str]]] = {}
    for scenario in reachable.PROGRAMS:
        found[f"{scenario.__module__}.{scenario.__name__}"] = scenario, list(reachable.SOURCES)
    for kind in ("correct", "faulty"):
        for name in shelf.names(kind):
            program = shelf.program(kind, name)
            found[f"{kind}.{name}"] = program.scenario, [program.__name__]
    return found


def truth(scenario: Callable[[], object], source: list[str]) -> dict[str, int] | None:
    """By criterion, how much there is to cover; None where that is not known."""
    result = raddle.explore(
        scenario,
        scheduler="exhaustive",
        executions=MOST,
        until="exhausted",
        criteria="default",
        source=source,
        shrink=False,
    )
    if not result.exhausted:
        return None
    return {name: row["total"] for name, row in result.criteria.items() if row["total_kind"] == EXACT}


def judge(name: str, *, seeds: int) -> list[Judged]:
    """Every criterion's estimate at the end of each search that was saturated."""
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
        print(f"{name}: {told(own)}", file=sys.stderr, flush=True)
        judged += own
    print(text(judged), file=sys.stderr if options.json else sys.stdout)
    if options.json:
        print(json.dumps([one.as_json() for one in judged], indent=2))
    return 0 if judged and share(judged) >= ASKED else 1


def share(judged: list[Judged]) -> float:
    return sum(one.holds for one in judged) / len(judged)


def told(judged: list[Judged]) -> str:
    if not judged:
        return "not exhausted, or never saturated"
    return f"{sum(one.holds for one in judged)} of {len(judged)} estimates hold the truth"


def text(judged: list[Judged]) -> str:
    """The shares, and what was missed."""
    lines = [told(judged) + (f": {share(judged):.1%}" if judged else "")]
    to_cover = [one for one in judged if one.truth]
    if to_cover:
        lines.append(f"where there is anything to cover: {told(to_cover)}: {share(to_cover):.1%}")
    for criterion in dict.fromkeys(one.criterion for one in judged):
        own = [one for one in to_cover if one.criterion == criterion]
        if own:
            lines.append(f"{criterion}: {told(own)}: {share(own):.1%}")
    lines += [
        f"missed: {one.program}, seed {one.seed}, {one.criterion}: {one.covered} covered by {one.executions}, "
        f"estimated {one.estimated[0]} ({one.estimated[1]} to {one.estimated[2]}), in truth {one.truth}"
        for one in judged
        if not one.holds
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
