"""Ten threads write two variables without a lock, and ten threads check them; see `reorder_3`."""

from raddle_lab.sctbench.reorder_3 import reorder


def scenario():
    reorder(setters=10, checkers=10)
