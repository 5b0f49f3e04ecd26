"""Twins resemble the originals, because programs check classes, names and modules.

Trio, for example, checks the class of its locks.
"""

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
from controlled import controlled, result_of

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


def _repr_without_address(obj):
    return repr(obj).split(" at 0x")[0]


PROPERTIES = {
    "module": lambda made: type(made).__module__,
    "module of __class__": lambda made: made.__class__.__module__,
    "qualified name": lambda made: type(made).__qualname__,
    "class": lambda made: repr(type(made)),
    "repr": _repr_without_address,
    "pickled": lambda made: result_of(lambda: pickle.dumps(made)),
    "copied": lambda made: result_of(lambda: copy.copy(made)),
    "deep-copied": lambda made: result_of(lambda: copy.deepcopy(made)),
}


@pytest.mark.parametrize("describe", PROPERTIES.values(), ids=PROPERTIES.keys())
@pytest.mark.parametrize("name", MAKERS)
def test_a_twin_resembles_the_real_object(name, describe):
    assert controlled(lambda: describe(MAKERS[name]())) == describe(MAKERS[name]())


@pytest.mark.parametrize("name", MAKERS)
def test_a_twin_is_an_instance_of_the_real_class(name):
    assert controlled(lambda: isinstance(MAKERS[name](), REAL[name]))


@pytest.mark.parametrize("name", ["SimpleQueue", "RLock", "local"])
def test_an_instance_of_a_subclass_has_the_subclass_as_its_class(name):
    def scenario():
        kind = {"SimpleQueue": queue.SimpleQueue, "RLock": _thread.RLock, "local": threading.local}[name]

        class Mine(kind):
            pass

        instance = Mine()
        return isinstance(instance, Mine), instance.__class__ is Mine, type(instance).__name__

    assert controlled(scenario) == (True, True, "Mine")


def test_a_real_queue_is_an_instance_of_the_twins_class():
    real = queue.SimpleQueue()
    assert controlled(lambda: isinstance(real, queue.SimpleQueue))


BAD_CALLS = {
    "Lock": lambda: threading.Lock(1),
    "SimpleQueue": lambda: queue.SimpleQueue(1),
    "allocate_lock": lambda: _thread.allocate_lock(1),
    "lock class as a base": lambda: type("Mine", (type(threading.Lock()),), {}),
}


@pytest.mark.parametrize("call", BAD_CALLS.values(), ids=BAD_CALLS.keys())
def test_invalid_calls_fail_as_with_the_real_class(call):
    assert controlled(lambda: result_of(call)) == result_of(call)


FUNCTIONS = [real for real, twin in NAMES.items() if inspect.isfunction(twin)]


@pytest.mark.parametrize("real", FUNCTIONS, ids=lambda real: real.__name__)
def test_function_twins_have_the_module_name_and_docstring_of_the_original(real):
    twin = NAMES[real]
    assert (twin.__module__, twin.__name__, twin.__doc__) == (real.__module__, real.__name__, real.__doc__)


@pytest.mark.parametrize(("owner", "name", "twin"), METHODS, ids=lambda part: getattr(part, "__name__", part))
def test_method_twins_have_the_module_name_and_docstring_of_the_original(owner, name, twin):
    real = owner.__dict__.get(name)
    if inspect.isfunction(real) and inspect.isfunction(twin):
        assert (twin.__module__, twin.__qualname__, twin.__doc__) == (real.__module__, real.__qualname__, real.__doc__)


def test_the_function_twins_include_time_and_get_ident():
    assert {time.sleep, time.monotonic, _thread.get_ident} <= set(FUNCTIONS)
    assert REAL["SimpleQueue"] is _queue.SimpleQueue
