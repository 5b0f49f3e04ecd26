import queue
import threading


def pause(q):
    """Return immediately. A test replaces this function with one that waits until the producer blocks."""


class Box:
    def __init__(self):
        self.x = 0
        self.q = queue.Queue(1)

    def producer(self):
        self.q.put(1)
        self.x = 1  # races with the consumer's read, because only put(1) is ordered before that read
        self.q.put(2)  # blocks until the consumer has taken 1

    def consumer(self):
        self.q.get()
        y = self.x
        self.q.get()
        return y


def scenario():
    b = Box()
    producer, consumer = threading.Thread(target=b.producer), threading.Thread(target=b.consumer)
    producer.start()
    pause(b.q)
    consumer.start()
    producer.join()
    consumer.join()
