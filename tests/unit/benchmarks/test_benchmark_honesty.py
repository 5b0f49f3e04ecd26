"""How the benchmarks judge estimates and shrunk schedules."""

import honesty
import shrinking
from honesty import Judged
from shrinking import Shrunk


def judged(truth: int, criterion: str = "map") -> Judged:
    return Judged("program", 1, criterion, 200, 5, (6, 5, 8), truth)


def test_an_interval_includes_its_endpoints() -> None:
    assert [judged(truth).holds for truth in (4, 5, 8, 9)] == [False, True, True, False]


def test_the_share_is_also_given_without_criteria_that_have_nothing_to_cover() -> None:
    text = honesty.text([judged(5), judged(9), Judged("program", 1, "sync", 200, 0, (0, 0, 0), 0)])
    assert "2 of 3 estimates include the truth: 66.7%" in text
    assert "with anything to cover: 1 of 2 estimates include the truth: 50.0%" in text
    assert "missed: program, seed 1, map: 5 covered by 200, estimated 6 (5 to 8), truth 9" in text


def test_a_program_that_can_be_exhausted_is_judged() -> None:
    # Two writes without a lock can happen in only two orders, so the search is soon exhausted and soon saturated.
    found = honesty.judge("reachable_memory.two_boxes", seeds=1)
    assert found
    assert all(estimate.holds for estimate in found)


def test_a_schedule_with_the_fewest_possible_preemptions_is_minimal() -> None:
    assert Shrunk("a", 1, 0, None).minimal is True  # no schedule has fewer than 0 preemptions
    assert Shrunk("a", 1, 1, 1).minimal is True
    assert Shrunk("a", 1, 2, 1).minimal is False
    assert Shrunk("a", 1, 1, None).minimal is None
    assert Shrunk("a", 1, None, 1).minimal is None
    assert shrinking.share([Shrunk("a", 1, 1, 1), Shrunk("a", 2, 2, 1)]) == 0.5


def test_an_exhaustive_search_finds_the_fewest_preemptions() -> None:
    # In `twostage`, the reader must run between the two stages of the writer.
    assert shrinking.fewest("twostage", executions=500) == 1
