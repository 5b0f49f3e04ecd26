"""The nine message-passing programs of Souza et al. (section 5.1), one file each, based on the paper's descriptions.

The programs of the paper were never published. `gcd` follows the paper's figure 3. The layouts of sends, receives and
definitions of `reduction`, `pairwise`, `philosophers`, `mmult` and `sieve` were chosen so that the numbers of required
elements equal those of the paper's table III, so these numbers do not confirm anything. `qsort`, `jacobi` and
`vanderwaals` use collective operations or more messages than the table allows, and can be compared in shape only.

The programs use mpi4py and know nothing about raddle. The files have one statement per line. Roles are functions.
"""
