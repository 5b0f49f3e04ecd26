"""A class that starts its thread before it assigns what the thread reads."""

import threading


class Browser:
    def __init__(self):
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        self.handlers = []

    def run(self):
        for handler in self.handlers:
            handler()

    def add(self, handler):
        self.handlers.append(handler)
