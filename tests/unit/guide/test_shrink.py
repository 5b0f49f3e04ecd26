"""Shrinking reduces failures to their simplest schedules.

For the programs of `shrink_scenarios`, the minimal schedule is derived by hand. For others, an exhaustive search with a
bound on preemptions checks that no execution with fewer preemptions fails in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import explorer
import pytest
import shelf
import shrink_scenarios
from small_programs import Draw

from raddle.execute.session import Recorded, Session
from raddle.execute.thread_installation import Threads
from raddle.guide.shrink import shrink
from raddle.guide.simpler import rank
from raddle.instrument import Selection
from raddle.schedule import Schedule
from raddle.schedulers.exhaustive import Exhaustive
from raddle.schedulers.random_walk import RandomWalk

FILE = "tests/unit/guide/shrink_scenarios.py"
LINES = {
    int(found[1]): number
    for number, line in enumerate(Path(shrink_scenarios.__file__).read_text().splitlines(), 1)
    if (found := re.search(r"# (\d+): ", line))
}
HERE = Selection(sources=("shrink_scenarios",))
WALKS = 30


def failures(session: Session) -> Iterator[Recorded]:
    """Yield, for each failure that a random walk finds, the execution with the most preemptions."""
    walk = RandomWalk(seed=5)
    found: dict[tuple[str, ...], Recorded] = {}
    for number in range(1, WALKS + 1):
        walk.begin(number, 0)
        known_points = session.snapshot()
        execution = session.run_for(walk)
        if execution.outcome.failed:
            recorded = session.replay(session.replay_decisions(execution.decisions, known_points).schedule)
            assert recorded.divergence is None
            previous = found.setdefault(recorded.outcome.signature, recorded)
            if len(recorded.preemptions) > len(previous.preemptions):
                found[recorded.outcome.signature] = recorded
    yield from found.values()


def shrink_and_check(session: Session, recorded: Recorded, **options: int) -> Recorded:
    """Shrink an execution; check that the result is at least as simple and that its schedule reproduces the failure."""
    signature = recorded.outcome.signature
    simple = shrink(session, recorded, lambda tried: tried.outcome.signature == signature, **options)
    assert rank(simple) <= rank(recorded)
    replayed = session.replay(Schedule.parse(str(simple.schedule)))
    assert replayed.divergence is None
    assert (replayed.outcome.signature, replayed.trace) == (signature, simple.trace)
    return simple


def fewer_preemptions_suffice(session: Session, simple: Recorded, *, executions: int) -> bool | None:
    """Return whether the same failure occurs with fewer preemptions, or None if there are too many schedules."""
    preemptions = len(simple.preemptions)
    if preemptions == 0:
        return False
    search = Exhaustive(preemptions=preemptions - 1)
    for number in range(1, executions + 1):
        if not search.begin(number, session.known_points.version):
            return False
        known_points = session.snapshot()
        execution = session.run_for(search)
        if execution.outcome.kind == simple.outcome.kind:
            replayed = session.replay_decisions(execution.decisions, known_points)
            possible = rank(replayed).impossible_here <= rank(simple).impossible_here
            if replayed.outcome.signature == simple.outcome.signature and possible:
                return True
    return None


def session_for(scenario: Callable[[], object], selection: Selection = HERE) -> Session:
    return Session(scenario, Threads(selection).install(), step_limit=5_000)


# -- by hand ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scenario", "expected"),
    [
        # `write` is preempted between its writes and `read` between its reads, because `read` must see 1, then 2.
        (
            shrink_scenarios.in_turns,
            f"T0; T1 until {FILE}:{LINES[1]} write x; T2 until {FILE}:{LINES[2]} read x; T1.",
        ),
        (shrink_scenarios.in_order, "T0; T2."),
        # T1 reads before T2's write and writes after it. Any iteration would do, so the first one is used.
        (shrink_scenarios.in_the_first_round, f"T0; T1 until {FILE}:{LINES[3]} write x; T2."),
        # Any of the five writers could be preempted between its writes, so T1 is chosen. The reader is T6.
        (shrink_scenarios.one_of_many, f"T0; T1 until {FILE}:{LINES[4]} write x; T6."),
        # T0 is preempted once, after it has started one thread. Without a preemption T0 reads before T1 runs.
        (shrink_scenarios.started_needlessly, f"T0 until {FILE}:{LINES[5]} read x; T1."),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_simplest_schedule_is_found(scenario: Callable[[], object], expected: str) -> None:
    with session_for(scenario) as session:
        session.rehearse()
        (recorded,) = failures(session)
        assert str(shrink_and_check(session, recorded).schedule) == expected


# -- by exhaustive search ------------------------------------------------------------------------------------------


def test_programs_of_the_shelf_shrink_to_minimal_schedules() -> None:
    not_minimal: list[str] = []
    shown = 0
    for name in shelf.names("faulty"):
        program = shelf.program("faulty", name)
        with session_for(program.scenario, Selection(sources=(program.__name__,))) as session:
            session.rehearse()
            for recorded in failures(session):
                simple = shrink_and_check(session, recorded)
                shown += 1
                if fewer_preemptions_suffice(session, simple, executions=3_000) is not False:
                    not_minimal.append(name)
    assert shown >= len(shelf.names("faulty")) - 1  # the random walks may miss one failure
    # In a search, a daemon runs to its first scheduling point before any decision. In a schedule, that counts as a
    # preemption.
    assert not_minimal == ["daemon_dies"]


def test_programs_generated_at_random_shrink_to_minimal_schedules(tmp_path: Path) -> None:
    minimal = not_minimal = 0
    for number in range(24):
        module, notebook = explorer.load(Draw(number).program(), tmp_path, f"shrunk{number}")
        session = Session(
            module.scenario, Threads(Selection(root=str(tmp_path))).install(), setup=notebook.clear, step_limit=5_000
        )
        with session:
            session.rehearse()
            for recorded in failures(session):
                if recorded.outcome.kind == "step-limit":
                    continue
                fewer = fewer_preemptions_suffice(session, shrink_and_check(session, recorded), executions=400)
                minimal += fewer is False
                not_minimal += fewer is True
    assert minimal >= 8  # enough for the next check to be meaningful
    assert minimal >= 0.9 * (minimal + not_minimal)


# -- guarantees --------------------------------------------------------------------------------------------------


def test_the_same_failure_shrinks_to_the_same_schedule() -> None:
    texts = set()
    for _ in range(2):
        with session_for(shrink_scenarios.one_of_many) as session:
            session.rehearse()
            texts |= {str(shrink_and_check(session, recorded).schedule) for recorded in failures(session)}
    assert len(texts) == 1


def test_two_schedules_of_one_failure_shrink_to_the_same_schedule() -> None:
    with session_for(shrink_scenarios.one_of_many) as session:
        session.rehearse()
        texts = {
            str(shrink_and_check(session, session.replay(Schedule.parse(text))).schedule)
            for text in (
                f"T0; T3 until {FILE}:{LINES[4]} write x; T6.",
                f"T0; T5; T4; T2 until {FILE}:{LINES[4]} write x; T6.",
            )
        }
    assert len(texts) == 1


@pytest.mark.parametrize("tries", [0, 1, 7])
def test_shrinking_runs_no_more_executions_than_allowed(tries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with session_for(shrink_scenarios.in_turns) as session:
        session.rehearse()
        (recorded,) = failures(session)
        replay, run = session.replay, []
        monkeypatch.setattr(session, "replay", lambda schedule: run.append(schedule) or replay(schedule))
        simple = shrink(session, recorded, lambda tried: tried.outcome.failed, tries=tries)
        assert len(run) == len(set(run)) == tries
        assert rank(simple) <= rank(recorded)


def test_executions_that_the_predicate_rejects_are_not_used() -> None:
    # The predicate accepts no execution, so the original one is returned.
    with session_for(shrink_scenarios.in_turns) as session:
        session.rehearse()
        (recorded,) = failures(session)
        assert shrink(session, recorded, lambda tried: False, tries=60) is recorded
