"""Locks and queues of a program that is watched look like real ones."""

from __future__ import annotations

import _queue
import _thread
import queue
import threading

import pytest
from natively import watching

MAKERS = {
    "Lock": lambda: threading.Lock(),
    "RLock": lambda: threading.RLock(),
    "SimpleQueue": lambda: queue.SimpleQueue(),
}
KINDS = {"Lock": _thread.LockType, "RLock": _thread.RLock, "SimpleQueue": _queue.SimpleQueue}


def described(made):
    kind = type(made)
    return kind.__module__, kind.__name__, kind.__qualname__, repr(kind), made.__class__.__module__


@pytest.mark.parametrize("name", MAKERS)
def test_looks_like_the_real_one(name, tmp_path):
    expected = described(MAKERS[name]())
    with watching(tmp_path):
        made = MAKERS[name]()
    assert type(made) is not KINDS[name]  # it is watched
    assert described(made) == expected
    assert isinstance(made, KINDS[name])
