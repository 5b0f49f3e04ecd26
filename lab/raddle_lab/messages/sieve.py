"""The sieve of Eratosthenes: each worker strikes out the multiples in its part of the numbers from 2 to n."""

import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


def master(argument, size):
    n = int(argument)
    if n < 2:
        n = 2
    width = (n - 1 + size - 2) // (size - 1)
    low = 2
    for worker in range(1, size):
        comm.send(n, dest=worker, tag=1)
        comm.send(low, dest=worker, tag=1)
        low += width
    k = 2
    while k * k <= n:
        for worker in range(1, size):
            comm.send(k, dest=worker, tag=2)
        k += 1
    stop = 0
    total = 0
    for worker in range(1, size):
        comm.send(stop, dest=worker, tag=2)
    for _ in range(1, size):
        total += comm.recv(source=MPI.ANY_SOURCE, tag=3)
    print(total)


def worker(root, size):
    bounds = []
    for _ in range(2):
        bound = comm.recv(source=root, tag=1)
        bounds.append(bound)
    n = bounds[0]
    low = bounds[1]
    width = (n - 1 + size - 2) // (size - 1)
    numbers = set(range(low, min(low + width, n + 1)))
    while True:
        k = comm.recv(source=root, tag=2)
        if k == 0:
            break
        numbers -= {number for number in numbers if number > k and number % k == 0}
    count = len(numbers)
    comm.send(count, dest=root, tag=3)


if comm.Get_rank() == 0:
    master(sys.argv[1], comm.Get_size())
else:
    worker(0, comm.Get_size())
