"""The same seed gives the same run: in one process, in another one, and with other hashes."""

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

told = {}
for kind in ("faulty", "correct"):
    for name in shelf.names(kind):
        for scheduler in ("random", "exhaustive"):
            program = shelf.program(kind, name)
            result = raddle.explore(
                program.scenario, executions=20, until="budget", scheduler=scheduler, seed=7,
                source=[program.__name__],
            ).as_json()
            del result["seconds"]
            told[f"{name} {scheduler}"] = result
print(json.dumps(told, sort_keys=True))
"""


def run(hash_seed: str) -> dict:
    paths = [str(HERE.parent.parent / "src"), str(HERE.parent / "programs")]
    done = processes.run(
        [sys.executable, "-c", RUN, json.dumps(paths)],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def first() -> dict:
    return run("1")


def test_two_processes_with_different_hashes_give_the_same_results(first: dict) -> None:
    second = run("2")
    assert first.keys() == second.keys()
    for name in first:
        assert first[name] == second[name], name


def test_the_results_are_worth_comparing(first: dict) -> None:
    # Every faulty program is in it, and random search found most of them out within twenty executions.
    found = [name for name, result in first.items() if name.endswith("random") and result["findings"]]
    assert len(found) >= 15
    assert all(finding["schedule"] for name in found for finding in first[name]["findings"])
