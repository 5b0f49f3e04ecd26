"""Two threads both find that a key is missing, and both create its value."""

import threading

EXPECTED = "assertion"


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    cache, made = {}, []

    def look_up(key):
        if key not in cache:
            cache[key] = object()
            made.append(key)
        return cache[key]

    side_by_side(lambda: look_up("a"), lambda: look_up("a"))
    assert len(made) == 1
