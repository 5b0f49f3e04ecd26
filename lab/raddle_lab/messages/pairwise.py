"""Pairwise interactions on a ring of processes: the values travel around half of the ring.

Each process adds up its interactions with the values of the processes before it. Then two more exchanges smooth the
sums: each process adds up those of its neighbors.
"""

import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


def interaction(one, other):
    return (one - other) ** 2


def member(rank, size, values):
    right = (rank + 1) % size
    left = (rank - 1) % size
    x = int(values[rank])
    acc = 0
    comm.send(x, dest=right, tag=1)
    buf = comm.recv(source=left, tag=1)
    for _ in range(size // 2 - 1):
        acc += interaction(x, buf)
        comm.send(buf, dest=right, tag=2)
        buf = comm.recv(source=left, tag=2)
    comm.send(acc, dest=right, tag=3)
    other = comm.recv(source=left, tag=3)
    total = acc + other
    comm.send(total, dest=right, tag=4)
    last = comm.recv(source=left, tag=4)
    print(acc + interaction(x, buf), total + last)


member(comm.Get_rank(), comm.Get_size(), sys.argv[1:])
