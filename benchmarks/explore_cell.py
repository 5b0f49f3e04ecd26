"""Measures one search: `explore_cell.py QUESTION ARGUMENTS...` prints the result as JSON.

speed SEARCH SCENARIO SECONDS      executions per second
complete TOOL SCENARIO SECONDS     executions per second of a complete search, and seconds until it ends
space TOOL SCENARIO EXECUTIONS     executions until the tool reports that it has run every order
trap TOOL TRAP EXECUTIONS SEEDS    executions until the failure, for each seed
schedule SCENARIO OUTCOME          a schedule that leads to the outcome
"""

import json
import sys
from collections.abc import Callable
from typing import Any

from cell import executions_per_second
from scenarios import SCENARIOS
from searches import DETERMINISTIC, SPACES_OF, TRAPPED, Space, raddle_with, schedule_to
from traps import SPACES, TRAPS

EVERY = {**SCENARIOS, **SPACES}
FEW, MANY = 20, 500  # maximum number of executions of the first search, which is not counted, and of each later one


def speed(search: str, scenario: str, seconds: str) -> dict[str, Any]:
    return {"executions_per_second": executions_per_second(raddle_with(search), SCENARIOS[scenario], float(seconds))}


def complete(tool: str, scenario: str, seconds: str) -> dict[str, Any]:
    """Repeat the whole search, because small spaces are exhausted quickly. The first search is not counted."""
    search, chosen = SPACES_OF[tool], EVERY[scenario]
    search(chosen, FEW)
    seen: list[Space] = []
    while sum(space.searching_seconds for space in seen) < float(seconds):
        seen.append(search(chosen, MANY))
    rate = sum(space.executions for space in seen) / sum(space.searching_seconds for space in seen)
    done = min((space.seconds for space in seen if space.done), default=None)
    return {"executions_per_second": rate, "seconds_until_done": done}


def space(tool: str, scenario: str, executions: str) -> dict[str, Any]:
    seen = SPACES_OF[tool](SPACES[scenario], int(executions))
    return {**seen._asdict(), "outcomes": sorted(seen.outcomes)}


def trap(tool: str, name: str, executions: str, seeds: str) -> dict[str, Any]:
    search, count = TRAPPED[tool], 1 if tool in DETERMINISTIC else int(seeds)
    return {"firsts": [search(TRAPS[name], int(executions), seed) for seed in range(1, count + 1)]}


def schedule(scenario: str, wrong: str) -> dict[str, Any]:
    return {"schedule": schedule_to(SPACES[scenario], int(wrong))}


QUESTIONS: dict[str, Callable[..., dict[str, Any]]] = {
    "speed": speed,
    "complete": complete,
    "space": space,
    "trap": trap,
    "schedule": schedule,
}


def main(question: str, *arguments: str) -> None:
    try:
        answer = QUESTIONS[question](*arguments)
    except Exception as error:  # an exception raised by the tool is reported as its result
        answer = {"failed": f"{type(error).__name__}: {error}".strip().partition("\n")[0]}
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
