"""Real threads against the model: run as a script, it prints what was seen and what `switches="gil"` allows.

Two real threads walk through the same row of objects and do the same to each; the interpreter is told to let
the other run as often as it can. Each object is one round.
"""

from __future__ import annotations

import json
import sys
import threading

import racy

import raddle

ROUNDS = 3_000
REPEATS = 3


def seen_for_real(name: str) -> set[object]:
    _, body, make = racy.PROGRAMS[name]
    seen = set()
    for _ in range(REPEATS):
        things = [make() for _ in range(ROUNDS)]
        gate = threading.Barrier(2)

        def work(things: list = things, gate: threading.Barrier = gate) -> None:
            gate.wait()
            for thing in things:
                body(thing)

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seen |= {racy.outcome(thing) for thing in things}
    return seen


def explored(name: str, switches: str) -> set[object]:
    seen: set[object] = set()
    result = raddle.explore(
        racy.tried(name, seen.add),
        scheduler="exhaustive",
        executions=None,
        until="budget",
        switches=switches,
        source=["racy"],
    )
    assert result.stopped_because == "exhausted"
    return seen


def main() -> None:
    told = {}
    for name in racy.PROGRAMS:
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        real = seen_for_real(name)
        sys.setswitchinterval(interval)
        told[name] = {
            "real": sorted(map(repr, real)),
            "gil": sorted(map(repr, explored(name, "gil"))),
            "free-threaded": sorted(map(repr, explored(name, "free-threaded"))),
        }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
