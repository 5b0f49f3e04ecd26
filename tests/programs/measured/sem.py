import threading


class Box:
    def __init__(self):
        self.sem = threading.Semaphore(2)
        self.n = 0

    def one(self):
        with self.sem:
            self.n += 1

    def two(self):
        with self.sem:
            self.n -= 1


def scenario():
    box = Box()
    threads = [threading.Thread(target=run) for run in (box.one, box.two, box.one)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
