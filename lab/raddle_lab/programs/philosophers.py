"""Dining philosophers: six philosophers share six forks, and each takes the left fork first.

Modeled on the version that comes with Java PathFinder. A deadlock can occur.
"""

import threading

PHILOSOPHERS = 6
MEALS = 2


class Fork:
    """A fork between two philosophers."""

    def __init__(self):
        self.lock = threading.Lock()
        self.user = None
        self.uses = 0

    def taken_by(self, name):
        self.user = name
        self.uses += 1

    def put_down(self):
        self.user = None


class Philosopher(threading.Thread):
    """A philosopher, who needs two forks for each meal."""

    def __init__(self, number, left, right):
        super().__init__(name=f"philosopher {number}")
        self.left = left
        self.right = right
        self.meals = 0

    def run(self):
        while self.meals < MEALS:
            self.eat()

    def eat(self):
        with self.left.lock, self.right.lock:
            self.left.taken_by(self.name)
            self.right.taken_by(self.name)
            self.meals += 1
            self.right.put_down()
            self.left.put_down()


def scenario():
    forks = [Fork() for _ in range(PHILOSOPHERS)]
    philosophers = [Philosopher(number, fork, forks[(number + 1) % PHILOSOPHERS]) for number, fork in enumerate(forks)]
    for philosopher in philosophers:
        philosopher.start()
    for philosopher in philosophers:
        philosopher.join()
    assert sum(fork.uses for fork in forks) == 2 * MEALS * PHILOSOPHERS
