"""The program of the paper's figure 3. The comments name its blocks as the paper does."""

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
