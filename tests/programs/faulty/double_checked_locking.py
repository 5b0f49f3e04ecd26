"""Double-checked locking that publishes the object before filling it."""

import threading

EXPECTED = "assertion"


class Config:
    def __init__(self):
        self.ready = False


class Holder:
    def __init__(self):
        self.lock = threading.Lock()
        self.config = None

    def get(self):
        if self.config is None:
            with self.lock:
                if self.config is None:
                    self.config = Config()
                    self.config.ready = True
        return self.config


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    holder = Holder()

    def use():
        assert holder.get().ready

    side_by_side(use, use)
