"""How estimates and shrunk schedules are judged."""

import honesty
import shrinking
from honesty import Judged
from shrinking import Shrunk


def judged(truth: int, criterion: str = "map") -> Judged:
    return Judged("program", 1, criterion, 200, 5, (6, 5, 8), truth)


def test_an_interval_holds_its_ends() -> None:
    assert [judged(truth).holds for truth in (4, 5, 8, 9)] == [False, True, True, False]


def test_the_share_is_told_also_without_what_there_is_nothing_to_cover_of() -> None:
    text = honesty.text([judged(5), judged(9), Judged("program", 1, "sync", 200, 0, (0, 0, 0), 0)])
    assert "2 of 3 estimates include the truth: 66.7%" in text
    assert "with anything to cover: 1 of 2 estimates include the truth: 50.0%" in text
    assert "missed: program, seed 1, map: 5 covered by 200, estimated 6 (5 to 8), truth 9" in text


def test_a_program_whose_orders_are_known_is_judged() -> None:
    # Two writes without a lock: two orders, so it is soon exhausted, and soon saturated.
    found = honesty.judge("reachable_memory.two_boxes", seeds=1)
    assert found
    assert all(one.holds for one in found)


def test_as_few_preemptions_as_are_possible() -> None:
    assert Shrunk("a", 1, 0, None).minimal is True  # whatever the fewest are
    assert Shrunk("a", 1, 1, 1).minimal is True
    assert Shrunk("a", 1, 2, 1).minimal is False
    assert Shrunk("a", 1, 1, None).minimal is None
    assert Shrunk("a", 1, None, 1).minimal is None
    assert shrinking.share([Shrunk("a", 1, 1, 1), Shrunk("a", 2, 2, 1)]) == 0.5


def test_the_fewest_come_from_every_schedule_within_a_bound() -> None:
    # twostage: the reader must come between the two stages of the writer.
    assert shrinking.fewest("twostage", executions=500) == 1
