"""One thread fills a stack, and another empties it after a flag says that the stack is not empty.

The first push sets the flag, which is never cleared. So a consumer that overtakes the producer finds the stack empty.
"""

import threading

from raddle_lab.sctbench.threads import together

SIZE = 10


class Stack:
    def __init__(self):
        self.lock = threading.Lock()
        self.slots = [0] * SIZE
        self.top = 0
        self.filled = False

    def push(self, value):
        if self.top == SIZE:
            return False
        self.slots[self.top] = value
        self.top += 1
        return True

    def pop(self):
        if self.top == 0:
            return None
        self.top -= 1
        return self.slots[self.top]

    def fill(self):
        for value in range(SIZE):
            with self.lock:
                assert self.push(value)
                self.filled = True

    def drain(self):
        for _ in range(SIZE):
            with self.lock:
                if self.filled:
                    assert self.pop() is not None


def scenario():
    stack = Stack()
    together(stack.fill, stack.drain)
