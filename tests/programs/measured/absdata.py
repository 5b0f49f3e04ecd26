"""Six objects whose `n` attributes are distinct abstract variables. Comments mark the lines that create objects."""

import threading
from dataclasses import dataclass, field


@dataclass
class Data:
    n: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class Plain:
    """A class without a constructor."""


class Base:
    def __init__(self):
        self.n = 0


class A(Base):
    pass


class B(Base):
    pass


def make(kind):
    return kind()  # makes A B


def use(d):
    d.n += 1


def locked(d):
    with d.lock:
        d.n += 1


def scenario():
    one = Data()  # makes Data Lock
    two = Data()  # makes Data Lock
    p = Plain()  # makes Plain
    p.n = 0
    q = Plain()  # makes Plain
    q.n = 0
    a = make(A)
    b = make(B)
    ts = []
    for d in (one, two):
        ts += [threading.Thread(target=locked, args=(d,)) for _ in range(2)]
    for d in (p, q, a, b):
        ts += [threading.Thread(target=use, args=(d,)) for _ in range(2)]
    for t in ts:
        t.start()
    for t in ts:
        t.join()


if __name__ == "__main__":
    scenario()
