"""One thread protects a counter with one lock, and three threads protect it with another; see `wronglock`."""

from raddle_lab.sctbench.wronglock import wronglock


def scenario():
    wronglock(right=1, wrong=3)
