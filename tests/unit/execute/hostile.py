"""Objects that record every operation on them, and a program that applies every kind of operation to such an object.

Operations recorded between two runs of the program come from raddle, not from the program.
"""

# ruff: noqa: B015, B018, C416, SIM300, UP031 -- each line is there for the operation it performs on the object

from __future__ import annotations

import threading

LOG: list[str] = []


def _recording(name, answer):
    def special(self, *args):
        LOG.append(name)
        return answer(self, *args)

    return special


class Kind(type):
    """A metaclass that also records the operations on the class itself."""

    def __getattribute__(cls, name):
        LOG.append(f"type.{name}")
        return type.__getattribute__(cls, name)

    def __hash__(cls):
        LOG.append("type.__hash__")
        return type.__hash__(cls)

    def __eq__(cls, other):
        LOG.append("type.__eq__")
        return cls is other

    def __instancecheck__(cls, instance):
        LOG.append("type.__instancecheck__")
        return type(instance) is cls


_ANSWERS = {
    "__add__": lambda self, other: 1,
    "__radd__": lambda self, other: 1,
    "__iadd__": lambda self, other: self,
    "__or__": lambda self, other: 1,
    "__bool__": lambda self: True,
    "__call__": lambda self, *args: 1,
    "__contains__": lambda self, item: True,
    "__delitem__": lambda self, key: None,
    "__enter__": lambda self: self,
    "__eq__": lambda self, other: self is other,
    "__exit__": lambda self, *exc: None,
    "__format__": lambda self, spec: "text",
    "__getitem__": lambda self, key: 1,
    "__hash__": lambda self: 1,
    "__index__": lambda self: 1,
    "__iter__": lambda self: iter((1, 2)),
    "__len__": lambda self: 2,
    "__lt__": lambda self, other: True,
    "__ne__": lambda self, other: self is not other,
    "__repr__": lambda self: "text",
    "__setitem__": lambda self, key, value: None,
    "__str__": lambda self: "text",
}


def _attribute(name):
    return property(_recording(name, lambda self: {} if name == "__dict__" else int))


class _Recorder(metaclass=Kind):
    def __getattribute__(self, name):
        LOG.append(f".{name}")
        return object.__getattribute__(self, name)

    def __getattr__(self, name):
        LOG.append(f"missing .{name}")
        if name.startswith("__"):
            raise AttributeError(name)
        return 1

    def __setattr__(self, name, value):
        LOG.append(f"set .{name}")
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        LOG.append(f"del .{name}")
        object.__delattr__(self, name)

    def work(self):
        return 1


Hostile = Kind(
    "Hostile",
    (_Recorder,),
    {name: _recording(name, answer) for name, answer in _ANSWERS.items()} | {"__class__": _attribute("__class__")},
)
# Like a typical proxy: it has slots instead of an instance `__dict__`, and `__dict__` is a property.
Proxy = Kind("Proxy", (Hostile,), {"__slots__": ("value",), "__dict__": _attribute("__dict__")})


GLOBAL = Proxy()


class Holder:
    kept = Hostile()

    def __init__(self, held):
        self.held = held


class Owner:
    """A class that holds an object in a class attribute."""

    shared: object = None


def _in_a_match(thing):
    match thing:
        case [first, *_]:
            return first
        case {"a": value}:
            return value
        case Holder(held=held):
            return held
        case _:
            return thing


def use(make):
    """Pass an object through every construct in which a probe receives an object of the program."""
    thing, other = make(), make()
    thing.value = 1
    thing.value
    thing.value += 1
    del thing.value
    thing.missing
    thing.work()
    thing.unknown
    thing[0]
    thing[0] = 1
    thing[0] += 1
    thing[1:2]
    del thing[0]
    thing()
    thing(thing, other)
    for _ in thing:
        pass
    [_ for _ in thing]
    first, second = thing
    texts = str(thing), repr(thing), format(thing), f"{thing}", f"{thing!r:>5}", "%s" % thing
    len(thing), bool(thing), list(thing), tuple(thing), sorted([thing, other]), any([thing]), max(thing, other)
    if thing and not other:
        pass
    while not thing:
        pass
    thing == other, thing != other, thing < other, thing is other, thing == 1, 1 == thing
    1 in thing, thing in [other, thing], thing in (other,)
    thing + 1, 1 + thing, thing | other
    thing += 1
    GLOBAL.value = thing
    Holder.kept.value = GLOBAL.value
    with thing as entered, other:
        entered.value = other
    items, table, group = [thing], {"a": thing}, {thing}
    items.append(other)
    items.index(thing)
    items.count(other)
    items.remove(thing)
    items.insert(0, thing)
    items += [other]
    items[0]
    table["b"] = other
    table[thing] = 1
    table[thing]
    table.get(thing)
    table.setdefault(other, 1)
    thing in table
    group.add(other)
    thing in group
    {**table}
    [*items]
    holder = Holder(thing)
    holder.held
    holder.held = other
    holder.held.value = 3
    holder.held.work()
    Owner.shared = thing
    Owner.shared
    getattr(thing, "value", None), hasattr(thing, "value"), setattr(thing, "value", 2), delattr(thing, "value")
    _in_a_match(thing), _in_a_match([thing]), _in_a_match(Holder(thing))
    (lambda given, *rest, **named: given)(thing, other, named=thing)
    callback = thing
    callback(1)
    {"call": thing}["call"](1)
    threads = [threading.Thread(target=thing, args=(other,)), threading.Thread(target=holder.held)]
    for thread in threads:
        thread.start()
        thread.join()
    try:
        raise ValueError(thing)
    except ValueError as error:
        error.args
    return texts, first, second


def recorded(make):
    """Return the operations recorded before the program runs and those recorded while it runs."""
    before = list(LOG)
    LOG.clear()
    use(make)
    during = list(LOG)
    LOG.clear()
    return before, during
