"""When run with plain threads, each benchmark scenario ends with one of its possible outcomes."""

import pytest
from contestants import plain
from scenarios import SCENARIOS, outcomes


@pytest.mark.parametrize("name", SCENARIOS)
def test_plain_threads_have_a_possible_outcome(name: str) -> None:
    outcomes.clear()
    plain(SCENARIOS[name], 20, 1)
    assert len(outcomes) == 20
    assert set(outcomes) <= set(SCENARIOS[name].possible)


# In the other scenarios the threads wait for each other, so they cannot run one after the other.
@pytest.mark.parametrize("name", ["rmw1", "rmw10", "lock1", "lock10"])
def test_sequential_execution_loses_no_update(name: str) -> None:
    state = SCENARIOS[name].state()
    state.first()
    state.second()
    assert state.outcome() == max(SCENARIOS[name].possible)
