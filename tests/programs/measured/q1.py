import queue
import threading

q = queue.Queue(1)


def pause(q):
    """Return immediately. A test replaces this function with one that waits until the producer blocks."""


def producer():
    q.put(1)
    q.put(2)


def consumer():
    q.get()
    q.get()


def scenario():
    threads = [threading.Thread(target=producer), threading.Thread(target=consumer)]
    threads[0].start()
    pause(q)
    threads[1].start()
    for thread in threads:
        thread.join()
