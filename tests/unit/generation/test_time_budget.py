import pytest

from raddle.generation.time_budget import TimeBudget


class Clock:
    """A clock that the test sets."""

    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_a_single_class_has_all_of_the_time(clock):
    budget = TimeBudget(60, classes=1, clock=clock)
    clock.now += 7  # instrumenting does not count
    assert budget.share(0) == 60
    assert budget.for_test(0, 10.0) == 15  # 5 seconds longer than the search
    assert budget.for_test(0, 0.0) == 5
    assert budget.for_test(0, -3.0) == 2  # 3 of these seconds have passed since the search ended


def test_the_rest_of_the_time_is_divided_among_the_rest_of_the_classes(clock):
    budget = TimeBudget(60, classes=3, clock=clock)
    assert budget.share(0) == 20
    clock.now += 10  # the first class needed only half of its time
    assert budget.share(1) == 25
    clock.now += 40
    assert budget.share(2) == 10


def test_a_class_gets_at_least_a_second_or_is_not_searched(clock):
    budget = TimeBudget(5, classes=10, clock=clock)
    assert budget.share(0) == 1  # not 0.5
    clock.now += 3.5
    assert budget.share(1) == 1
    clock.now += 0.75
    assert budget.share(2) == 0  # 0.75 s are left


def test_the_first_class_is_searched_even_if_the_limit_is_short(clock):
    assert TimeBudget(0.5, classes=2, clock=clock).share(0) == 0.5


def test_a_test_may_use_time_that_other_classes_can_spare(clock):
    budget = TimeBudget(60, classes=3, clock=clock)
    clock.now += 20
    # 60 s, of which 20 are gone and 2 are needed by the other classes; at most 20 are given.
    assert budget.for_test(0, 0.0) == 20
    clock.now += 25
    assert budget.for_test(0, 0.0) == 13


def test_the_limit_for_tests_holds_for_all_classes_together(clock):
    budget = TimeBudget(5, classes=10, clock=clock)
    clock.now += 4
    assert budget.for_test(0, 0.0) == 5
    clock.now += 3  # 7 of 5 + 5 s
    assert budget.for_test(3, 0.0) == 3
    clock.now += 10
    assert budget.for_test(9, 1.0) == 0


def test_time_that_is_suspended_does_not_count(clock):
    budget = TimeBudget(60, classes=2, clock=clock)
    with budget.suspended():
        clock.now += 100
    assert budget.share(1) == 60


def test_without_a_limit_a_test_still_has_one(clock):
    budget = TimeBudget(float("inf"), classes=2, clock=clock)
    assert budget.share(0) == float("inf")
    assert budget.for_test(0, 3.0) == 20
