"""Each scenario, with plain threads, ends as a correct execution can."""

import pytest
from contestants import plain
from scenarios import SCENARIOS, outcomes


@pytest.mark.parametrize("name", SCENARIOS)
def test_ends_as_it_can(name: str) -> None:
    outcomes.clear()
    plain(SCENARIOS[name], 20, 1)
    assert len(outcomes) == 20
    assert set(outcomes) <= set(SCENARIOS[name].possible)


@pytest.mark.parametrize("name", ["rmw1", "rmw10", "lock1", "lock10"])  # in the others each waits
def test_one_after_the_other_loses_nothing(name: str) -> None:
    state = SCENARIOS[name].state()
    state.first()
    state.second()
    assert state.outcome() == max(SCENARIOS[name].possible)
