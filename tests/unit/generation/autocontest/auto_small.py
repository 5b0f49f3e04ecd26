"""Classes on which a single pruning rule of AutoConTest makes a difference."""

from __future__ import annotations

import threading


class Getters:
    def __init__(self) -> None:
        self.a = 0
        self.b = 0

    def get_a(self) -> int:
        return self.a

    def get_b(self) -> int:
        return self.b


class Toggle:
    def __init__(self) -> None:
        self.on = False

    def flip(self) -> None:
        self.on = not self.on

    def get(self) -> bool:
        return self.on


class Raises:
    def __init__(self) -> None:
        self.n = 0

    def fail(self) -> None:
        raise ValueError(self.n)

    def recover(self) -> int:
        try:
            self.fail()
        except ValueError:
            return self.n
        return 0


class FifthCall:
    """Only the fifth call of `step` has another call trace than the first."""

    def __init__(self) -> None:
        self.n = 0
        self.done = False

    def step(self) -> None:
        self.n = self.n + 1
        if self.n == 5:
            self.done = True


class Closing:
    """After `close`, the first call trace of `use` is out of reach."""

    def __init__(self) -> None:
        self.closed = False
        self.used = 0

    def close(self) -> None:
        self.closed = True

    def other(self) -> int:
        return self.used

    def use(self) -> bool:
        if self.closed:
            return self.closed
        return False


class Waits:
    def __init__(self) -> None:
        self.event = threading.Event()
        self.n = 0

    def wait(self) -> None:
        self.event.wait()

    def get(self) -> int:
        return self.n


class Loop:
    """Each call of `run` goes through one more round."""

    def __init__(self) -> None:
        self.n = 0
        self.last = 0

    def run(self) -> None:
        self.n = self.n + 1
        for number in range(self.n):
            self.last = number


class Doubling:
    """The first call of `double` goes through one round, the next through two, then four..."""

    def __init__(self) -> None:
        self.items = [0]

    def double(self) -> None:
        for item in list(self.items):
            self.items.append(item)


class TwoSections:
    """`change` releases the lock between its accesses, `change_at_once` does not."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.n = 0

    def change(self) -> None:
        with self.lock:
            n = self.n
        with self.lock:
            self.n = n + 1

    def change_at_once(self) -> None:
        with self.lock:
            n = self.n
            self.n = n + 1


class Fields:
    """Two variables of one atomic set, and an object that only the call itself uses."""

    def __init__(self) -> None:
        self.x = 0
        self.y = 0

    def put(self, value: int) -> None:
        self.x = value
        self.y = value

    def get(self) -> tuple[int, int]:
        x = self.x
        return x, self.y

    def local(self) -> int:
        own = Fields.__new__(Fields)
        own.x = 1
        own.x = 2
        return own.x


COUNTER = {"calls": 0}


class Global:
    """Its only shared variable is a global one."""

    def count(self) -> int:
        calls = COUNTER["calls"]
        COUNTER["calls"] = calls + 1
        return calls


class Settings:
    """Attributes that no method depends on."""

    def __init__(self) -> None:
        self.a = self.b = self.c = self.d = 0

    def set_a(self) -> None:
        self.a = 1

    def set_b(self) -> None:
        self.b = 1

    def set_c(self) -> None:
        self.c = 1

    def set_d(self) -> None:
        self.d = 1

    def get_a(self) -> int:
        return self.a


USED = {"times": 0}


class Quota:
    """Counts its uses in a global variable as well."""

    def __init__(self) -> None:
        self.uses = 0

    def use(self) -> None:
        self.uses = self.uses + 1
        USED["times"] = USED["times"] + 1

    def is_full(self) -> int:
        if USED["times"] > 2:
            return self.uses
        return 0


class TwoPaths:
    """`one` and `two` perform the same accesses, in different calling contexts."""

    def __init__(self) -> None:
        self.value: int | None = 0

    def one(self) -> None:
        self._add()

    def two(self) -> None:
        self._add()

    def _add(self) -> None:
        self.value = (self.value or 0) + 1

    def set(self, value: int | None) -> None:
        self.value = value
