"""Three deposits that can be lost. For the criteria of Lu et al., the tests expect totals derived by hand."""

import threading


class Account:
    def __init__(self):
        self.balance = 0

    def current(self):
        return self.balance

    def deposit(self, amount):
        self.balance = self.current() + amount


def scenario():
    account = Account()
    threads = [threading.Thread(target=account.deposit, args=(n,)) for n in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert account.balance == 6


if __name__ == "__main__":
    scenario()
