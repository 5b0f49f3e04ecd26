"""Twins look like what they stand for: programs check classes, names and modules, as Trio does of its locks."""

from __future__ import annotations

import _queue
import _thread
import copy
import inspect
import pickle
import queue
import threading
import time

import pytest
from controlled import controlled, said

from raddle.threads.patches import METHODS, NAMES

REAL = {"Lock": type(threading.Lock()), "RLock": type(threading.RLock()), "SimpleQueue": queue.SimpleQueue}
REAL |= {"local": threading.local, "allocate_lock": type(_thread.allocate_lock())}
MAKERS = {
    "Lock": lambda: threading.Lock(),
    "RLock": lambda: threading.RLock(),
    "SimpleQueue": lambda: queue.SimpleQueue(),
    "local": lambda: threading.local(),
    "allocate_lock": lambda: _thread.allocate_lock(),
}


def _shown(obj):
    """Without its address."""
    return repr(obj).split(" at 0x")[0]


LOOKS = {
    "module": lambda made: type(made).__module__,
    "module of what it says": lambda made: made.__class__.__module__,
    "qualified name": lambda made: type(made).__qualname__,
    "class": lambda made: repr(type(made)),
    "repr": _shown,
    "pickled": lambda made: said(lambda: pickle.dumps(made)),
    "copied": lambda made: said(lambda: copy.copy(made)),
    "copied deeply": lambda made: said(lambda: copy.deepcopy(made)),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS.keys())
@pytest.mark.parametrize("name", MAKERS)
def test_looks_like_the_real_one(name, look):
    assert controlled(lambda: look(MAKERS[name]())) == look(MAKERS[name]())


@pytest.mark.parametrize("name", MAKERS)
def test_is_an_instance_of_the_real_class(name):
    assert controlled(lambda: isinstance(MAKERS[name](), REAL[name]))


@pytest.mark.parametrize("name", ["SimpleQueue", "RLock", "local"])
def test_of_a_subclass_is_the_subclass(name):
    def scenario():
        kind = {"SimpleQueue": queue.SimpleQueue, "RLock": _thread.RLock, "local": threading.local}[name]

        class Mine(kind):
            pass

        mine = Mine()
        return isinstance(mine, Mine), mine.__class__ is Mine, type(mine).__name__

    assert controlled(scenario) == (True, True, "Mine")


def test_real_ones_are_instances_of_what_stands_for_their_class():
    real = queue.SimpleQueue()
    assert controlled(lambda: isinstance(real, queue.SimpleQueue))


BAD_CALLS = {
    "Lock": lambda: threading.Lock(1),
    "SimpleQueue": lambda: queue.SimpleQueue(1),
    "allocate_lock": lambda: _thread.allocate_lock(1),
    "a base": lambda: type("Mine", (type(threading.Lock()),), {}),
}


@pytest.mark.parametrize("call", BAD_CALLS.values(), ids=BAD_CALLS.keys())
def test_refuses_what_the_real_one_refuses(call):
    assert controlled(lambda: said(call)) == said(call)


FUNCTIONS = [real for real, twin in NAMES.items() if inspect.isfunction(twin)]


@pytest.mark.parametrize("real", FUNCTIONS, ids=lambda real: real.__name__)
def test_functions_are_called_what_they_were(real):
    twin = NAMES[real]
    assert (twin.__module__, twin.__name__, twin.__doc__) == (real.__module__, real.__name__, real.__doc__)


@pytest.mark.parametrize(("owner", "name", "twin"), METHODS, ids=lambda part: getattr(part, "__name__", part))
def test_methods_are_called_what_they_were(owner, name, twin):
    real = owner.__dict__.get(name)
    if inspect.isfunction(real) and inspect.isfunction(twin):
        assert (twin.__module__, twin.__qualname__, twin.__doc__) == (real.__module__, real.__qualname__, real.__doc__)


def test_time_is_among_them():
    assert {time.sleep, time.monotonic, _thread.get_ident} <= set(FUNCTIONS)
    assert REAL["SimpleQueue"] is _queue.SimpleQueue
