"""An event bus that publishes events to its subscribers."""

import threading

from raddle_lab.subjects import together


class EventBus:
    def __init__(self):
        self.lock = threading.Lock()
        self.subscribers = {}
        self.next_number = 0
        self.published = 0

    def subscribe(self, callback):
        with self.lock:
            number = self.next_number
            self.next_number += 1
            self.subscribers[number] = callback
        return number

    def unsubscribe(self, number):
        with self.lock:
            del self.subscribers[number]

    def publish(self, event):
        with self.lock:
            self.published += 1
            callbacks = [self.subscribers[number] for number in self.subscribers]
        for callback in callbacks:
            callback(event)


def scenario():
    bus = EventBus()
    heard = []
    bus.subscribe(heard.append)

    def newcomer():
        number = bus.subscribe(heard.append)
        bus.publish("one")
        bus.unsubscribe(number)

    def other():
        number = bus.subscribe(lambda event: None)
        bus.unsubscribe(number)

    def publisher():
        bus.publish("two")
        bus.publish("three")

    together(newcomer, other, publisher)
    assert heard.count("one") == 2
    assert len(bus.subscribers) == 1
    assert bus.next_number == bus.published == 3
