"""Two variables that belong together are written one after the other, without a lock.

A thread that reads them between the first write of `a` and the first write of `b` sees an inconsistent state. The more
threads write, the rarer this is, because the read must come before any thread writes `b`.
"""

from raddle_lab.sctbench.threads import together


class Pair:
    def __init__(self):
        self.a = 0
        self.b = 0

    def set(self):
        self.a = 1
        self.b = -1

    def check(self):
        assert (self.a == 0 and self.b == 0) or (self.a == 1 and self.b == -1)


def reorder(*, setters, checkers):
    """Run the program with any number of threads."""
    pair = Pair()
    together(*[pair.set] * setters, *[pair.check] * checkers)


def scenario():
    reorder(setters=2, checkers=1)
