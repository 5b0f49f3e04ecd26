"""A balance is checked against the wrong sum.

The lock is held during every access. If the check runs last, it fails, because it expects the deposit to have been
subtracted from the balance instead of added to it.
"""

import threading

from raddle_lab.sctbench.threads import together

OPENING, DEPOSIT, WITHDRAWAL = 1, 2, 4


class Account:
    def __init__(self):
        self.lock = threading.Lock()
        self.balance = OPENING
        self.deposited = False
        self.withdrawn = False

    def deposit(self):
        with self.lock:
            self.balance += DEPOSIT
            self.deposited = True

    def withdraw(self):
        with self.lock:
            self.balance -= WITHDRAWAL
            self.withdrawn = True

    def check(self):
        with self.lock:
            if self.deposited and self.withdrawn:
                assert self.balance == OPENING - DEPOSIT - WITHDRAWAL


def scenario():
    account = Account()
    together(account.check, account.deposit, account.withdraw)
