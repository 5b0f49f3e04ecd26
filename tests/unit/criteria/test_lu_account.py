"""The criteria of Lu et al. on `account.py`: totals derived by hand, and searches that reach these totals."""

import pytest
from measured_programs import program

import raddle

# T0 creates the account (a write), starts T1, T2 and T3, joins them, and reads the balance. Each worker reads the
# balance and then writes it. T0's write precedes every start, so it is part of the initial state. T0's read follows
# every join.
TOTALS = {
    # The accesses of three workers, two each, can interleave in 6! / (2! 2! 2!) orders. T0's write always comes first
    # and its read last.
    "all": 90,
    # The accesses of two workers can interleave in C(4, 2) orders, and there are three pairs of workers. The accesses
    # of T0 and a worker can come in only one order. There is only one variable, so `svar` has the same total.
    "tpair": 3 * 6 + 3,
    "svar": 3 * 6 + 3,
    # Each worker reads the initial value or the value written by one of the two other workers. Its own write comes
    # later. T0 reads the value written by one of the three workers.
    "def-use": 3 * 3 + 3,
    # Each worker's read is local (the initial value) or remote; T0's is remote.
    "lr-def": 3 * 2 + 1,
    # Each worker's pair gives five requirements: nothing in between, or one of the other two workers' four accesses.
    # T0's pair always has the workers' six accesses in between, so it gives six requirements.
    "pinv": 3 * 5 + 6,
    # Each worker's pair is unserializable (another worker writes in between) or serializable. T0's pair is
    # unserializable.
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


def test_an_exhaustive_search_finds_the_same_totals():
    module = program("account")
    result = raddle.explore(
        module.scenario, criteria=[*TOTALS], scheduler="exhaustive", until="exhausted", source=[module.__file__]
    )
    assert {name: (row["total"], row["total_kind"]) for name, row in result.criteria.items()} == {
        name: (total, "exact") for name, total in TOTALS.items()
    }


def test_one_execution_is_not_enough_for_lr_def():
    """The constructor's write is part of the initial state, so in one execution each read is either local or remote."""
    module = program("account")
    for sample in raddle.measure(module.scenario, criteria="lr-def", executions=50, source=[module.__file__]):
        assert len(sample.covered["lr-def"]) == 4
