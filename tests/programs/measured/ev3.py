"""A wait blocks only if the other thread is preempted between releasing the lock and setting the event."""

import threading


class Service:
    def __init__(self):
        self.lock = threading.Lock()
        self.ready = False
        self.event = threading.Event()

    def wait_if_ready(self):
        with self.lock:
            if not self.ready:
                return
        self.event.wait()

    def announce(self):
        with self.lock:
            self.ready = True
        self.event.set()


def scenario():
    service = Service()
    threads = [threading.Thread(target=service.wait_if_ready), threading.Thread(target=service.announce)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    scenario()
