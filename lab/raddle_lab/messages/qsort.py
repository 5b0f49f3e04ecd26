"""Quicksort on a hypercube (Grama et al., Introduction to Parallel Computing), for a power of two processes.

In each round, the processes of a subcube agree on a pivot. Partners exchange values, so that one keeps the values up to
the pivot and the other one those above it. Then the subcube is split.
"""

import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


def middle(values):
    return sorted(values)[len(values) // 2] if values else 0


def sort_in_rounds(rank, size, values):
    cube = comm
    bit = size // 2
    while bit > 0:
        pivot = cube.bcast(middle(values), root=0)
        low = [value for value in values if value <= pivot]
        high = [value for value in values if value > pivot]
        if rank & bit:
            received = comm.sendrecv(low, dest=rank ^ bit, source=rank ^ bit)
            values = high + received
        else:
            received = comm.sendrecv(high, dest=rank ^ bit, source=rank ^ bit)
            values = low + received
        cube = cube.Split(rank & bit, rank)
        bit = bit // 2
    return sorted(values)


def master(size, values):
    width = (len(values) + size - 1) // size
    for rank in range(1, size):
        block = values[rank * width : (rank + 1) * width]
        comm.send(block, dest=rank, tag=1)
    part = sort_in_rounds(0, size, values[:width])
    parts = [part] + [None] * (size - 1)
    total = len(part)
    status = MPI.Status()
    for _ in range(1, size):
        count = comm.recv(source=MPI.ANY_SOURCE, tag=2, status=status)
        total += count
        parts[status.Get_source()] = comm.recv(source=status.Get_source(), tag=3)
    assert total == len(values)
    print([value for part in parts for value in part])


def worker(rank, size):
    block = comm.recv(source=0, tag=1)
    part = sort_in_rounds(rank, size, block)
    count = len(part)
    comm.send(count, dest=0, tag=2)
    comm.send(part, dest=0, tag=3)


if comm.Get_rank() == 0:
    master(comm.Get_size(), [int(value) for value in sys.argv[1:]])
else:
    worker(comm.Get_rank(), comm.Get_size())
