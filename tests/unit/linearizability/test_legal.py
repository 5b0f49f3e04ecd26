from __future__ import annotations

import itertools
import random

import pytest
from checking import checker, values
from shared_objects import Box, LockedCounter, Stack

from raddle.linearizability.history import EndingKind
from raddle.linearizability.legal import UnusableTestError


class Machine:
    """A small object with random behavior: in each state, each operation returns or raises something."""

    def __init__(self, table):
        self.table = table
        self.state = 0

    def do(self, operation):
        self.state, result = self.table[self.state, operation]
        if result is None:
            raise LookupError
        return result


def random_table(generator, states=3, operations=3):
    return {
        (state, operation): (generator.randrange(states), generator.choice([1, 2, None]))
        for state in range(states)
        for operation in range(operations)
    }


def brute_force(table, threads):
    """Return the outcomes of all merges of the threads' operations. A thread ends with its first exception."""
    found = set()
    owners = [number for number, operations in enumerate(threads) for _ in operations]
    for order in set(itertools.permutations(owners)):
        machine = Machine(table)
        results = [[] for _ in threads]
        for number in order:
            if results[number] and results[number][-1] == "LookupError":
                continue
            try:
                results[number].append(machine.do(threads[number][len(results[number])]))
            except LookupError:
                results[number].append("LookupError")
        for number, operations in enumerate(threads):
            results[number] += ["not made"] * (len(operations) - len(results[number]))
        found.add((tuple(map(tuple, results)), machine.state))
    return found


def call(operation):
    return lambda machine: machine.do(operation)


@pytest.mark.parametrize("seed", range(12))
def test_the_legal_histories_are_those_of_all_merges(seed):
    generator = random.Random(seed)
    table = random_table(generator)
    threads = [[generator.randrange(3) for _ in range(generator.randint(1, 2))] for _ in range(generator.randint(2, 3))]
    calls = [[call(operation) for operation in operations] for operations in threads]
    with checker(lambda: Machine(table), *calls, observe=[lambda machine: machine.state]) as check:
        found = {(values(history), history.observed[0].value) for history in check.legal().histories}
    assert found == brute_force(table, threads)


def test_histories_are_distinct():
    # Both orders leave two items and return None.
    with checker(Stack, [lambda s: s.push(1)], [lambda s: s.push(1)]) as check:
        assert len(check.legal().histories) == 1


def test_a_call_that_blocks_is_continued_later():
    # take() before put() waits, so there is one outcome.
    with checker(Box, [lambda box: box.take()], [lambda box: box.put(1)]) as check:
        assert list(map(values, check.legal().histories)) == [((1,), ("returned",))]


def test_a_call_that_nothing_continues_is_pending():
    # One of the two calls gets the value, and the other one waits forever.
    with checker(Box, [lambda box: box.take()], [lambda box: box.take()], [lambda box: box.put(1)]) as check:
        pending = {history.pending for history in check.legal().histories}
    assert pending == {frozenset({(0, 0)}), frozenset({(1, 0)})}


def test_nothing_is_recorded_while_an_execution_is_aborted():
    # When the wait is aborted, `with` raises a RuntimeError, which take_quietly() turns into a result.
    with checker(Box, [lambda box: box.take_quietly()], [lambda box: box.values]) as check:
        kinds = {history.threads[0][0].kind for history in check.legal().histories}
    assert kinds == {EndingKind.PENDING}


def test_results_that_differ_between_executions_are_left_out():
    numbers = itertools.count()
    with checker(Stack, [lambda s: next(numbers)], [lambda s: s.size()]) as check:
        legal = check.legal()
    assert legal.volatile == {(0, 0)}
    assert [history.threads[0][0].value for history in legal.histories] == [None]


def test_a_call_whose_results_differ_keeps_its_exceptions():
    # The first call returns another number in each execution, or raises if the second call comes first.
    numbers = itertools.count()

    def take(stack):
        stack.items.pop()
        return next(numbers)

    with checker(lambda: Stack(1), [take], [lambda s: s.pop()]) as check:
        legal = check.legal()
    assert legal.volatile == {(0, 0)}
    assert {history.threads[0][0].value for history in legal.histories} == {None, "IndexError"}


def test_timed_waits_may_expire_at_any_time():
    def wait(counter):
        return counter.lock.acquire(timeout=1)

    # If the timeout of the second call expires early, it returns False although the first could have released.
    def hold(counter):
        with counter.lock:
            counter.value += 1

    with checker(LockedCounter, [hold], [wait]) as check:
        results = {history.threads[1][0].value for history in check.legal().histories}
    assert True in results


def test_a_setup_that_raises_is_an_error():
    with checker(lambda: 1 / 0, [len]) as check, pytest.raises(UnusableTestError, match="division by zero") as caught:
        check.legal()
    assert caught.value.slug == "setup-raises"


def test_too_many_orders_are_an_error():
    push = [lambda s: s.push(1)] * 4  # 12! / 4!**3 = 34,650 orders
    with checker(Stack, push, push, push) as check, pytest.raises(UnusableTestError) as caught:
        check.legal()
    assert caught.value.slug == "too-many-orders"
