"""Three dining philosophers all take their left fork first."""

import threading

EXPECTED = "deadlock"


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    forks = [threading.Lock() for _ in range(3)]

    def dine(seat):
        with forks[seat], forks[(seat + 1) % 3]:
            pass

    side_by_side(lambda: dine(0), lambda: dine(1), lambda: dine(2))
