"""A semaphore lets at most two threads into the room at a time."""

import threading


class Room:
    def __init__(self):
        self.permits = threading.Semaphore(2)
        self.lock = threading.Lock()
        self.inside = 0

    def visit(self):
        with self.permits:
            with self.lock:
                self.inside += 1
                assert self.inside <= 2
            with self.lock:
                self.inside -= 1


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    room = Room()
    side_by_side(room.visit, room.visit, room.visit)
    assert room.inside == 0
