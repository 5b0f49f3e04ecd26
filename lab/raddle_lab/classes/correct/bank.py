"""Accounts between which money can be transferred."""

from __future__ import annotations

import threading
from contextlib import ExitStack


class InsufficientFundsError(Exception):
    """The account has less money than the operation needs."""


class AccountClosedError(Exception):
    """The account is closed."""


class Account:
    """An account of a bank. Only the bank changes its balance."""

    def __init__(self, bank: Bank, balance: int = 0) -> None:
        """Open an account; the same as `bank.open(balance)`."""
        if balance < 0:
            raise ValueError(f"the balance must not be negative: {balance}")
        self.lock = threading.Lock()
        self.bank = bank
        self.balance = balance
        self.is_open = True
        self.number = bank._add(self)

    def __repr__(self) -> str:
        return f"<Account {self.number}>"


class Bank:
    """Keeps accounts. Threads may share it; each method is one indivisible step.

    Each account has its own lock. A thread that needs several locks acquires that of the bank first, and then those of
    the accounts in the order of their numbers.

    A method raises ValueError if an amount is not positive or an account belongs to another bank. It raises
    AccountClosedError if an account is closed.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._accounts: list[Account] = []  # the open accounts, in the order of their numbers
        self._opened = 0

    def open(self, balance: int = 0) -> Account:
        """Open an account."""
        return Account(self, balance)

    def deposit(self, account: Account, amount: int) -> int:
        """Add an amount to the balance of an account, and return the new balance."""
        self._check(account, amount)
        with account.lock:
            _check_open(account)
            account.balance += amount
            return account.balance

    def withdraw(self, account: Account, amount: int) -> int:
        """Subtract an amount from the balance of an account, and return the new balance.

        Raises:
            InsufficientFundsError: If the balance is smaller than the amount.
        """
        self._check(account, amount)
        with account.lock:
            _check_open(account)
            _check_funds(account, amount)
            account.balance -= amount
            return account.balance

    def transfer(self, source: Account, target: Account, amount: int) -> None:
        """Move an amount from one account to another, or from an account to itself, which changes nothing.

        Raises:
            InsufficientFundsError: If the balance of the source is smaller than the amount.
        """
        self._check(source, amount)
        self._check(target, amount)
        with ExitStack() as locks:
            for account in _in_order(source, target):
                locks.enter_context(account.lock)
            _check_open(source)
            _check_open(target)
            _check_funds(source, amount)
            source.balance -= amount
            target.balance += amount

    def total(self) -> int:
        """Return the sum of the balances of all open accounts."""
        with self._lock, ExitStack() as locks:
            for account in self._accounts:
                locks.enter_context(account.lock)
            return sum(account.balance for account in self._accounts)

    def close(self, account: Account) -> int:
        """Close an account, and pay out its balance."""
        self._check(account)
        with self._lock, account.lock:
            _check_open(account)
            account.is_open = False
            self._accounts.remove(account)
            return account.balance

    def _add(self, account: Account) -> int:
        """Register a new account, and return its number."""
        with self._lock:
            self._opened += 1
            self._accounts.append(account)
            return self._opened

    def _check(self, account: Account, amount: int = 1) -> None:
        if account.bank is not self:
            raise ValueError(f"{account} belongs to another bank")
        if amount <= 0:
            raise ValueError(f"the amount must be positive, not {amount}")


def _in_order(source: Account, target: Account) -> list[Account]:
    """Return the accounts in the order in which they are locked; one account if they are the same."""
    if source is target:
        return [source]
    return [source, target] if source.number < target.number else [target, source]


def _check_open(account: Account) -> None:
    if not account.is_open:
        raise AccountClosedError(f"{account} is closed")


def _check_funds(account: Account, amount: int) -> None:
    if account.balance < amount:
        raise InsufficientFundsError(f"{account} has {account.balance}, but {amount} are needed")
