"""Findings as the data file stores them, derived by hand from a counter that two threads increment."""

from __future__ import annotations

from dataclasses import replace

from raddle.site import INDEX_BITS, Site
from raddle.store.contents import Contents, Run
from raddle.tally import Covered, Tally
from raddle.warning import ReportedWarning

BASE = 4711 << INDEX_BITS
READ, WRITE = BASE, BASE + 1
SITES = {
    READ: Site("counter.py", 9, 8, "read", "self.value", "Counter.increment", switchable=True),
    WRITE: Site("counter.py", 9, 8, "write", "self.value", "Counter.increment", switchable=False),
}


def step(thread, line, operation, variable="Counter.value", value="", *, file="counter.py"):
    """Return one step in the format of the data file."""
    return {
        "thread": thread, "file": file, "line": line, "operation": operation, "variable": variable, "object": 1,
        "value": value,
    }  # fmt: skip


# T1 reads 0 and is preempted. T2 reads 0 and writes 1. T1 also writes 1, so one increment is lost.
STEPS = [
    step("T0", 16, "start", "T1"),
    step("T0", 16, "start", "T2"),
    step("T1", 9, "read", value="0"),
    step("T2", 9, "read", value="0"),
    step("T2", 9, "write", value="1"),
    step("T2", 0, "end", "", file="stdlib"),
    step("T1", 9, "write", value="1"),
    step("T0", 19, "read", value="1"),
]
LOST_UPDATE = {
    "kind": "assertion",
    "message": "AssertionError: 1 != 2",
    "thread": "T0",
    "possible_on": "free-threaded-only",
    "schedule": "T0; T1 until counter.py:9 write value; T2.",
    "execution": 1,
    "details": [
        "Traceback (most recent call last):",
        '  File "/far/counter.py", line 19, in scenario',
        "AssertionError",
    ],
    "steps": STEPS,
    "preemptions": [{"before": 3, "thread": "T1", "place": "counter.py:9 write value", "with_gil": False}],
    "origin": "explore counter.py::scenario",
}
DEADLOCK = {
    "kind": "deadlock",
    "message": "T1 waits for T2, which waits for T1",
    "thread": "T1",
    "details": [
        "T0 waits at counter.py:30 to join T1",
        "T1 waits at counter.py:26 to acquire Lock, held by T2 (acquired at counter.py:28); it holds Lock",
    ],
    "place": {"file": "counter.py", "line": 26},
    "steps": [step("T1", 25, "acquire", "Lock 1")],
    "origin": "explore counter.py::other",
}
NASTY = '<b>"100 %"</b> it\'s {0} [a](b)\nline two\r::error::\x00\x1b \ud800 é ]]> &amp;'
RACE = ReportedWarning("data-race", "Counter.value", (READ, WRITE), "read, written")


def contents(*findings, **more):
    """Return data file contents with these findings."""
    measured = frozenset({"sync"})
    runs = (
        Run("a", "explore counter.py::scenario", "controlled", 5, 0, "", measured),
        Run("b", "run app.py", "native", 1, 5, "", measured),
    )
    covered = {"sync": {(READ, "visited"): Covered(3, 1)}}
    whole = Contents(
        runs=runs,
        tally=Tally.of(covered, executions=6),
        sites=SITES,
        paths={"counter.py": "/far/counter.py"},
        findings=findings,
    )
    return replace(whole, **more)
