"""Objects and locks created by constructors, base classes and factories. Comments mark the lines that create them."""

import threading
from dataclasses import dataclass, field


class Base:
    def __init__(self):
        self.lock = threading.Lock()
        self.n = 0


class Sub(Base):
    def __init__(self):
        super().__init__()
        self._setup()

    def _setup(self):
        self.inner = threading.Lock()  # makes Lock


@dataclass
class Data:
    n: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def make():
    return Base()  # makes Base Lock


class Holder:
    def __init__(self):
        self.base = Base()


def use(b):
    with b.lock:
        b.n += 1


def use2(s):
    with s.lock, s.inner:
        s.n += 1


def scenario():
    one = Base()  # makes Base Lock
    two = Sub()  # makes Sub Lock
    three = Data()  # makes Data Lock
    four = make()
    five = Holder().base  # makes Base Lock
    ts = []
    for b in (one, two, three, four, five):
        ts += [threading.Thread(target=use, args=(b,)) for _ in range(2)]
    ts += [threading.Thread(target=use2, args=(two,)) for _ in range(2)]
    for t in ts:
        t.start()
    for t in ts:
        t.join()


if __name__ == "__main__":
    scenario()
