"""The wrapped locks and queues of a watched program look like the original types."""

from __future__ import annotations

import _queue
import _thread
import queue
import threading

import pytest
from native_recording import watching

FACTORIES = {
    "Lock": lambda: threading.Lock(),
    "RLock": lambda: threading.RLock(),
    "SimpleQueue": lambda: queue.SimpleQueue(),
}
ORIGINALS = {"Lock": _thread.LockType, "RLock": _thread.RLock, "SimpleQueue": _queue.SimpleQueue}


def description(wrapper):
    kind = type(wrapper)
    return kind.__module__, kind.__name__, kind.__qualname__, repr(kind), wrapper.__class__.__module__


@pytest.mark.parametrize("name", FACTORIES)
def test_a_wrapper_looks_like_the_original(name, tmp_path):
    expected = description(FACTORIES[name]())
    with watching(tmp_path):
        wrapper = FACTORIES[name]()
    assert type(wrapper) is not ORIGINALS[name]  # it is a wrapper
    assert description(wrapper) == expected
    assert isinstance(wrapper, ORIGINALS[name])
