from __future__ import annotations

import math

import pytest
from checking import checker
from shared_objects import Counter

from raddle.linearizability.legal import find_legal


def names(*lengths):
    """Return threads whose calls append their names to a list, and a list of the orders seen so far."""
    seen = []

    def setup():
        seen.append([])
        return seen[-1]

    threads = [
        [lambda order, name=(thread, index): order.append(name) for index in range(length)]
        for thread, length in enumerate(lengths)
    ]
    return setup, threads, seen


@pytest.mark.parametrize("lengths", [(1, 1), (2, 1), (2, 2), (1, 1, 1), (3, 2)])
def test_every_order_is_run_once_except_the_first(lengths):
    setup, threads, seen = names(*lengths)
    with checker(setup, *threads) as check:
        executions = find_legal(check.session, check.harness).executions
    orders = math.factorial(sum(lengths)) // math.prod(map(math.factorial, lengths))
    assert executions == orders + 1  # the first order runs twice, to find results that differ
    assert len({tuple(order) for order in seen}) == orders
    assert seen[0] == seen[1]


def test_calls_are_never_interleaved():
    with checker(Counter, [Counter.increment] * 2, [Counter.increment] * 2) as check:
        results = [
            sorted(ending.value for thread in history.threads for ending in thread)
            for history in check.legal().histories
        ]
    assert results == [[1, 2, 3, 4]] * 6
