"""The MPI library that programs import as `mpi4py.MPI`, written on top of the world of ranks."""
