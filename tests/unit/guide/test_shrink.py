"""Failures are shown by their simplest schedules.

What is minimal is told by hand for the programs of `shrunk`, and for others by an exhaustive search with a bound
on preemptions: no execution with fewer of them fails in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import explorer
import pytest
import shelf
import shrunk
from small_programs import Draw

from raddle.execute.session import Recorded, Session
from raddle.execute.thread_installation import Threads
from raddle.guide.shrink import shrink
from raddle.guide.simpler import rank
from raddle.instrument import Selection
from raddle.schedule import Schedule
from raddle.schedulers.exhaustive import Exhaustive
from raddle.schedulers.random_walk import RandomWalk

FILE = "tests/unit/guide/shrunk.py"
LINES = {
    int(found[1]): number
    for number, line in enumerate(Path(shrunk.__file__).read_text().splitlines(), 1)
    if (found := re.search(r"# (\d+): ", line))
}
HERE = Selection(sources=("shrunk",))
WALKS = 30


def failures(session: Session) -> Iterator[Recorded]:
    """Of each failure that chance finds, the execution with the most preemptions."""
    walk = RandomWalk(seed=5)
    found: dict[tuple[str, ...], Recorded] = {}
    for number in range(1, WALKS + 1):
        walk.begin(number, 0)
        known = session.snapshot()
        execution = session.run_for(walk)
        if execution.outcome.failed:
            seen = session.replay(session.replay_decisions(execution.decisions, known).schedule)
            assert seen.divergence is None
            other = found.setdefault(seen.outcome.signature, seen)
            if len(seen.preemptions) > len(other.preemptions):
                found[seen.outcome.signature] = seen
    yield from found.values()


def shrunk_in(session: Session, seen: Recorded, **options: int) -> Recorded:
    """Shrunk, and seen to keep the promises."""
    signature = seen.outcome.signature
    simple = shrink(session, seen, lambda tried: tried.outcome.signature == signature, **options)
    assert rank(simple) <= rank(seen)
    again = session.replay(Schedule.parse(str(simple.schedule)))
    assert again.divergence is None
    assert (again.outcome.signature, again.trace) == (signature, simple.trace)
    return simple


def fewer_exist(session: Session, simple: Recorded, *, executions: int) -> bool | None:
    """Does an execution with fewer preemptions fail in the same way? None if there are too many to try."""
    preemptions = len(simple.preemptions)
    if preemptions == 0:
        return False
    search = Exhaustive(preemptions=preemptions - 1)
    for number in range(1, executions + 1):
        if not search.begin(number, session.known_points.version):
            return False
        known = session.snapshot()
        execution = session.run_for(search)
        if execution.outcome.kind == simple.outcome.kind:
            again = session.replay_decisions(execution.decisions, known)
            possible = rank(again).elsewhere <= rank(simple).elsewhere
            if again.outcome.signature == simple.outcome.signature and possible:
                return True
    return None


def session_for(scenario: Callable[[], object], selection: Selection = HERE) -> Session:
    return Session(scenario, Threads(selection).install(), step_limit=5_000)


# -- by hand ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scenario", "expected"),
    [
        # `write` is stopped between its writes, `read` between its reads: it has to see 1, then 2.
        (
            shrunk.in_turns,
            f"T0; T1 until {FILE}:{LINES[1]} write x; T2 until {FILE}:{LINES[2]} read x; T1.",
        ),
        (shrunk.in_order, "T0; T2."),
        # Read before the other's write, written after it; any round, so the first one.
        (shrunk.in_the_first_round, f"T0; T1 until {FILE}:{LINES[3]} write x; T2."),
        # Five threads could be stopped half way: the first one. The reader is the sixth.
        (shrunk.one_of_many, f"T0; T1 until {FILE}:{LINES[4]} write x; T6."),
        # T0 is stopped once and one thread is started; without a preemption it is past its look before T1 runs.
        (shrunk.started_in_vain, f"T0 until {FILE}:{LINES[5]} read x; T1."),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_by_hand(scenario: Callable[[], object], expected: str) -> None:
    with session_for(scenario) as session:
        session.rehearse()
        (seen,) = failures(session)
        assert str(shrunk_in(session, seen).schedule) == expected


# -- by exhaustive search ------------------------------------------------------------------------------------------


def test_programs_of_the_shelf() -> None:
    not_minimal: list[str] = []
    shown = 0
    for name in shelf.names("faulty"):
        program = shelf.program("faulty", name)
        with session_for(program.scenario, Selection(sources=(program.__name__,))) as session:
            session.rehearse()
            for seen in failures(session):
                simple = shrunk_in(session, seen)
                shown += 1
                if fewer_exist(session, simple, executions=3_000) is not False:
                    not_minimal.append(name)
    assert shown >= len(shelf.names("faulty")) - 1  # chance may miss one
    # A daemon runs to its first point before anything is decided, in a search; in a schedule's text that is a switch.
    assert not_minimal == ["daemon_dies"]


def test_programs_drawn_at_random(tmp_path: Path) -> None:
    minimal = not_minimal = 0
    for number in range(24):
        module, notebook = explorer.load(Draw(number).program(), tmp_path, f"shrunk{number}")
        session = Session(
            module.scenario, Threads(Selection(root=str(tmp_path))).install(), setup=notebook.clear, step_limit=5_000
        )
        with session:
            session.rehearse()
            for seen in failures(session):
                if seen.outcome.kind == "step-limit":
                    continue
                fewer = fewer_exist(session, shrunk_in(session, seen), executions=400)
                minimal += fewer is False
                not_minimal += fewer is True
    assert minimal >= 8  # there was something to shrink
    assert minimal >= 0.9 * (minimal + not_minimal)


# -- promises ----------------------------------------------------------------------------------------------------


def test_the_same_failure_shrinks_to_the_same_schedule() -> None:
    texts = set()
    for _ in range(2):
        with session_for(shrunk.one_of_many) as session:
            session.rehearse()
            texts |= {str(shrunk_in(session, seen).schedule) for seen in failures(session)}
    assert len(texts) == 1


def test_two_ways_to_a_failure_end_in_the_same_schedule() -> None:
    with session_for(shrunk.one_of_many) as session:
        session.rehearse()
        texts = {
            str(shrunk_in(session, session.replay(Schedule.parse(text))).schedule)
            for text in (
                f"T0; T3 until {FILE}:{LINES[4]} write x; T6.",
                f"T0; T5; T4; T2 until {FILE}:{LINES[4]} write x; T6.",
            )
        }
    assert len(texts) == 1


@pytest.mark.parametrize("tries", [0, 1, 7])
def test_no_more_executions_than_allowed(tries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with session_for(shrunk.in_turns) as session:
        session.rehearse()
        (seen,) = failures(session)
        replay, run = session.replay, []
        monkeypatch.setattr(session, "replay", lambda schedule: run.append(schedule) or replay(schedule))
        simple = shrink(session, seen, lambda tried: tried.outcome.failed, tries=tries)
        assert len(run) == len(set(run)) == tries
        assert rank(simple) <= rank(seen)


def test_a_failure_that_does_not_fit_is_not_taken() -> None:
    # Without a preemption the program fails in no way at all; nothing fits, so nothing changes.
    with session_for(shrunk.in_turns) as session:
        session.rehearse()
        (seen,) = failures(session)
        assert shrink(session, seen, lambda tried: False, tries=60) is seen
