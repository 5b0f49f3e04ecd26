from concurrent.futures import ThreadPoolExecutor


class Box:
    def __init__(self):
        self.n = 0

    def add(self):
        self.n += 1

    def sub(self):
        self.n -= 1


def scenario():
    box = Box()
    with ThreadPoolExecutor(1) as pool:
        a = pool.submit(box.add)
        b = pool.submit(box.sub)
        a.result()
        x = box.n
        b.result()
    return x, box.n
