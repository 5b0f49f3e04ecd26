"""Twins of the sources of random numbers: each thread of a controlled execution draws from a stream of its own.

The stream depends only on the label of the thread. So all executions draw the same numbers, and the numbers that a
thread draws do not depend on when other threads draw theirs. The functions of the module `random` are replaced until
the program seeds them, `random.Random()` without a seed, and `os.urandom`, on which `uuid.uuid4` and `secrets` rely.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

from raddle.engine.carrier import Carrier, getcurrent
from raddle.engine.points import RANDOM
from raddle.threads.state import ThreadState
from raddle.threads.twins.resemblance import resemble

RealRandom = random.Random
_hidden = random.random.__self__  # type: ignore[attr-defined] # the object whose methods are the module's functions
_real_seed = RealRandom.seed
_real_urandom = os.urandom
_SEEDING = frozenset({"seed", "setstate"})


def _state() -> ThreadState | None:
    """Return the state of the current thread; None outside a controlled execution."""
    me = getcurrent()
    return me.own if me.__class__ is Carrier else None


def _stream_of(state: ThreadState) -> random.Random:
    if state.stream is None:
        me = getcurrent()
        assert isinstance(me, Carrier)
        state.stream = RealRandom(me.label)
        me.engine.known_points.add_kind(RANDOM)
    return state.stream


class UnseededRandom(RealRandom):
    """The class of a `random.Random` that was created without a seed in a controlled execution."""

    def random(self) -> float:
        state = _state()
        return super().random() if state is None else _stream_of(state).random()

    def getrandbits(self, k: int, /) -> int:
        state = _state()
        return super().getrandbits(k) if state is None else _stream_of(state).getrandbits(k)

    def gauss(self, mu: float = 0.0, sigma: float = 1.0) -> float:
        state = _state()  # the real method keeps every second number for the next call, of whichever thread
        return super().gauss(mu, sigma) if state is None else _stream_of(state).gauss(mu, sigma)

    def setstate(self, state: Any) -> None:
        _set_class(self, RealRandom)
        self.setstate(state)

    def __reduce__(self) -> Any:
        return RealRandom, (), self.getstate()


resemble(UnseededRandom, RealRandom)


def _set_class(generator: Any, cls: type[random.Random]) -> None:
    generator.__class__ = cls


def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
    state = _state()
    if state is None or a is not None:
        if type(self) is UnseededRandom and a is not None:
            _set_class(self, RealRandom)
        _real_seed(self, a, version)
        return
    if type(self) is RealRandom:
        _set_class(self, UnseededRandom)
    _real_seed(self, _stream_of(state).getrandbits(64), version)


def urandom(size: int, /) -> bytes:
    state = _state()
    return _real_urandom(size) if state is None else _stream_of(state).randbytes(size)


def _twin(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    """Return the twin of a function of the module `random`."""

    def draw(*args: Any, **kwargs: Any) -> Any:
        state = _state()
        if state is None or state.world.seeded:
            return real(*args, **kwargs)
        if name in _SEEDING:
            if not any(value is not None for value in (*args[:1], *kwargs.values())):
                return None  # not seeded, as before
            state.world.seeded = True  # the program wants these numbers, whichever thread draws them
            return real(*args, **kwargs)
        return getattr(_stream_of(state), name)(*args, **kwargs)  # all functions are methods of `Random`

    return draw


PATCHES: tuple[tuple[type, str, Any], ...] = ((RealRandom, "seed", seed),)
NAMES: dict[Any, Any] = {
    _real_urandom: urandom,
    **{
        function: _twin(name, function)
        for name, function in vars(random).items()
        if getattr(function, "__self__", None) is _hidden
    },
}
