"""The criteria of Lu et al. on `account.py`: totals by hand, and a search that ends when all of them are covered."""

import pytest
from measured_programs import program

import raddle

# T0 makes the account (a write), starts T1, T2 and T3, joins them, and reads the balance. Each worker reads the balance
# and then writes it. T0's write comes before every start, so it is the initial state; its read comes after all.
TOTALS = {
    # Orders of three times two accesses: 6! / (2! 2! 2!). T0's write is always the first, its read the last.
    "all": 90,
    # Every two workers: C(4, 2) orders of their accesses, three times; T0 with each worker: 1 order, three times. There
    # is one variable, so svar has the same.
    "tpair": 3 * 6 + 3,
    "svar": 3 * 6 + 3,
    # Each worker's read: the initial value, or what one of the two other workers wrote; its own write comes later. T0's
    # read: what one of the three wrote.
    "def-use": 3 * 3 + 3,
    # Each worker's read is local (the initial value) or remote; T0's is remote.
    "lr-def": 3 * 2 + 1,
    # Each worker's pair: nothing between, or one of the four accesses of the two others. T0's write and read: all six
    # accesses of the workers come between, and never nothing.
    "pinv": 3 * 5 + 6,
    # Each worker's pair is unserializable (another one writes in between) or not; T0's always is.
    "lr-inv": 3 * 2 + 1,
}


@pytest.mark.parametrize("criterion", TOTALS)
def test_a_search_ends_when_everything_is_covered(criterion):
    module = program("account")
    result = raddle.explore(
        module.scenario,
        criteria=criterion,
        scheduler="random",
        until="covered",
        executions=5000,
        source=[module.__file__],
    )
    row = result.criteria[criterion]
    assert (row["covered"], row["total"], row["total_kind"]) == (TOTALS[criterion], TOTALS[criterion], "static")
    assert result.stopped_because == "covered"


def test_all_executions_cover_what_is_counted():
    module = program("account")
    result = raddle.explore(
        module.scenario, criteria=[*TOTALS], scheduler="exhaustive", until="exhausted", source=[module.__file__]
    )
    assert {name: (row["total"], row["total_kind"]) for name, row in result.criteria.items()} == {
        name: (total, "exact") for name, total in TOTALS.items()
    }


def test_one_execution_is_not_enough_for_lr_def():
    """The constructor's write is the initial state: in one execution each read is either local or remote."""
    module = program("account")
    for sample in raddle.measure(module.scenario, criteria="lr-def", executions=50, source=[module.__file__]):
        assert len(sample.covered["lr-def"]) == 4
