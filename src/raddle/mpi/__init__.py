"""The world of MPI ranks: controlled ranks in one process that exchange messages."""
