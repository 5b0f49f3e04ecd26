"""Compares real threads with the switch models.

The script prints, as JSON, the states that real threads reach and the states that each switch model allows.

Two real threads apply the same function to the same list of objects, with the shortest possible switch interval.
Each object is used for one round.
"""

from __future__ import annotations

import json
import sys
import threading

import racy

import raddle

ROUNDS = 3_000
REPEATS = 3


def states_with_real_threads(name: str) -> set[object]:
    _, body, make = racy.PROGRAMS[name]
    seen = set()
    for _ in range(REPEATS):
        objects = [make() for _ in range(ROUNDS)]
        gate = threading.Barrier(2)

        def work(objects: list = objects, gate: threading.Barrier = gate) -> None:
            gate.wait()
            for shared in objects:
                body(shared)

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seen |= {racy.final_state(shared) for shared in objects}
    return seen


def states_in_model(name: str, switches: str) -> set[object]:
    seen: set[object] = set()
    result = raddle.explore(
        racy.recording_scenario(name, seen.add),
        scheduler="exhaustive",
        executions=None,
        until="budget",
        switches=switches,
        source=["racy"],
    )
    assert result.stopped_because == "exhausted"
    return seen


def main() -> None:
    states = {}
    for name in racy.PROGRAMS:
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        real = states_with_real_threads(name)
        sys.setswitchinterval(interval)
        states[name] = {
            "real": sorted(map(repr, real)),
            "gil": sorted(map(repr, states_in_model(name, "gil"))),
            "free-threaded": sorted(map(repr, states_in_model(name, "free-threaded"))),
        }
    print(json.dumps(states))


if __name__ == "__main__":
    main()
