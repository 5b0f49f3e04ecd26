"""Forty-nine threads write two variables without a lock, and one thread checks them; see `reorder_3`."""

from raddle_lab.sctbench.reorder_3 import reorder


def scenario():
    reorder(setters=49, checkers=1)
