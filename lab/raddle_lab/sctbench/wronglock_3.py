"""One thread guards a counter with one lock, three with another; see `wronglock`."""

from raddle_lab.sctbench.wronglock import wronglock


def scenario():
    wronglock(right=1, wrong=3)
