"""A pool of connections."""

import threading

from raddle_lab.subjects import together


class Connection:
    def __init__(self, number):
        self.number = number
        self.user = None

    def use(self, user):
        assert self.user is None
        self.user = user
        assert self.user == user
        self.user = None


class Pool:
    def __init__(self, most):
        self.lock = threading.Lock()
        self.room = threading.Semaphore(most)
        self.idle = []
        self.made = 0
        self.lent = 0

    def take(self):
        self.room.acquire()
        with self.lock:
            self.lent += 1
            if self.idle:
                return self.idle.pop()
            self.made += 1
            return Connection(self.made)

    def give_back(self, connection):
        with self.lock:
            self.lent -= 1
            self.idle.append(connection)
        self.room.release()

    def counts(self):
        with self.lock:
            return self.made, self.lent + len(self.idle)


def scenario():
    pool = Pool(2)
    seen = []

    def first():
        connection = pool.take()
        connection.use("first")
        pool.give_back(connection)

    def second():
        for _ in range(2):
            connection = pool.take()
            connection.use("second")
            pool.give_back(connection)

    def third():
        connection = pool.take()
        seen.append(pool.counts())
        connection.use("third")
        pool.give_back(connection)

    together(first, second, third)
    assert all(made == known for made, known in seen)
    assert pool.made <= 2
    assert pool.counts() == (pool.made, len(pool.idle))
    assert len({connection.number for connection in pool.idle}) == pool.made
