"""The programs of the paper, as far as it prints them, and graphs made from source text."""

from __future__ import annotations

from raddle.pcfg.build import build_pcfg
from raddle.pcfg.elements import Element, Elements
from raddle.pcfg.graph import Options, Pcfg, SyncEdge
from raddle.pcfg.matching import Profile
from raddle.pcfg.program import Source

BASE = 1 << 16

# The greatest common divisor of three numbers, laid out like ValiMPI's version (see test_golden.py).
GCD = """\
import sys
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()


def master(x, y, z):
    buf = [0, 0]
    buf[0] = x
    buf[1] = y
    comm.send(buf, dest=1, tag=1)
    buf[0] = y
    buf[1] = z
    comm.send(buf, dest=2, tag=1)
    buf = comm.recv(source=MPI.ANY_SOURCE, tag=2)
    x = buf[0]
    buf = comm.recv(source=MPI.ANY_SOURCE, tag=2)
    y = buf[0]
    if x > 1 and y > 1:
        buf[0] = x
        buf[1] = y
        comm.send(buf, dest=3, tag=1)
        buf = comm.recv(source=MPI.ANY_SOURCE, tag=2)
        z = buf[0]
    else:
        buf[0] = -1
        buf[1] = -1
        comm.send(buf, dest=3, tag=1)
        buf = comm.recv(source=3, tag=2)
        z = 1
    print(z)


def worker():
    buf = comm.recv(source=0, tag=MPI.ANY_TAG)
    while buf[0] != buf[1]:
        if buf[0] < buf[1]:
            buf[1] = buf[1] - buf[0]
        else:
            buf[0] = buf[0] - buf[1]
    comm.send(buf, dest=0, tag=2)


if rank == 0:
    master(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
else:
    worker()
"""

# Figure 3 of the paper. MPI has no counterpart of `pvm_kill`, so the third worker is left waiting in the else branch.
FIGURE_3 = """\
import sys
from mpi4py import MPI

comm = MPI.COMM_WORLD


def master(x, y, z):
    comm.send((x, y), dest=1, tag=1)  # 2m
    comm.send((y, z), dest=2, tag=1)  # 3m
    x = comm.recv(source=MPI.ANY_SOURCE, tag=2)  # 4m
    y = comm.recv(source=MPI.ANY_SOURCE, tag=2)  # 5m
    if x > 1 and y > 1:  # 6m
        comm.send((x, y), dest=3, tag=1)  # 7m
        z = comm.recv(source=MPI.ANY_SOURCE, tag=2)  # 8m
    else:
        z = 1  # 9m
    print(z)  # 10m


def slave():
    x, y = comm.recv(source=0)  # 2
    while x != y:  # 3
        if x < y:  # 4
            y = y - x  # 5
        else:
            x = x - y  # 6
    comm.send(x, dest=0, tag=2)  # 8


if comm.rank == 0:
    master(*map(int, sys.argv[1:]))
else:
    slave()
"""

# One waiter and five philosophers, with as many sends and receives as ValiMPI counts (see test_golden.py).
PHILOSOPHERS = """\
from mpi4py import MPI

comm = MPI.COMM_WORLD
TAKE, TELL = 1, 2


def waiter():
    status = MPI.Status()
    free = [True] * comm.size
    for _ in range(7 * (comm.size - 1)):
        fork = comm.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
        if status.Get_tag() == TAKE:
            if free[fork]:
                answer = True
            else:
                answer = False
            comm.send(answer, dest=status.Get_source())


def philosopher(me):
    comm.send(me, dest=0, tag=TELL)
    comm.send(me, dest=0, tag=TAKE)
    comm.recv(source=0)
    comm.send(me, dest=0, tag=TAKE)
    comm.recv(source=0)
    comm.send(me, dest=0, tag=TELL)
    comm.send(me, dest=0, tag=TELL)
    comm.send(me, dest=0, tag=TELL)
    comm.send(me, dest=0, tag=TELL)


if comm.rank == 0:
    waiter()
else:
    philosopher(comm.rank)
"""


def graph(
    text: str, ranks: int, *, roles: str | None = None, profile: Profile = Profile.LITERAL, file: str = "program.py"
) -> Pcfg:
    """Return the graph of a program that consists of one file."""
    return build_pcfg(Source(file, BASE, text), Options(ranks, roles, profile))


def counts(pcfg: Pcfg) -> dict[str, int]:
    """Return the number of required elements of each criterion."""
    elements = Elements(pcfg)
    return {element.value: len(list(elements.required(element))) for element in Element}


def raw_s_uses(pcfg: Pcfg, pairs: list[SyncEdge]) -> int:
    """Return the number of s-uses of pairs, which need not be sync-edges."""
    elements = Elements(pcfg)
    return sum(len(list(elements.s_uses(pair))) for pair in pairs)
