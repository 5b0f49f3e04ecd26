"""Data file contents written by hand: two threads, one variable, two locks."""

from __future__ import annotations

from raddle.instrument.rewrite import site_base
from raddle.site import INDEX_BITS, Site
from raddle.static_model import Accesses, StaticModel
from raddle.store.contents import Contents, Run
from raddle.tally import Covered, Tally
from raddle.warning import ReportedWarning

SOURCE = """\
class Box:
    def __init__(self):
        self.text = ""

    def add(self):
        old = self.text
        self.text = old + "<b>"

    def idle(self):
        return 1
"""
LOCKS = "a = Lock()\nb = Lock()\na.acquire()\nb.acquire()\n"
BOX_BASE, LOCKS_BASE = site_base("box.py", SOURCE), site_base("locks.py", LOCKS)
READ, WRITE, ENTER = (BOX_BASE + index for index in range(3))
FIRST, SECOND = (LOCKS_BASE + index for index in range(2))
SITES = {
    READ: Site("box.py", 6, 14, "read", "text", "Box.add", switchable=True),
    WRITE: Site("box.py", 7, 8, "write", "text", "Box.add", switchable=False),
    ENTER: Site("box.py", 5, 4, "enter", "", "Box.add", switchable=True),
    FIRST: Site("locks.py", 3, 0, "call", "a", "f", switchable=True),
    SECOND: Site("locks.py", 4, 0, "call", "b", "f", switchable=True),
}
# One read and one write of one variable: patterns 1 to 8 of `map`, each with one choice of sites.
MODEL = StaticModel({("box.py:Box", "text"): Accesses(frozenset({READ}), frozenset({WRITE}))})
READ_THEN_WRITTEN = (1, "box.py:Box", "text", "", READ, WRITE)
WRITTEN_THEN_READ = (2, "box.py:Box", "text", "", WRITE, READ)
A, B = ("Lock", "locks.py:1"), ("Lock", "locks.py:2")


def step(thread, operation, variable="Box.text", *, line=6, value="", file="box.py", number=1):
    return {
        "thread": thread, "operation": operation, "variable": variable, "file": file, "line": line, "value": value,
        "object": number,
    }  # fmt: skip


def finding(**changes):
    steps = [
        step("T0", "start", "T1", line=1),
        step("T0", "start", "T2", line=1),
        step("T1", "read", value="''"),
        step("T2", "read", value="''"),
        step("T2", "write", line=7, value="'<b>'"),
        step("T1", "write", line=7, value="'<b>'"),
    ]
    stop = {"before": 3, "thread": "T1", "place": "box.py:7 write text", "with_gil": False}
    return {
        "kind": "assertion",
        "message": "AssertionError: <script>alert(1)</script>",
        "thread": "T1",
        "possible_on": "free-threaded-only",
        "schedule": "T0; T1 until box.py:7 write text; T2.",
        "origin": "explore box.py::scenario",
        "execution": 2,
        "details": ["Traceback <here>"],
        "steps": steps,
        "preemptions": [stop],
        **changes,
    }


def contents(folder=None, *, findings=(), covered=None, criteria=("map", "goodlock"), paths=None, executions=4):
    """Return contents with these findings. The source files are written to `folder` if one is given."""
    if folder is not None:
        (folder / "box.py").write_text(SOURCE, encoding="utf-8")
        (folder / "locks.py").write_text(LOCKS, encoding="utf-8")
        paths = {name: str(folder / name) for name in ("box.py", "locks.py")}
    tally = {name: {} for name in criteria}
    tally["map"] = {READ_THEN_WRITTEN: Covered(3, 1), WRITTEN_THEN_READ: Covered(1, 4)}
    tally["goodlock"] = {(FIRST, SECOND, A, B): Covered(4, 1)}
    tally.update(covered or {})
    run = Run(
        "one", "explore box.py::scenario", "controlled", executions, 0, "2026-01-01", frozenset(tally),
        files=frozenset({("box.py", BOX_BASE >> INDEX_BITS), ("locks.py", LOCKS_BASE >> INDEX_BITS)}),
    )  # fmt: skip
    return Contents(
        runs=(run,),
        tally=Tally.of(tally, executions=executions),
        sites=SITES,
        paths=paths or {},
        model=MODEL,
        warnings=(ReportedWarning("data-race", "Box.text", (READ, WRITE), "read, written"),),
        findings=tuple(findings),
        notes=("not instrumented: other.py: no source",),
    )
