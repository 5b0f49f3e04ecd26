"""A thread serializes a dict when another thread has updated only half of it."""

import json
import threading

EXPECTED = "assertion"


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    stock = {"shelf": 1, "cart": 0}
    saved = []

    def move():
        stock["shelf"] -= 1
        stock["cart"] += 1

    def save():
        saved.append(json.dumps(stock))

    side_by_side(move, save)
    assert sum(json.loads(saved[0]).values()) == 1
