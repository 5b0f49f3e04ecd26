"""Shrinking ranks schedules by preemptions, then by threads, then by the length of their text."""

from __future__ import annotations

from raddle.event import Event, Preemption
from raddle.execute.session import Recorded
from raddle.guide.simpler import rank
from raddle.outcome import Outcome
from raddle.schedule import Schedule
from raddle.trace import Trace

TEXT = "T0; T1 until a.py:3 write x; T2."


def recorded(
    text: str = TEXT, *, preemption_count: int = 1, starts: int = 2, with_gil: bool = True, steps: int = 5
) -> Recorded:
    events = [Event("T0", "start", f"T{number}", 0, "a.py", 1) for number in range(starts)]
    events += [Event("T1", "read", "A.x", 1, "a.py", 2)] * (steps - starts)
    preemptions = (Preemption(1, "T1", "a.py:3 write x", with_gil),) * preemption_count
    return Recorded(Outcome("assertion"), Trace(tuple(events)), Schedule.parse(text), preemptions=preemptions)


def test_each_part_of_the_order_outweighs_all_later_parts() -> None:
    # The executions are listed from simplest to least simple. Each is less simple than the previous one in one part of
    # its rank, and at least as simple in all later parts.
    simplest_first = [
        recorded("T0."),
        recorded("T0.", steps=6),
        recorded("T0; T1."),
        recorded("T0; T2."),
        recorded("T0; T10."),
        recorded("T0; T1 until a.py:3 write x."),
        recorded("T0; T1 until a.py:3 write x #2."),
        recorded(TEXT),
        recorded("T0.", starts=3),
        recorded("T0.", preemption_count=2),
        recorded("T0.", preemption_count=1, starts=1, with_gil=False),
    ]
    ranks = [rank(execution) for execution in simplest_first]
    # The last execution needs an interpreter without the GIL. On such an interpreter, `impossible_here` is always
    # False.
    if ranks[-1].impossible_here:
        assert ranks == sorted(ranks)
    else:
        assert ranks[:-1] == sorted(ranks[:-1])
    assert len(set(ranks)) == len(ranks)
