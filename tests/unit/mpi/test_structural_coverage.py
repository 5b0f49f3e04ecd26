"""The elements that executions of small programs cover, derived by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import raddle
from raddle.errors import UsageError
from raddle.result import Result

HEAD = "from mpi4py import MPI\ncomm = MPI.COMM_WORLD\nrank = comm.Get_rank()\n"

# Lines matter: see the comments of the tests.
GCD = """\
import sys
from mpi4py import MPI
comm = MPI.COMM_WORLD
def master(x, y, z):
    comm.send([x, y], dest=1)
    comm.send([y, z], dest=2)
    buf = comm.recv()
    x = buf[0]
    buf = comm.recv()
    y = buf[0]
    if x > 1 and y > 1:
        comm.send([x, y], dest=3)
        buf = comm.recv()
        z = buf[0]
    else:
        comm.send([-1, -1], dest=3)
        buf = comm.recv(source=3)
        z = 1
    print(z)
def worker():
    buf = comm.recv(source=0)
    while buf[0] != buf[1]:
        if buf[0] < buf[1]:
            buf[1] = buf[1] - buf[0]
        else:
            buf[0] = buf[0] - buf[1]
    comm.send(buf, dest=0)
if comm.rank == 0:
    master(*map(int, sys.argv[1:]))
else:
    worker()
"""


def measured(folder: Path, text: str, ranks: int, **options: Any) -> Result:
    """Run all SYN-sequences of a program with buffered sends, and measure all criteria."""
    path = folder / "program.py"
    path.write_text(text)
    settings: dict[str, Any] = {"criteria": "messages", "sends": "buffered", **options}
    return raddle.messages.explore(path, ranks=ranks, **settings)


def counts(result: Result) -> dict[str, tuple[int, int]]:
    """Return the number of covered and required elements of each criterion."""
    return {name: (row["covered"], row["static_total"]) for name, row in result.criteria.items()}


def lines(result: Result, criterion: str) -> set[tuple[int, int]]:
    """Return the covered elements of a criterion whose key has two sites, as pairs of lines."""
    assert result.record is not None
    sites = result.record.sites
    keys = result.record.tally.covered[criterion]
    pairs = ([sites[part].line for part in key if isinstance(part, int) and part] for key in keys)
    return {(pair[0], pair[1]) for pair in pairs if len(pair) == 2}


def test_both_sequences_of_gcd_cover_these_elements(tmp_path: Path) -> None:
    # Worker 1 gets (2, 8) and subtracts three times in line 24. Worker 2 gets (8, 4) and subtracts once in line 26.
    # Worker 3 gets (2, 4) or (4, 2), depending on who answers first, and subtracts once in line 24 or line 26.
    found = counts(measured(tmp_path, GCD, 4, argv=("2", "8", "4")))
    # Nodes: the master's entry and 14 statements without the 3 in its else branch; workers 6, 6 and 7 of 7.
    assert found["all-nodes"] == (12 + 6 + 6 + 7, 15 + 3 * 7)
    assert found["all-nodes-s"] == (6, 7)
    assert found["all-nodes-r"] == (6, 7)
    # Sync-edges: 3 to workers; workers 1 and 2 to lines 7 and 9; worker 3 to line 13.
    assert found["all-edges-s"] == (3 + 2 * 2 + 1, 14)
    # Control edges: the master's 7 up to the condition and 4 through the branch; workers 6, 6 and 8 of 8.
    assert found["all-edges"] == (11 + 6 + 6 + 8 + 8, 7 + 4 + 4 + 3 * 8 + 14)
    # c-uses: the master's x and y in lines 8, 10 and 14 and z in line 19; worker 1: line 24 after the receive and after
    # itself; worker 2: line 26; worker 3: lines 24 and 26.
    assert found["all-c-uses"][0] == 4 + 2 + 1 + 2
    # p-uses: the master's condition is true, with x and y. Worker 1: `while` true with 2 definitions, false with 1,
    # `if` true with 2. Worker 2: 3. Worker 3: true, twice false, `if` true and false.
    assert found["all-p-uses"][0] == 2 + 5 + 3 + 5
    # s-uses: two variables on each edge to a worker; worker 1 and 2: one definition on two edges each; worker 3: two.
    assert found["all-s-uses"][0] == 6 + 2 + 2 + 2
    # Followed by a c-use of `buf`: worker 1: line 24, worker 2: line 26, worker 3: both, each with two variables; in
    # the master: each of the 6 s-uses from workers.
    assert found["all-s-c-uses"][0] == 2 * 4 + 6
    # Followed by a p-use: worker 1: while and if, worker 2: the same, worker 3: while, and if with both outcomes.
    assert found["all-s-p-uses"][0] == 2 * (2 + 2 + 3)


def test_the_inputs_of_gcd_together_cover_ten_sync_edges(tmp_path: Path) -> None:
    # Over all inputs, the receive in the else branch and the send before it become reachable; 4 edges stay infeasible:
    # worker 3 never answers lines 7 and 9, workers 1 and 2 never answer line 13.
    found = [lines(measured(tmp_path, GCD, 4, argv=argv), "all-edges-s") for argv in (("2", "8", "4"), ("1", "1", "1"))]
    assert found[0] | found[1] == {(5, 21), (6, 21), (12, 21), (16, 21), (27, 7), (27, 9), (27, 13), (27, 17)}


def test_an_exhausted_search_shows_what_is_infeasible(tmp_path: Path) -> None:
    result = measured(tmp_path, GCD, 4, argv=("2", "8", "4"), sends="both")
    row = result.criteria["all-edges-s"]
    assert (row["covered"], row["total"], row["total_kind"], row["static_total"]) == (8, 8, "exact", 14)


def test_a_random_search_proves_nothing(tmp_path: Path) -> None:
    result = measured(tmp_path, GCD, 4, argv=("2", "8", "4"), approach="random", executions=5)
    assert result.criteria["all-edges-s"]["total_kind"] == "static"


@pytest.mark.parametrize("approach", ["portfolio", "pos", "surw", "pct", "exhaustive"])
def test_every_approach_is_measured(approach: str, tmp_path: Path) -> None:
    result = measured(tmp_path, GCD, 4, argv=("2", "8", "4"), approach=approach, executions=20)
    assert result.criteria["all-edges-s"]["covered"] in (6, 8)  # one sequence or both


def test_coverage_of_several_runs_is_added(tmp_path: Path) -> None:
    file = tmp_path / "coverage.db"
    for argv in (("2", "8", "4"), ("1", "1", "1")):
        result = measured(tmp_path, GCD, 4, argv=argv, data_file=file, criteria=None)
    assert result.executions
    contents = raddle.store.read(file)
    assert len(contents.tally.covered["all-edges-s"]) == 10
    assert len(contents.model.graphs) == 1


def test_the_first_run_of_figure_3_covers_six_sync_edges(tmp_path: Path) -> None:
    # The published example: with 2, 8 and 4, the first run covers 6 of 12 sync-edges. Both sequences cover the 8 edges
    # of Table I. The other four, from slaves to receives that they never reach, are infeasible.
    text = (
        "import sys\nfrom mpi4py import MPI\ncomm = MPI.COMM_WORLD\n"
        "def master(x, y, z):\n"
        "    comm.send((x, y), dest=1)\n"
        "    comm.send((y, z), dest=2)\n"
        "    x = comm.recv()\n"
        "    y = comm.recv()\n"
        "    if x > 1 and y > 1:\n"
        "        comm.send((x, y), dest=3)\n"
        "        z = comm.recv()\n"
        "    else:\n"
        "        z = 1\n"
        "def slave():\n"
        "    x, y = comm.recv(source=0)\n"
        "    while x != y:\n"
        "        if x < y:\n"
        "            y = y - x\n"
        "        else:\n"
        "            x = x - y\n"
        "    comm.send(x, dest=0)\n"
        "if comm.rank == 0:\n    master(*map(int, sys.argv[1:]))\nelse:\n    slave()\n"
    )
    first = counts(measured(tmp_path, text, 4, argv=("2", "8", "4"), executions=1))
    assert first["all-edges-s"] == (6, 12)
    row = measured(tmp_path, text, 4, argv=("2", "8", "4")).criteria["all-edges-s"]
    assert (row["covered"], row["total"], row["total_kind"], row["static_total"]) == (8, 8, "exact", 12)


def test_functions_and_recursion(tmp_path: Path) -> None:
    text = HEAD + (
        "def down(n):\n"
        "    if n:\n"
        "        down(n - 1)\n"
        "    return n\n"
        "def main():\n"
        "    for i in range(2):\n"
        "        x = down(i)\n"
        "    return x\n"
        "main()\n"
    )
    found = measured(tmp_path, text, 1, roles="main(0)")
    # down: 4-5, 5-6 (true), 5-7 (false), 6-7; main: 8-9, 9-10 (true), 10-9, 9-11 (false)
    expected = {(4, 5), (5, 6), (5, 7), (6, 7), (8, 9), (9, 10), (10, 9), (9, 11)}
    assert lines(found, "all-edges") == expected
    assert counts(found)["all-edges"] == (8, 8)
    # n in 5 is a p-use; n in 6 and 7 as the entry defines it, or as the loop defined i, which main passes by name; i in
    # the call as the loop defines it; x in the return
    assert lines(found, "all-c-uses") == {(4, 6), (4, 7), (9, 6), (9, 7), (9, 10), (10, 11)}


def test_exceptions_leave_functions(tmp_path: Path) -> None:
    text = HEAD + (
        "def fail(n):\n"
        "    raise ValueError(n)\n"
        "def main():\n"
        "    x = 1\n"
        "    try:\n"
        "        fail(x)\n"
        "        x = 2\n"
        "    except ValueError:\n"
        "        x = x + 1\n"
        "    return x\n"
        "main()\n"
    )
    found = measured(tmp_path, text, 1, roles="main(0)")
    assert lines(found, "all-edges") == {(4, 5), (6, 7), (7, 9), (11, 12), (12, 13)}
    # The argument x of line 7 is also a use in line 5, under the name n of the parameter.
    assert lines(found, "all-c-uses") == {(4, 5), (7, 5), (7, 9), (7, 12), (12, 13)}


def test_arguments_carry_definitions_into_messages(tmp_path: Path) -> None:
    text = HEAD + (
        "def deliver(data):\n    comm.send(data, dest=1)\n"
        "def a():\n    value = 3\n    deliver(value)\n"
        "def b():\n    got = comm.recv(source=0)\n    print(got)\n"
        "if rank == 0:\n    a()\nelse:\n    b()\n"
    )
    found = counts(measured(tmp_path, text, 2))
    assert (found["all-s-uses"], found["all-s-c-uses"]) == ((2, 2), (2, 2))


def test_nonblocking_calls_match_where_they_are_posted(tmp_path: Path) -> None:
    text = HEAD + (
        "if rank == 0:\n"
        "    first = comm.irecv(source=1)\n"
        "    second = comm.irecv(source=2)\n"
        "    second.wait()\n"
        "    first.wait()\n"
        "else:\n"
        "    comm.isend(rank, dest=0).wait()\n"
    )
    assert lines(measured(tmp_path, text, 3), "all-edges-s") == {(10, 5), (10, 6)}


def test_collective_calls_transfer_data(tmp_path: Path) -> None:
    text = HEAD + "x = comm.bcast(rank)\ncomm.barrier()\ny = comm.gather(x)\nz = comm.allreduce(x)\n"
    found = counts(measured(tmp_path, text, 3))
    # From rank 0 to 2 others, from 2 others to rank 0, and between all 3*2 pairs
    assert found["all-edges-s"] == (2 + 2 + 6, 2 + 2 + 6)
    # The variable `rank` reaches line 4, and x lines 6 and 7.
    assert found["all-s-uses"] == (10, 10)


def test_iterations_are_distinguished(tmp_path: Path) -> None:
    text = HEAD + (
        "def gather():\n    for _ in range(2):\n        comm.recv()\n"
        "def give():\n    comm.send(rank, dest=0)\n"
        "if rank == 0:\n    gather()\nelse:\n    give()\n"
    )
    found = counts(measured(tmp_path, text, 3))
    # Each of two senders, once, to the first and to the second run of the receive: 2 sequences
    assert found["all-edges-s*"] == (4, 4)
    assert counts(measured(tmp_path, text, 3, iterations=1))["all-edges-s*"] == (2, 2)


def test_a_long_path_is_followed_in_parts(tmp_path: Path) -> None:
    text = HEAD + (
        "def a():\n    n = 0\n    while n < 15000:\n        n = n + 1\n    comm.send(n, dest=1)\n"
        "def b():\n    comm.recv(source=0)\n"
        "if rank == 0:\n    a()\nelse:\n    b()\n"
    )
    found = measured(tmp_path, text, 2)
    assert lines(found, "all-c-uses") == {(5, 7), (7, 7)}
    assert lines(found, "all-edges") >= {(4, 5), (5, 6), (6, 7), (7, 6), (6, 8), (8, 10)}
    assert counts(found)["all-s-uses"][0] == 1  # the loop always runs


def test_probes_keep_line_numbers_and_results(tmp_path: Path) -> None:
    text = '"""Docstring."""\nfrom __future__ import annotations\n' + HEAD + "assert __doc__\nif True:\n    x = 1 / 0\n"
    (finding,) = measured(tmp_path, text, 1).findings
    assert finding.place is not None
    assert finding.place.line == 8


def test_criteria_of_threads_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="map is about threads"):
        measured(tmp_path, HEAD, 1, criteria="map")
    with pytest.raises(UsageError, match="only be measured for a program in a file"):
        raddle.messages.explore(lambda comm: None, ranks=1, criteria="all-nodes")
