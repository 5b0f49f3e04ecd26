"""Bank accounts, and transfers between them."""

import threading

from raddle_lab.subjects import together


class Account:
    def __init__(self, balance):
        self.lock = threading.Lock()
        self.balance = balance
        self.entries = 0

    def deposit(self, amount):
        with self.lock:
            self.balance += amount
            self.entries += 1

    def withdraw(self, amount):
        with self.lock:
            if self.balance < amount:
                return False
            self.balance -= amount
            self.entries += 1
            return True


class Bank:
    def __init__(self):
        self.transfer_lock = threading.Lock()
        self.accounts = [Account(50), Account(50)]
        self.transfers = 0

    def transfer(self, source, target, amount):
        with self.transfer_lock:
            if self.accounts[source].withdraw(amount):
                self.accounts[target].deposit(amount)
                self.transfers += 1

    def sum(self):
        with self.transfer_lock:
            return sum(account.balance for account in self.accounts)


def scenario():
    bank = Bank()
    sums = []

    def there():
        bank.transfer(0, 1, 30)
        bank.accounts[0].deposit(5)

    def back():
        bank.transfer(1, 0, 40)
        bank.accounts[1].withdraw(5)

    def client():
        sums.append(bank.sum())
        bank.accounts[0].withdraw(5)
        bank.accounts[1].deposit(5)

    together(there, back, client)
    assert 90 <= sums[0] <= 110
    assert bank.sum() == 100
    assert sum(account.entries for account in bank.accounts) == 2 * bank.transfers + 4
