"""The numbers of required elements, derived by hand, and compared with the paper and with ValiMPI's output.

ValiMPI's own reports give sync-edges and s-uses of gcd (4 processes) and of the philosophers (6 processes), required
and eliminated, and the other criteria for all nodes, edges, c-uses and p-uses.
"""

from __future__ import annotations

from golden import FIGURE_3, GCD, PHILOSOPHERS, counts, graph, raw_s_uses

from raddle.pcfg.graph import Pcfg, SyncEdge
from raddle.pcfg.matching import Side


def eliminated(pcfg: Pcfg) -> list[SyncEdge]:
    return [pair for pair, _ in pcfg.eliminated]


def test_gcd_has_the_sync_edges_that_valimpi_counts() -> None:
    # The master has 4 sends and 4 receives, each of 3 workers 1 and 1. Raw pairs: 4*3 from the master, 3*4 to the
    # master, 3*2 between workers: 30. Every send of the master names one worker (4 remain). The workers name rank 0,
    # which removes the 6 pairs between workers. Three receives of the master accept any source (3*3 remain); the last
    # one names rank 3 (1 remains). 4 + 9 + 1 = 14.
    pcfg = graph(GCD, 4)
    assert len(list(pcfg.raw_pairs())) == 30
    assert len(pcfg.sync_edges) == 14
    sides = [reason.side for _, reason in pcfg.eliminated]
    # 8 pairs of the master's sends and 6 between workers name another destination; 2 name another source.
    assert (sides.count(Side.SEND), sides.count(Side.RECEIVE)) == (14, 2)


def test_gcd_has_the_s_uses_that_valimpi_counts() -> None:
    # Storing an element defines the whole buffer, so each send of the master sees one definition. The send of a worker
    # sees three: the receive and both subtractions. 4*1 + 10*3 = 34. Eliminated: 8*1 + 2*3 + 6*3 = 32.
    pcfg = graph(GCD, 4)
    assert counts(pcfg)["all-s-uses"] == 34
    assert raw_s_uses(pcfg, eliminated(pcfg)) == 32


def test_gcd_has_the_c_uses_and_p_uses_that_valimpi_counts() -> None:
    # Master, c-uses: x, y, y, z in the first four stores; buf in x = buf[0] and y = buf[0]; x, y in the stores of the
    # if branch; buf in z = buf[0]; z in print, with two definitions: 4 + 2 + 2 + 1 + 2 = 11. The sends are no c-uses.
    # Worker: buf in each subtraction, with three definitions (receive, both subtractions): 6. 11 + 3*6 = 29.
    # Master, p-uses: x and y with one definition each, on two edges: 4. Worker: buf in while and if, with three
    # definitions, on two edges: 12. 4 + 3*12 = 40.
    found = counts(graph(GCD, 4))
    assert (found["all-c-uses"], found["all-p-uses"]) == (29, 40)


def test_gcd_has_these_uses_of_messages() -> None:
    # All messages arrive in `buf`. A c-use follows in the receiver: worker: both subtractions; master: one assignment
    # for each of the three first receives, none for the one in the else branch.
    # s-uses to workers: 4 (the master's two sends to worker 3 included), each with 2 c-uses: 8. s-uses from workers
    # to the first three receives: 3 receives * 3 workers * 3 definitions = 27, each with 1 c-use: 27. Sum 35.
    # p-uses: worker: while and if, two outcomes each: 4 * 4 = 16. The master decides with x and y only.
    found = counts(graph(GCD, 4))
    assert (found["all-s-c-uses"], found["all-s-p-uses"]) == (35, 16)


def test_nodes_and_edges_of_gcd_differ_from_valimpi() -> None:
    # ValiMPI reports 62 nodes (26 + 3*12) and 25 edges, 11 of them control edges. Its nodes are those of C code with
    # initializations, which is not published. It counts only those control edges that no other edge implies; even the
    # two conditions of three workers and the one of the master have (2+2)*3 + 2 = 14 outcomes.
    # Ours: the master has an entry, 12 statements up to and including the condition, 5 in each branch, and the print.
    # A worker has an entry and 6 statements: 24 + 3*7 = 45.
    # Control edges of the master: 12 up to the condition, and 6 through each branch to the print. Those of a worker:
    # entry-recv, recv-while, while-if, while-send, if-store and store-while in both branches: 8. 24 + 3*8 = 48.
    found = counts(graph(GCD, 4))
    assert found["all-nodes"] == 45
    assert found["all-edges"] - found["all-edges-s"] == 48
    assert (found["all-nodes-s"], found["all-nodes-r"]) == (4 + 3, 4 + 3)


def test_philosophers_have_the_elements_that_valimpi_counts() -> None:
    # ValiMPI's numbers determine the layout. A waiter with s sends and r receives and five philosophers with a sends
    # and b receives have s + 5a = 36 sends, r + 5b = 11 receives, and 36*11 - (s*r + 5*a*b) = 325 raw pairs. The only
    # solution with a sender in the waiter is s = r = 1, a = 7, b = 2. All sends of philosophers name rank 0: 5*7*1
    # remain, and 1*5*2 of the waiter, which computes the destination: 45. Between philosophers: 5*4*7*2 = 280.
    # The answer of the waiter has two definitions, everything else one: 35*1 + 10*2 = 55, eliminated 280*1.
    pcfg = graph(PHILOSOPHERS, 6)
    found = counts(pcfg)
    assert (found["all-nodes-s"], found["all-nodes-r"]) == (36, 11)
    assert len(list(pcfg.raw_pairs())) == 325
    assert (found["all-edges-s"], len(pcfg.eliminated)) == (45, 280)
    assert (found["all-s-uses"], raw_s_uses(pcfg, eliminated(pcfg))) == (55, 280)


def test_figure_3_has_twelve_sync_edges() -> None:
    # Three sends of the master with literal destinations, and 3 slaves * 3 receives from any source.
    pcfg = graph(FIGURE_3, 4)
    assert len(pcfg.sync_edges) == 3 + 3 * 3


def test_figure_3_has_sixteen_s_uses_on_the_edges_of_table_1() -> None:
    # Table I lists 8 sync-edges: (2m,20) (3m,21) (7m,22) (80,4m) (80,5m) (81,4m) (81,5m) (82,8m). Each send of the
    # master carries two variables with one definition each: 6. A slave sends x with two definitions: 5 * 2 = 10.
    # Table I has misprints: it repeats triples, gives 4m as the definition of y, which is 5m, and 5p for 6p.
    pcfg = graph(FIGURE_3, 4)
    lines = {line.partition("# ")[2]: number for number, line in enumerate(FIGURE_3.splitlines(), 1) if "# " in line}
    listed = {("2m", "2"), ("3m", "2"), ("7m", "2")}
    feasible = [
        pair
        for pair in pcfg.sync_edges
        if any((lines[s], lines[r]) == (pair.send.line, pair.receive.line) for s, r in listed)
        or (pair.send.rank in (1, 2) and pair.receive.line in (lines["4m"], lines["5m"]))
        or (pair.send.rank == 3 and pair.receive.line == lines["8m"])
    ]
    assert len(feasible) == 8
    assert raw_s_uses(pcfg, feasible) == 16
    # The four others, from slaves to receives that they never reach, have 2 s-uses each.
    assert counts(pcfg)["all-s-uses"] == 16 + 4 * 2


HEAD = "from mpi4py import MPI\ncomm = MPI.COMM_WORLD\nrank = comm.Get_rank()\nsize = comm.Get_size()\n"


def test_a_reduction_has_the_elements_of_table_3() -> None:
    # All ranks are computed, so no pair is eliminated: 6 processes with one send and one receive each, 6*5. The value
    # that is sent has two definitions: 60 s-uses.
    text = HEAD + (
        "def reduction(values):\n"
        "    value = values[rank]\n"
        "    if rank < size - 1:\n"
        "        other = comm.recv(source=rank + 1)\n"
        "        value = value + other\n"
        "    if rank > 0:\n"
        "        comm.send(value, dest=rank - 1)\n"
    )
    found = counts(graph(text, 6, roles="reduction(0-5)"))
    assert (found["all-edges-s"], found["all-s-uses"]) == (30, 60)


def test_a_ring_of_eight_has_the_elements_of_table_3() -> None:
    # 8 processes with 4 sends and 4 receives: 8*7*4*4 = 896. Definitions at the sends: x 1; buf in the loop 2, before
    # the loop and in it; acc 2; total 1: 8*7*4*(1+2+2+1) = 1344.
    text = HEAD + (
        "def pairwise(values):\n"
        "    x = values[rank]\n"
        "    acc = 0\n"
        "    comm.send(x, dest=right, tag=1)\n"
        "    buf = comm.recv(source=left, tag=1)\n"
        "    for step in range(size // 2 - 1):\n"
        "        acc = acc + interaction(x, buf)\n"
        "        comm.send(buf, dest=right, tag=2)\n"
        "        buf = comm.recv(source=left, tag=2)\n"
        "    comm.send(acc, dest=right, tag=3)\n"
        "    other = comm.recv(source=left, tag=3)\n"
        "    total = acc + other\n"
        "    comm.send(total, dest=right, tag=4)\n"
        "    last = comm.recv(source=left, tag=4)\n"
    )
    found = counts(graph(text, 8, roles="pairwise(0-7)"))
    assert (found["all-edges-s"], found["all-s-uses"]) == (896, 1344)
