"""Ninety-nine threads write in two stages, and one thread reads; see `twostage`."""

from raddle_lab.sctbench.twostage import twostage


def scenario():
    twostage(writers=99, readers=1)
