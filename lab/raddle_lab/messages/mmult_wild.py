"""The program `mmult` with a loop and a defect: the master accepts each block of the product from any worker."""

import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


def matrices(n):
    a = [[row * n + column + 1 for column in range(n)] for row in range(n)]
    b = [[(row + 2 * column) % 5 + 1 for column in range(n)] for row in range(n)]
    return a, b


def row_times(row, b, scale):
    return [scale * sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)]


def master(n, scale, workers):
    a, b = matrices(n)
    c = [None] * n
    offset = 0
    for worker in range(1, workers + 1):
        rows = n // workers
        if worker <= n % workers:
            rows = rows + 1
        block = a[offset : offset + rows]
        comm.send(n, dest=worker)
        comm.send(scale, dest=worker)
        comm.send(offset, dest=worker)
        comm.send(rows, dest=worker)
        comm.send(block, dest=worker)
        comm.send(b, dest=worker)
        offset += rows
    status = MPI.Status()
    for _ in range(workers):
        at = comm.recv(source=MPI.ANY_SOURCE, tag=3, status=status)
        many = comm.recv(source=status.Get_source(), tag=4)
        c[at : at + many] = comm.recv(source=MPI.ANY_SOURCE, tag=5)
    print(c)
    assert c == [row_times(row, b, scale) for row in a], "the product is wrong"


def worker():
    n = comm.recv(source=0)
    scale = comm.recv(source=0)
    offset = comm.recv(source=0)
    rows = comm.recv(source=0)
    block = comm.recv(source=0)
    b = comm.recv(source=0)
    part = [[0] * n for _ in range(rows)]
    for i in range(rows):
        part[i] = row_times(block[i], b, scale)
    comm.send(offset, dest=0, tag=3)
    comm.send(rows, dest=0, tag=4)
    comm.send(part, dest=0, tag=5)


if comm.Get_rank() == 0:
    master(int(sys.argv[1]), int(sys.argv[2]), comm.Get_size() - 1)
else:
    worker()
