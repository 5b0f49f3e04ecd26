"""Twins of the clocks and of `sleep` in `time`: controlled executions use virtual time.

Virtual time advances when no thread is enabled. Each reading of a clock also advances virtual time by a microsecond, so
that a loop that polls the clock terminates. After many readings, each further reading advances virtual time by a larger
amount, so that such a loop terminates soon.
"""

from __future__ import annotations

import time
from _thread import TIMEOUT_MAX
from collections.abc import Callable
from typing import Any

from raddle.engine import waits
from raddle.engine.carrier import Carrier, getcurrent

EPOCH = 1_700_000_000  # the value of time.time() at the start of every execution

_real_sleep = time.sleep


def sleep(seconds: float) -> None:
    me = getcurrent()
    if me.__class__ is not Carrier:
        _real_sleep(seconds)
        return
    if not 0 <= seconds <= TIMEOUT_MAX:
        _real_sleep(seconds)  # raises the real error
    waits.sleep(me, seconds)


def _clock(real: Callable[[], Any], origin: float, nanoseconds: bool) -> Callable[[], Any]:
    def read() -> Any:
        me = getcurrent()
        if me.__class__ is not Carrier:
            return real()
        engine = me.engine
        engine.clock.readings += 1
        engine.clock.now += 1e-6 if engine.clock.readings < 1000 else 1e-3 if engine.clock.readings < 10_000 else 1.0
        now = origin + engine.clock.now
        return int(now * 1e9) if nanoseconds else now

    read.__name__ = real.__name__
    return read


NAMES: dict[Any, Any] = {
    time.sleep: sleep,
    time.time: _clock(time.time, EPOCH, False),
    time.time_ns: _clock(time.time_ns, EPOCH, True),
    time.monotonic: _clock(time.monotonic, 0.0, False),
    time.monotonic_ns: _clock(time.monotonic_ns, 0.0, True),
    time.perf_counter: _clock(time.perf_counter, 0.0, False),
    time.perf_counter_ns: _clock(time.perf_counter_ns, 0.0, True),
}
