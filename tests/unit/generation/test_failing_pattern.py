import pytest

from raddle.entities import AbstractVariable, make_entities
from raddle.generation.eager import Eager, Operation
from raddle.generation.failing_pattern import explaining_pattern, with_failing_access
from raddle.generation.raw_patterns import patterns_in
from raddle.linearizability.history import History
from raddle.linearizability.judgment import Oracle, Violation

ENTITIES = make_entities(variables=[AbstractVariable("log.py:Log", "", "th")])
RACE = ((1, "read", 0, 4), (2, "write", 0, 9), (1, "read", 0, 5))


class FakeHarness:
    def is_worker(self, participant):
        return participant > 0


def fresh():
    scheduler = Eager(seed=1)
    scheduler.begin(1, 0)
    return scheduler


def explain(steps, passed=frozenset(), *, oracle=Oracle.EXCEPTIONS, calls=((0, 0),), scheduler=None):
    violation = Violation(oracle, History(()), calls)
    found = explaining_pattern(FakeHarness(), violation, (tuple(steps), ENTITIES), passed, scheduler or fresh())
    return None if found is None else (found.number, *found.sites)


def test_the_smallest_pattern_that_no_passing_execution_contains():
    assert explain(RACE) == (1, 4, 9)
    # Whole calls: R R W contains (1, 4, 9) and (1, 5, 9), and W R R contains (2, 9, 4) and (2, 9, 5).
    passed = patterns_in([RACE[0], RACE[2], RACE[1]], ENTITIES) | patterns_in([RACE[1], RACE[0], RACE[2]], ENTITIES)
    assert explain(RACE, passed) == (4, 4, 9, 5)


def test_no_pattern_explains_a_failure_that_passing_executions_contain():
    assert explain(RACE, patterns_in(RACE, ENTITIES)) is None


def test_the_steps_of_the_failing_thread_lie_in_its_failing_call():
    first = [(1, "enter", 0, 2), (1, "read", 0, 4), (1, "leave", 0, 3)]
    second = [(1, "enter", 0, 7), (1, "enter", 0, 2), (1, "read", 0, 5), (1, "leave", 0, 3)]  # with a nested call
    steps = [*first, (2, "write", 0, 9), *second]
    assert explain(steps, calls=((0, 1),)) == (2, 9, 5)  # not (1, 4, 9), and not pattern 4
    assert explain(steps, calls=((1, 0),)) == (1, 4, 9)


def test_a_wrong_result_may_be_explained_by_any_threads():
    steps = [*RACE, (3, "write", 0, 10)]
    passed = frozenset(pattern for pattern in patterns_in(steps, ENTITIES) if 10 not in pattern.sites)
    assert explain(steps, passed, oracle=Oracle.RESULTS, calls=()) == (1, 4, 10)
    # If the first call of the second thread fails, its thread must take part: it writes at 9.
    assert explain(steps, passed, calls=((1, 0),)) == (3, 9, 10)


def test_the_access_that_raises_completes_the_pattern():
    # Thread 1 reads the next item (4) and is chosen to read the one after it, which raises: it is recorded once.
    scheduler = fresh()
    scheduler.last[1] = Operation(1, "read", 4)
    scheduler.chosen[scheduler.last[1]] = 2
    steps = ((1, "read", 0, 4), (2, "write", 0, 9), (1, "end", 1, 0))
    passed = patterns_in(steps, ENTITIES) | patterns_in([steps[1], steps[0]], ENTITIES)
    assert explain(steps, passed) is None
    assert explain(steps, passed, scheduler=scheduler) == (4, 4, 9, 4)


@pytest.mark.parametrize(
    ("operation", "times"),
    [(Operation(1, "read", 4), 1), (Operation(1, "acquire", 4), 2), (Operation(1, "read", 77), 1)],
    ids=["it was performed", "it is no access", "its variable is unknown"],
)
def test_no_access_is_added(operation, times):
    scheduler = fresh()
    scheduler.last[1] = operation
    scheduler.chosen[operation] = times
    assert with_failing_access(RACE, scheduler, 1) == RACE
