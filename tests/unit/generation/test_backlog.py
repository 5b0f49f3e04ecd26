"""The backlog of bugs whose tests are still to be written."""

from __future__ import annotations

import pytest

from raddle.generation.backlog import FIRST_SECONDS, Backlog


class Clock:
    """A clock that the writing of tests advances."""

    def __init__(self):
        self.now = 0.0
        self.written = []

    def __call__(self):
        return self.now

    def write(self, bug, seconds):
        self.now += 2.0
        self.written.append((bug, seconds))
        if bug == "interrupted":
            raise KeyboardInterrupt


@pytest.fixture
def clock():
    return Clock()


def test_tests_are_written_in_the_order_in_which_the_bugs_were_found(clock):
    backlog = Backlog(clock.write, clock=clock)
    for bug in ("first", "second"):
        backlog.add(bug)
    backlog.write_next(9.0)
    backlog.write_next(7.0)
    assert clock.written == [("first", 9.0), ("second", 7.0)]
    assert not backlog


def test_the_search_may_run_ahead_as_long_as_there_is_time_to_write(clock):
    backlog = Backlog(clock.write, clock=clock)
    backlog.add("first")
    # Nothing has been written yet, so the first test is assumed to take this long.
    assert (backlog.fits(FIRST_SECONDS), backlog.fits(FIRST_SECONDS - 1)) == (True, False)
    backlog.write_next(9.0)
    for bug in ("second", "third", "fourth"):
        backlog.add(bug)
    # The first test took two seconds, so three more probably take six.
    assert backlog.estimate == 6.0
    assert (backlog.fits(6.0), backlog.fits(5.0)) == (True, False)


def test_an_interrupted_test_is_not_written_again(clock):
    backlog = Backlog(clock.write, clock=clock)
    backlog.add("interrupted")
    with pytest.raises(KeyboardInterrupt):
        backlog.write_next(9.0)
    assert not backlog
