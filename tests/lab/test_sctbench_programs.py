"""The SCTBench programs have the expected threads and bugs, and random scheduling finds most of these bugs."""

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
RARE = ("reorder_100", "twostage_100")  # random scheduling finds the bug only after hundreds of executions, or never

# Schedules that reproduce the bugs. T0 starts the threads and waits, unless its segment ends earlier. Threads that a
# schedule does not name run in order afterwards. <start: text> represents the first line that equals `text` after a
# line that starts with `start`.
BY_HAND = {
    "account": "T0; T3; T2.",  # withdrawal, then deposit, then the check
    # The driver is stopped after the request has read the flag and before the request is counted.
    "bluetooth_driver": "T0 until <def enter: with self.lock:> acquire; T1.",
    # One user holds the resource and requests the counters' lock. The next user holds that lock and requests the
    # resource.
    "carter01": "T0; T1 until <self.resource.acquire: with self.counters_lock:> acquire; T2.",
    # The receiver finds nothing in its first iteration. In its second iteration, it expects 1 but takes 0.
    "circular_buffer": "T0; T2 until <def receive: with self.lock:> acquire #2; T1.",
    "deadlock01": "T0; T1 until <def up: with self.a, self.b:> acquire #2; T2.",  # each thread holds one lock
    "lazy01": "T0.",  # in order: both additions, then the check
    # The consumer finds nothing in its first iteration. In its second iteration, it compares the first value with the
    # second stored value.
    "queue": "T0; T2 until <def consume: with self.lock:> acquire #2; T1.",
    "stack": "T0; T1 until <def fill: with self.lock:> acquire #2; T2.",  # one push, then two pops
    # T0 reads the length, T1 erases the text, and T0 fetches the characters before T1 appends new ones.
    "string_buffer_jdk": (
        "T0 until <def get: with self.lock:> acquire; T1 until <def append_text: with self.lock:> acquire; T0."
    ),
    # The second station copies 1 from the first, the first then computes 1 + 1, and the third copies 1 from the second.
    "token_ring": "T0; T2.",
    # After the first push, the thief claims slot 0. The owner pushes the second item into slot 1 and pops it. The owner
    # pushes the third item into slot 1 and the fourth into slot 0, which is free because the head is 1. The owner pops
    # both and finds the queue empty. Then the thief reads slot 0 and uses the fourth item again.
    "work_steal_queue": (
        "T0 until <def push: self.elements[tail & self.mask] = element> write self.elements[] #2; "
        "T1 until <def steal: return self.elements[head & self.mask]> read self.elements[]; T0."
    ),
}
HALF = "T0; T1 until <def set: self.b = -1> write b; T{}."  # a checker runs between the writes of `a` and `b`
# A reader runs between the two stages of the first writer.
STAGES = "T0; T1 until <def write: with self.second_lock:> acquire; T{}."
# Another increment happens between the read and the check.
DISTURBED = "T0; T1 until <def check: self.value += 1> read value; T2."
BY_HAND |= {f"reorder_{size}": HALF.format(size) for size in (3, 4, 5, 10, 20, 50, 100)}
BY_HAND |= {"twostage": STAGES.format(2), "twostage_100": STAGES.format(100)}
BY_HAND |= {"wronglock": DISTURBED, "wronglock_1": DISTURBED, "wronglock_3": DISTURBED}


def with_file_positions(schedule: str, name: str) -> str:
    """Replace each <start: text> in the schedule with the file and line that it represents."""
    family = re.sub(r"_\d+$", "", name)
    module = {"reorder": "reorder_3"}.get(family, family)  # programs of a family differ only in their number of threads
    lines = [line.strip() for line in inspect.getsource(importlib.import_module(f"{SOURCE}.{module}")).splitlines()]

    def line_reference(match: re.Match[str]) -> str:
        start = next(number for number, line in enumerate(lines) if line.startswith(match["start"]))
        return f"raddle_lab/sctbench/{module}.py:{lines.index(match['text'], start) + 1}"

    return re.sub(r"<(?P<start>[^:]+): (?P<text>.+?)>", line_reference, schedule)


def samples(program: Program, *, scheduler: str, executions: int):
    return raddle.measure(
        program.scenario, criteria="sync", scheduler=scheduler, executions=executions, source=[SOURCE]
    )


def test_there_are_28_programs_and_each_describes_its_bug() -> None:
    assert len(PROGRAMS) == 28
    for name, program in PROGRAMS.items():
        assert program.name == name
        assert program.bug
        assert importlib.import_module(f"{SOURCE}.{name}").__doc__


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_start_their_threads_and_most_pass_without_preemption(name: str) -> None:
    """All threads are started first and then run one after the other."""
    program = PROGRAMS[name]
    (sample,) = samples(program, scheduler="sequential", executions=1)
    assert sample.entities.actors == 1 + program.threads
    fails = program.always or name == "lazy01"  # lazy01 fails without preemption (see BY_HAND)
    assert sample.outcome.kind in (program.kinds if fails else {OutcomeKind.PASSED})


@pytest.mark.parametrize("name", ALWAYS)
def test_programs_marked_always_fail_in_every_schedule(name: str) -> None:
    program = PROGRAMS[name]
    kinds = {sample.outcome.kind for sample in samples(program, scheduler="random", executions=100)}
    assert kinds <= set(program.kinds)


@pytest.mark.parametrize("name", SOMETIMES)
def test_the_other_programs_fail_only_with_the_expected_kinds(name: str) -> None:
    program = PROGRAMS[name]
    executions = 50 if program.threads <= 10 else 5
    kinds = {sample.outcome.kind for sample in samples(program, scheduler="random", executions=executions)}
    assert kinds <= {OutcomeKind.PASSED, *program.kinds}


def test_lazy01_passes_if_the_check_runs_first() -> None:
    assert raddle.replay(PROGRAMS["lazy01"].scenario, "T0; T3.", source=[SOURCE]) is None


@pytest.mark.parametrize("name", SOMETIMES)
def test_the_handwritten_schedule_shows_the_bug(name: str) -> None:
    program = PROGRAMS[name]
    finding = raddle.replay(program.scenario, with_file_positions(BY_HAND[name], name), source=[SOURCE])
    assert finding is not None
    assert finding.kind in program.kinds


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in RARE])
def test_random_schedules_find_the_bug(name: str) -> None:
    row = run_row(name, "random", Plan(seeds=1))
    assert (row.found, row.unexpected) == (1, ())


def test_parallel_jobs_give_the_same_rows() -> None:
    plan = Plan(schedulers=("random", "exhaustive:preemptions=1"), programs=("reorder_3", "stack"), seeds=3)
    sequential, parallel = run(plan), run(plan, jobs=2)
    assert sequential == parallel
    assert [(row.program, row.scheduler) for row in sequential] == [
        ("reorder_3", "random"),
        ("reorder_3", "exhaustive:preemptions=1"),
        ("stack", "random"),
        ("stack", "exhaustive:preemptions=1"),
    ]
    # The exhaustive search is deterministic, so it runs with one seed only.
    assert [len(row.firsts) for row in sequential] == [3, 1, 3, 1]


def test_a_finding_of_another_kind_is_not_the_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        PROGRAMS, "phase01", Program("phase01", 2, ("assertion",), "no assertion fails in this program")
    )
    assert run_row("phase01", "random", Plan(seeds=2)) == Row("phase01", "random", (None, None), ("deadlock",) * 2)


def test_the_table_shows_medians_and_published_results() -> None:
    pytest.importorskip("scipy")
    plan = Plan(schedulers=("random", "sequential"), programs=("reorder_100", "stack"), seeds=4, executions=50)
    rows = [
        Row("reorder_100", "random", (None, 40, None, 7)),  # the median lies between 40 and a value above 50
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
        "found with every seed 1 0",
        "found with at least one seed 2 0",
        "median at most 10 1 0",
        "",
        "Published numbers: reorder_100 RFF 6, SURW 193; POS and random never found the bug.",
        "",
        "a finding other than the bug: stack, sequential: divergence",
    ]
    data = json.loads(json.dumps(as_json(plan, rows)))
    assert [row["median"] for row in data["rows"]] == [None, None, 2.5, None]
    assert data["published"] == {"reorder_100": {"RFF": 6, "SURW": 193}}
