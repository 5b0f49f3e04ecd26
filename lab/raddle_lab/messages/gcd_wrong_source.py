"""The program `gcd` with a defect: the master's second receive names a worker instead of accepting any."""

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
    buf = comm.recv(source=2, tag=2)
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
