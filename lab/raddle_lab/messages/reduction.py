"""A reduction along a chain: each process combines its value with the result of the next one."""

import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


def combine(operation, one, other):
    if operation == "sum":
        return one + other
    if operation == "prod":
        return one * other
    if operation == "max":
        return max(one, other)
    return min(one, other)


def member(rank, size, operation, values):
    value = int(values[rank])
    if rank < size - 1:
        other = comm.recv(source=rank + 1)
        value = combine(operation, value, other)
    if rank > 0:
        comm.send(value, dest=rank - 1)
    else:
        print(value)


member(comm.Get_rank(), comm.Get_size(), sys.argv[1], sys.argv[2:])
