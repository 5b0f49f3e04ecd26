"""The Jacobi-Richardson method for a diagonally dominant system of linear equations, made from a seed.

Each process owns some of the rows. In each iteration, the processes exchange their parts of the solution, and the
master decides whether to continue.
"""

import random
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


def system(n, seed):
    numbers = random.Random(seed)
    a = [[numbers.randint(-3, 3) for _ in range(n)] for _ in range(n)]
    for row in range(n):
        a[row][row] = 1 + 2 * sum(abs(value) for value in a[row])
    b = [numbers.randint(-9, 9) for _ in range(n)]
    return a, b


def first_row(rank, size, n):
    return rank * (n // size) + min(rank, n % size)


def sweep(rows, b, first, x):
    new = []
    for number, row in enumerate(rows):
        at = first + number
        others = sum(value * x[column] for column, value in enumerate(row) if column != at)
        new.append((b[number] - others) / row[at])
    return new


def exchange(rank, size, part):
    for other in range(size):
        if other != rank:
            comm.send(part, dest=other, tag=3)
    x = []
    for other in range(size):
        if other == rank:
            x += part
        else:
            x += comm.recv(source=other, tag=3)
    return x


def distance(one, other):
    return max((abs(p - q) for p, q in zip(one, other, strict=True)), default=0.0)


def master(size, n, tolerance, seed):
    a, b = system(n, seed)
    for rank in range(1, size):
        first = first_row(rank, size, n)
        end = first_row(rank + 1, size, n)
        comm.send(a[first:end], dest=rank, tag=1)
        comm.send(b[first:end], dest=rank, tag=2)
    mine = first_row(1, size, n)
    part = [0.0] * mine
    go = True
    iterations = 0
    while go:
        x = exchange(0, size, part)
        new = sweep(a[:mine], b[:mine], 0, x)
        change = distance(new, part)
        part = new
        for _ in range(1, size):
            norm = comm.recv(source=MPI.ANY_SOURCE, tag=4)
            change = max(change, norm)
        iterations += 1
        go = change >= tolerance
        for rank in range(1, size):
            comm.send(go, dest=rank, tag=5)
    x = part
    for rank in range(1, size):
        x += comm.recv(source=rank, tag=6)
    residual = distance([sum(p * q for p, q in zip(row, x, strict=True)) for row in a], b)
    print(iterations, residual < tolerance * n * 100)


def worker(rank, size, n):
    rows = comm.recv(source=0, tag=1)
    b = comm.recv(source=0, tag=2)
    first = first_row(rank, size, n)
    part = [0.0] * len(rows)
    go = True
    while go:
        x = exchange(rank, size, part)
        new = sweep(rows, b, first, x)
        norm = distance(new, part)
        part = new
        comm.send(norm, dest=0, tag=4)
        go = comm.recv(source=0, tag=5)
    comm.send(part, dest=0, tag=6)


if comm.Get_rank() == 0:
    master(comm.Get_size(), int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
else:
    worker(comm.Get_rank(), comm.Get_size(), int(sys.argv[1]))
