"""Dining philosophers ask a waiter for their forks. Each asks once for each fork, and then gives back what it has."""

from mpi4py import MPI

comm = MPI.COMM_WORLD
TAKE = 1
RELEASE = 2


def waiter(size):
    holder = [0] * (size - 1)
    meals = 0
    status = MPI.Status()
    for _ in range(3 * (size - 1)):
        fork = comm.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
        if status.Get_tag() == TAKE:
            if holder[fork] == 0:
                answer = True
                holder[fork] = status.Get_source()
            else:
                answer = False
            comm.send(answer, dest=status.Get_source())
        else:
            meals += holder.count(status.Get_source()) == 2
            holder = [0 if one == status.Get_source() else one for one in holder]
            freed = True
            comm.send(freed, dest=status.Get_source())
    print(meals, holder)


def philosopher(rank, size):
    first = rank - 1
    second = rank % (size - 1)
    comm.send(first, dest=0, tag=TAKE)
    has_first = comm.recv(source=0)
    comm.send(second, dest=0, tag=TAKE)
    has_second = comm.recv(source=0)
    ate = has_first and has_second
    comm.send(ate, dest=0, tag=RELEASE)
    freed = comm.recv(source=0)
    print(rank, ate, freed)


if comm.Get_rank() == 0:
    waiter(comm.Get_size())
else:
    philosopher(comm.Get_rank(), comm.Get_size())
