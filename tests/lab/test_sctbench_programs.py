"""The programs of SCTBench: each has its threads and its bug, and some scheduler finds it."""

from __future__ import annotations

import importlib
import inspect
import json
import re

import pytest
from raddle_lab.sctbench import PROGRAMS, Program
from raddle_lab.sctbench_table import SOURCE, Plan, Row, as_json, report, run, run_row

import raddle
from raddle.outcome import OutcomeKind

pytestmark = pytest.mark.slow

ALWAYS = [name for name, program in PROGRAMS.items() if program.always]
SOMETIMES = [name for name, program in PROGRAMS.items() if not program.always]
RARE = ("reorder_100", "twostage_100")  # found by chance in some hundreds of executions, or not at all

# Schedules that show the bug. T0 starts the threads and waits, unless it is stopped before; who is not named comes in
# order. <start: text> stands for the line that reads so, the first one after
# a line that starts so.
BY_HAND = {
    "account": "T0; T3; T2.",  # withdrawal, deposit; the check is left for last
    # The request has looked at the flag, and not yet counted itself, when the driver is stopped.
    "bluetooth_driver": "T0 until <def enter: with self.lock:> acquire; T1.",
    # One user has the resource and comes again for the counters' lock; the next takes that and wants the resource.
    "carter01": "T0; T1 until <self.resource.acquire: with self.counters_lock:> acquire; T2.",
    # The receiver misses its turn 0, then takes in turn 1 what was sent in turn 0.
    "circular_buffer": "T0; T2 until <def receive: with self.lock:> acquire #2; T1.",
    "deadlock01": "T0; T1 until <def up: with self.a, self.b:> acquire #2; T2.",  # each has one lock
    "lazy01": "T0.",  # in order: both additions, then the check
    # The consumer misses its turn 0; the first value is then compared with the second one stored.
    "queue": "T0; T2 until <def consume: with self.lock:> acquire #2; T1.",
    "stack": "T0; T1 until <def fill: with self.lock:> acquire #2; T2.",  # one push, then two pops
    # The length was asked for, then the text erased; the characters are fetched before there are new ones.
    "string_buffer_jdk": (
        "T0 until <def get: with self.lock:> acquire; T1 until <def append_text: with self.lock:> acquire; T0."
    ),
    # The second station passes on 1, the first becomes 1 + 1, the third gets 1.
    "token_ring": "T0; T2.",
    # The first item is in; the thief claims its slot, 0. The owner puts the second into slot 1 and pops it, puts the
    # third into slot 1 and the fourth into slot 0, which it may as the head is 1, pops both and finds no more. Then
    # the thief reads slot 0 and uses the fourth again.
    "work_steal_queue": (
        "T0 until <def push: self.elements[tail & self.mask] = element> write self.elements[] #2; "
        "T1 until <def steal: return self.elements[head & self.mask]> read self.elements[]; T0."
    ),
}
HALF = "T0; T1 until <def set: self.b = -1> write b; T{}."  # `a` is written, no `b`, when a checker looks
STAGES = "T0; T1 until <def write: with self.second_lock:> acquire; T{}."  # between the stages of the first writer
DISTURBED = "T0; T1 until <def check: self.value += 1> read value; T2."  # one more between the read and the check
BY_HAND |= {f"reorder_{size}": HALF.format(size) for size in (3, 4, 5, 10, 20, 50, 100)}
BY_HAND |= {"twostage": STAGES.format(2), "twostage_100": STAGES.format(100)}
BY_HAND |= {"wronglock": DISTURBED, "wronglock_1": DISTURBED, "wronglock_3": DISTURBED}


def in_full(schedule: str, name: str) -> str:
    """With the places as they are called."""
    family = re.sub(r"_\d+$", "", name)
    home = {"reorder": "reorder_3"}.get(family, family)  # programs of a family differ in their threads only
    lines = [line.strip() for line in inspect.getsource(importlib.import_module(f"{SOURCE}.{home}")).splitlines()]

    def place(match: re.Match[str]) -> str:
        start = next(number for number, line in enumerate(lines) if line.startswith(match["start"]))
        return f"raddle_lab/sctbench/{home}.py:{lines.index(match['text'], start) + 1}"

    return re.sub(r"<(?P<start>[^:]+): (?P<text>.+?)>", place, schedule)


def samples(program: Program, *, scheduler: str, executions: int):
    return raddle.measure(
        program.scenario, criteria="sync", scheduler=scheduler, executions=executions, source=[SOURCE]
    )


def test_there_are_28_programs_and_all_say_what_goes_wrong() -> None:
    assert len(PROGRAMS) == 28
    for name, program in PROGRAMS.items():
        assert program.name == name
        assert program.bug
        assert importlib.import_module(f"{SOURCE}.{name}").__doc__


@pytest.mark.parametrize("name", PROGRAMS)
def test_without_preemption(name: str) -> None:
    """All threads are started, then run one after the other."""
    program = PROGRAMS[name]
    (sample,) = samples(program, scheduler="sequential", executions=1)
    assert sample.entities.actors == 1 + program.threads
    fails = program.always or name == "lazy01"  # see above
    assert sample.outcome.kind in (program.kinds if fails else {OutcomeKind.PASSED})


@pytest.mark.parametrize("name", ALWAYS)
def test_some_fail_in_every_schedule(name: str) -> None:
    program = PROGRAMS[name]
    kinds = {sample.outcome.kind for sample in samples(program, scheduler="random", executions=100)}
    assert kinds <= set(program.kinds)


@pytest.mark.parametrize("name", SOMETIMES)
def test_the_others_fail_only_in_the_way_they_should(name: str) -> None:
    program = PROGRAMS[name]
    executions = 50 if program.threads <= 10 else 5
    kinds = {sample.outcome.kind for sample in samples(program, scheduler="random", executions=executions)}
    assert kinds <= {OutcomeKind.PASSED, *program.kinds}


def test_lazy01_passes_where_the_check_comes_first() -> None:
    assert raddle.replay(PROGRAMS["lazy01"].scenario, "T0; T3.", source=[SOURCE]) is None


@pytest.mark.parametrize("name", SOMETIMES)
def test_a_schedule_made_by_hand_shows_the_bug(name: str) -> None:
    program = PROGRAMS[name]
    finding = raddle.replay(program.scenario, in_full(BY_HAND[name], name), source=[SOURCE])
    assert finding is not None
    assert finding.kind in program.kinds


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in RARE])
def test_chance_finds_it(name: str) -> None:
    row = run_row(name, "random", Plan(seeds=1))
    assert (row.found, row.unexpected) == (1, ())


def test_processes_side_by_side_change_nothing() -> None:
    plan = Plan(schedulers=("random", "exhaustive:preemptions=1"), programs=("reorder_3", "stack"), seeds=3)
    alone, parallel = run(plan), run(plan, jobs=2)
    assert alone == parallel
    assert [(row.program, row.scheduler) for row in alone] == [
        ("reorder_3", "random"),
        ("reorder_3", "exhaustive:preemptions=1"),
        ("stack", "random"),
        ("stack", "exhaustive:preemptions=1"),
    ]
    assert [len(row.firsts) for row in alone] == [3, 1, 3, 1]  # nothing random in the exhaustive search


def test_a_finding_of_another_kind_is_not_the_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROGRAMS, "phase01", Program("phase01", 2, ("assertion",), "none of that kind"))
    assert run_row("phase01", "random", Plan(seeds=2)) == Row("phase01", "random", (None, None), ("deadlock",) * 2)


def test_a_table_by_hand() -> None:
    pytest.importorskip("scipy")
    plan = Plan(schedulers=("random", "sequential"), programs=("reorder_100", "stack"), seeds=4, executions=50)
    rows = [
        Row("reorder_100", "random", (None, 40, None, 7)),  # the median lies between 40 and more than 50
        Row("reorder_100", "sequential", (None,)),
        Row("stack", "random", (1, 2, 3, 12)),
        Row("stack", "sequential", (None,), ("divergence",)),
    ]
    table = [" ".join(line.split()) for line in report(plan, rows).partition("\n\n")[2].splitlines()]
    assert table == [
        "threads random sequential",
        "-" * len(table[1]),
        "reorder_100 100 >50 (2/4) >50 (0/1)",
        "stack 2 2.5 >50 (0/1)",
        "found by all seeds 1 0",
        "found by some seed 2 0",
        "median at most 10 1 0",
        "",
        "Published: reorder_100 RFF 6, SURW 193; POS and random never.",
        "",
        "not the bug: stack, sequential: divergence",
    ]
    data = json.loads(json.dumps(as_json(plan, rows)))
    assert [row["median"] for row in data["rows"]] == [None, None, 2.5, None]
    assert data["published"] == {"reorder_100": {"RFF": 6, "SURW": 193}}
