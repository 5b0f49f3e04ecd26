"""A scenario that covers at least one requirement of every criterion."""

from __future__ import annotations

import queue
import threading


class Cart:
    def __init__(self):
        self.lock, self.other = threading.Lock(), threading.Lock()
        self.total = self.number = 0

    def add(self, price):
        with self.lock, self.other:
            self.total += price
        self.number += 1

    def receipt(self):
        return self.total, self.number


def scenario():
    cart, prices = Cart(), queue.Queue()

    def buy():
        cart.add(prices.get())
        cart.receipt()

    threads = [threading.Thread(target=buy) for _ in range(2)]
    for thread in threads:
        thread.start()
    for price in (3, 4):
        prices.put(price)
    for thread in threads:
        thread.join()
