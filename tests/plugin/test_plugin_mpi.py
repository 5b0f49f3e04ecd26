"""The marker `raddle_mpi` and the fixture `comm`."""

from __future__ import annotations

import pytest

pytest_plugins = "pytester"


@pytest.fixture
def run_mpi(pytester, monkeypatch):
    """Run pytest on a file with both plugins of raddle, and no others."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(test, *options):
        pytester.makepyfile("import pytest\n" + test)
        return pytester.runpytest_subprocess("-p", "raddle_pytest", "-p", "raddle_pytest_mpi", *options)

    return run


ORDERED = """
@pytest.mark.raddle_mpi(ranks=3)
def test_order(comm):
    if comm.rank == 0:
        assert comm.recv() < comm.recv()
    else:
        comm.send(comm.rank, dest=0)
"""


def test_a_test_passes_if_no_order_of_messages_fails(run_mpi):
    test = """
@pytest.mark.raddle_mpi(ranks=3)
def test_sum(comm, tmp_path):
    assert comm.allreduce(comm.rank) == 3
"""
    run_mpi(test).assert_outcomes(passed=1)


def test_a_failure_is_explained_with_the_command_that_replays_it(run_mpi):
    result = run_mpi(ORDERED)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["assertion in R0: AssertionError*", "*receives a message from R2 (tag 0): 2", "replay: pytest * 'R0; R2.'"]
    )


def test_a_schedule_can_be_replayed(run_mpi):
    # Rank 1 sends first, so the assertion holds.
    run_mpi(ORDERED, "--raddle-replay", "R0; R1.").assert_outcomes(passed=1)
    run_mpi(ORDERED, "--raddle-replay", "R0; R2.").assert_outcomes(failed=1)


def test_a_test_can_be_skipped_in_its_body(run_mpi):
    test = """
@pytest.mark.raddle_mpi(ranks=2)
def test_skipped(comm):
    pytest.skip("not today")
"""
    run_mpi(test).assert_outcomes(skipped=1)


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        ("", "the fixture `comm` needs the marker"),
        ("@pytest.mark.raddle_mpi(4)", "takes only keyword options, not 4"),
        ("@pytest.mark.raddle_mpi(rank=4)", "has no option 'rank'"),
        ("@pytest.mark.raddle_mpi(seed=4)", "needs the number of ranks"),
        ("@pytest.mark.raddle_mpi(ranks=0)", "ranks must be a number from 1"),
    ],
)
def test_a_wrong_marker_is_refused_with_a_sentence(run_mpi, mark, message):
    result = run_mpi(f"{mark}\ndef test_nothing(comm):\n    pass\n")
    assert message in result.stdout.str()
    assert result.ret == 1
