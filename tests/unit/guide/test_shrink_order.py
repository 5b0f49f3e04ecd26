"""The one order: preemptions, then threads, then the length of the text."""

from __future__ import annotations

from raddle.event import Event, Preemption
from raddle.execute.session import Recorded
from raddle.guide.simpler import rank
from raddle.outcome import Outcome
from raddle.schedule import Schedule
from raddle.trace import Trace

TEXT = "T0; T1 until a.py:3 write x; T2."


def seen(text: str = TEXT, *, stops: int = 1, starts: int = 2, with_gil: bool = True, steps: int = 5) -> Recorded:
    events = [Event("T0", "start", f"T{number}", 0, "a.py", 1) for number in range(starts)]
    events += [Event("T1", "read", "A.x", 1, "a.py", 2)] * (steps - starts)
    preemptions = (Preemption(1, "T1", "a.py:3 write x", with_gil),) * stops
    return Recorded(Outcome("assertion"), Trace(tuple(events)), Schedule.parse(text), preemptions=preemptions)


def test_each_part_of_the_order_counts_for_more_than_all_after_it() -> None:
    # From simple to not so simple: each differs from the one before in one part, while all parts after that
    # one are as simple as they were, or simpler.
    falling = [
        seen("T0."),
        seen("T0.", steps=6),
        seen("T0; T1."),
        seen("T0; T2."),
        seen("T0; T10."),
        seen("T0; T1 until a.py:3 write x."),
        seen("T0; T1 until a.py:3 write x #2."),
        seen(TEXT),
        seen("T0.", starts=3),
        seen("T0.", stops=2),
        seen("T0.", stops=1, starts=1, with_gil=False),
    ]
    ranks = [rank(one) for one in falling]
    # What this interpreter cannot do is no difference on one without the GIL: then preemptions decide.
    if ranks[-1].elsewhere:
        assert ranks == sorted(ranks)
    else:
        assert ranks[:-1] == sorted(ranks[:-1])
    assert len(set(ranks)) == len(ranks)
