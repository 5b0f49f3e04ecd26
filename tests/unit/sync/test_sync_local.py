"""`threading.local`: each participant has its own values, although all run in one OS thread."""

from __future__ import annotations

import threading

import early
import pytest
from controlled import controlled, controlled_with_seeds, result_of

import raddle


def _in_a_thread(function):
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


def test_each_thread_has_its_own_values():
    def scenario():
        mine = threading.local()
        mine.value = "main"

        def use():
            seen = hasattr(mine, "value")
            mine.value = "thread"
            return seen, mine.value

        return _in_a_thread(use), _in_a_thread(use), mine.value

    assert controlled(scenario) == scenario() == ((False, "thread"), (False, "thread"), "main")


def test_values_of_threads_do_not_mix_in_any_schedule():
    def scenario():
        mine, seen = threading.local(), []

        def work(name):
            mine.name = name
            threading.Event().wait(1)
            seen.append((name, mine.name))

        threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sorted(seen)

    assert all(seen == [("a", "a"), ("b", "b"), ("c", "c")] for seen in controlled_with_seeds(scenario))


def test_a_subclass_is_initialized_in_each_thread_with_the_original_arguments():
    def scenario():
        class Account(threading.local):
            def __init__(self, balance, *, currency):
                self.balance = balance
                self.currency = currency

        account = Account(7, currency="EUR")
        account.balance += 1
        return _in_a_thread(lambda: (account.balance, account.currency)), account.balance

    assert controlled(scenario) == scenario() == ((7, "EUR"), 8)


def test_a_missing_attribute_raises_the_same_error_as_on_a_real_local():
    def scenario():
        return result_of(lambda: threading.local().missing)

    assert controlled(scenario) == scenario()


def test_a_local_from_an_ended_execution_works_with_real_threads():
    escaped = []
    controlled(lambda: escaped.append(threading.local()))
    (mine,) = escaped
    mine.value = 1
    assert _in_a_thread(lambda: hasattr(mine, "value")) is False
    assert mine.value == 1


@pytest.mark.parametrize("scenario", [early.plain_local, early.initialized_local, early.local_with_arguments])
def test_a_local_created_earlier_is_controlled_in_instrumented_code(scenario):
    assert raddle.check(scenario, executions=10, source=["early"]).outcome == "passed"
