"""Ninety-nine threads update in two stages, one reads; see `twostage`."""

from raddle_lab.sctbench.twostage import twostage


def scenario():
    twostage(writers=99, readers=1)
