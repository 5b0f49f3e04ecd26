"""The same seed gives the same results in different processes with different hash seeds."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

import processes

HERE = Path(__file__).parent
RUN = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
import raddle, shelf

results = {}
for kind in ("faulty", "correct"):
    for name in shelf.names(kind):
        for scheduler in ("random", "exhaustive"):
            program = shelf.program(kind, name)
            result = raddle.explore(
                program.scenario, executions=20, until="budget", scheduler=scheduler, seed=7,
                source=[program.__name__],
            ).as_json()
            del result["seconds"]
            results[f"{name} {scheduler}"] = result
print(json.dumps(results, sort_keys=True))
"""


def run_in_new_process(hash_seed: str) -> dict:
    paths = [str(HERE.parent.parent / "src"), str(HERE.parent / "programs")]
    completed = processes.run(
        [sys.executable, "-c", RUN, json.dumps(paths)],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
    )
    assert completed.returncode == 0, completed.stderr
    return json.loads(completed.stdout)


@pytest.fixture(scope="module")
def first() -> dict:
    return run_in_new_process("1")


def test_processes_with_different_hash_seeds_give_the_same_results(first: dict) -> None:
    second = run_in_new_process("2")
    assert first.keys() == second.keys()
    for name in first:
        assert first[name] == second[name], name


def test_the_compared_results_contain_findings(first: dict) -> None:
    # Every faulty program has results, and the random search finds most of the bugs within twenty executions.
    found = [name for name, result in first.items() if name.endswith("random") and result["findings"]]
    assert len(found) >= 15
    assert all(finding["schedule"] for name in found for finding in first[name]["findings"])
