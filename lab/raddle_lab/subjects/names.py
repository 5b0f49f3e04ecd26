"""A two-way map between names and their owners."""

import threading

from raddle_lab.subjects import together


class Names:
    def __init__(self):
        self.lock = threading.Lock()
        self.owners = {}
        self.names = {}

    def claim(self, name, owner):
        with self.lock:
            if name in self.owners or owner in self.names:
                return False
            self.owners[name] = owner
            self.names[owner] = name
            return True

    def rename(self, owner, name):
        with self.lock:
            if owner not in self.names or name in self.owners:
                return False
            del self.owners[self.names[owner]]
            self.owners[name] = owner
            self.names[owner] = name
            return True

    def release(self, owner):
        with self.lock:
            if owner in self.names:
                del self.owners[self.names.pop(owner)]

    def consistent(self):
        with self.lock:
            return {owner: name for name, owner in self.owners.items()} == self.names


def scenario():
    names = Names()
    claims, fine = [], []

    def anna():
        claims.append(names.claim("a", "anna"))
        names.rename("anna", "b")

    def boris():
        claims.append(names.claim("a", "boris"))
        names.release("anna")

    def clara():
        names.claim("b", "clara")
        fine.append(names.consistent())
        names.release("clara")

    together(anna, boris, clara)
    assert any(claims)
    assert all(fine)
    assert names.consistent()
