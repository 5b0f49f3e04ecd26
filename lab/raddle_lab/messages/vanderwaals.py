"""The Van der Waals energy of a group of atoms, minimized by a genetic algorithm.

The master holds a population of positions, one individual per worker. In each generation, the workers compute energies
with a 12-6 potential. The master replaces the worst individual by a mutated mixture of the two best.
"""

import random
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
ATOMS = 4
CUTOFF = 3.0


def energy(atoms):
    total = 0.0
    for number, (x, y, z) in enumerate(atoms):
        for p, q, r in atoms[:number]:
            square = max((x - p) ** 2 + (y - q) ** 2 + (z - r) ** 2, 0.1)
            if square < CUTOFF**2:
                total += 4 * (square**-6 - square**-3)
    return total


def individual(numbers):
    return [tuple(numbers.uniform(0, 2) for _ in range(3)) for _ in range(ATOMS)]


def mixture(numbers, one, other):
    atoms = [numbers.choice(pair) for pair in zip(one, other, strict=True)]
    moved = numbers.randrange(ATOMS)
    atoms[moved] = tuple(value + numbers.uniform(-0.2, 0.2) for value in atoms[moved])
    return atoms


def master(size, seed, generations):
    numbers = random.Random(seed)
    population = [individual(numbers) for _ in range(size - 1)]
    status = MPI.Status()
    for _ in range(generations):
        for worker in range(1, size):
            comm.send(population[worker - 1], dest=worker, tag=1)
        fitness = [0.0] * (size - 1)
        for _ in range(size - 1):
            value = comm.recv(source=MPI.ANY_SOURCE, tag=2, status=status)
            fitness[status.Get_source() - 1] = value
        order = sorted(range(size - 1), key=fitness.__getitem__)
        best = population[order[0]]
        least = fitness[order[0]]
        population[order[-1]] = mixture(numbers, best, population[order[1]])
    for worker in range(1, size):
        comm.send(None, dest=worker, tag=1)
    print(round(least, 6))
    assert least == energy(best), "the energy is that of another individual"


def worker():
    while True:
        atoms = comm.recv(source=0, tag=1)
        if atoms is None:
            break
        value = energy(atoms)
        comm.send(value, dest=0, tag=2)


if comm.Get_rank() == 0:
    master(comm.Get_size(), int(sys.argv[1]), int(sys.argv[2]))
else:
    worker()
