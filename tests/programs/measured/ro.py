import threading


class C:
    def __init__(self):
        self.x = 1
        self.y = 0

    def get(self):
        return self.x

    def bump(self):
        self.y += 1


def scenario():
    c = C()
    threads = [threading.Thread(target=run) for run in (c.get, c.get, c.bump, c.bump)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
