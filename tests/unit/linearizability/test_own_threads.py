"""Exceptions that end threads which the class under test has started."""

import pytest
from checking import checker
from shared_objects import Browser, Hopeless, LowLevel, Poller

import raddle
from raddle.linearizability.judgment import Oracle


@pytest.mark.parametrize("cls", [Browser, LowLevel])
def test_an_exception_in_a_thread_of_the_class_is_a_violation(cls):
    # In whole calls, the thread begins after the constructor. A preemption in the constructor lets it begin earlier.
    with checker(cls, [cls.count], [cls.count]) as check:
        failure = check.search(preemptions=1).failure
        assert (failure.violation.oracle, failure.violation.calls) == (Oracle.EXCEPTIONS, ())
        assert failure.violation.exception == "AttributeError"
        assert isinstance(failure.error, AttributeError)
        assert check.confirmed(failure)


def test_an_exception_that_ends_the_thread_in_every_order_is_legal():
    # If the thread begins before the constructor has assigned `reads`, it ends with an AttributeError instead.
    with checker(Hopeless, [Hopeless.count], [Hopeless.count]) as check:
        assert {history.escaped for history in check.legal().histories} == {("ValueError",)}
        assert check.search(preemptions=0).failure is None
        assert check.search(preemptions=1).failure.violation.exception == "AttributeError"


def test_the_message_shows_the_exception_with_its_traceback():
    with pytest.raises(raddle.errors.FindingError) as caught:
        raddle.linearizable(Browser, [lambda browser: browser.count()], [lambda browser: browser.count()])
    message = str(caught.value)
    assert "a thread that the calls start raised AttributeError, which it does in no order of whole calls" in message
    assert "; a thread that they start raises AttributeError" in message
    assert "in run\n    for handler in self.handlers:" in message


def test_threads_that_poll_do_not_make_the_orders_of_calls_too_many():
    # Three threads that each poll twice, and two calls, have 8! / (2! 2! 2!) = 5040 orders. If the threads poll only
    # when no call can continue, there are few.
    with checker(Poller, [Poller.stop], [Poller.stop]) as check:
        assert check.search(preemptions=1).failure is None
        assert len(check.legal().histories) == 1
