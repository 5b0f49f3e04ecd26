"""Each call holds the lock, but the two calls together are not atomic."""

import threading

EXPECTED = "assertion"


class Account:
    def __init__(self, balance):
        self.lock = threading.Lock()
        self.balance = balance

    def read(self):
        with self.lock:
            return self.balance

    def withdraw(self, amount):
        with self.lock:
            self.balance -= amount


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    account = Account(100)

    def pay():
        if account.read() >= 80:
            account.withdraw(80)

    side_by_side(pay, pay)
    assert account.balance >= 0
