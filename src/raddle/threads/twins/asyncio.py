"""Event loops in controlled threads: each thread has a running loop of its own, and loops sleep in virtual time.

`asyncio` keeps the running loop of each OS thread in C, and since 3.14 the running task, too. All carriers share one
thread, so both are exchanged at each switch to another carrier while any loop runs under engine. A loop that waits
with a timeout waits as `time.sleep` does; one that waits for input without end is beyond engine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import greenlet

from raddle import env
from raddle.engine import waits
from raddle.engine.carrier import Carrier, getcurrent
from raddle.threads.endings import uncontrolled
from raddle.threads.twins.local import local

WAITS_FOR_INPUT = (
    "an event loop or selector waits for input, which raddle does not control: replace what it waits for in the "
    "scenario (a fake, asyncio.sleep)"
)

FREE_READINGS = 1_000  # of a loop's clock, in one execution

_running: dict[Any, Any] = {}  # by carrier
_tasks: dict[Any, Any] = {}  # by carrier that does not run: the task that its loop has begun a step of
_hooks: dict[Any, Any] = {}  # by greenlet that does not run: what the loop does with asynchronous generators
_traced_before: list[Any] = []


class _Local(local):
    """What an event loop policy knows of each thread."""

    _loop = None
    _set_called = False


def names() -> dict[Any, Any]:
    """What is replaced by name: nothing where `asyncio` was not imported."""
    events = sys.modules.get("asyncio.events")
    if events is None:
        return {}
    real_set = events._set_running_loop

    def switched(event: str, greenlets: tuple[Any, Any]) -> None:
        origin, target = greenlets
        _hooks[origin] = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(*_hooks.pop(target, (None, None)))
        _swap_task(origin, None)
        real_set(_running.get(target))
        _swap_task(target, _tasks.pop(target, None))

    def set_running_loop(loop: Any) -> None:
        me = getcurrent()
        if me.__class__ is Carrier:
            if loop is not None:
                if not _running:
                    _traced_before.append(greenlet.settrace(switched))
                _running[me] = loop
            elif _running.pop(me, None) is not None and not _running:
                stop_switching()
        real_set(loop)

    return {real_set: set_running_loop}


def _swap_task(carrier: Any, task: Any) -> None:
    """Put a task in the place of the one that a carrier's loop, the running loop, has begun a step of."""
    loop = _running.get(carrier) if env.RUNNING_TASK_IS_PER_THREAD else None
    if loop is not None:
        before = sys.modules["asyncio.tasks"]._swap_current_task(loop, task)
        if before is not None:
            _tasks[carrier] = before


def fields() -> Iterator[tuple[dict[str, Any], str, Any]]:
    """Namespaces, names and values: each thread has a loop of its own with the policy there is."""
    events = sys.modules.get("asyncio.events")
    policy = getattr(events, "_event_loop_policy", None)
    if isinstance(getattr(policy, "_local", None), _local_kind(events)):
        yield policy.__dict__, "_local", _Local()


def methods() -> Iterator[tuple[type, str, Any]]:
    """Methods of classes that exist by now."""
    events = sys.modules.get("asyncio.events")
    kind = getattr(events, env.EVENT_LOOP_POLICY, None)
    if kind is not None and "_Local" in kind.__dict__:
        yield kind, "_Local", _Local
    base = getattr(sys.modules.get("asyncio.base_events"), "BaseEventLoop", None)
    if base is not None:
        yield base, "time", _time_of(base.time)
    selectors = sys.modules.get("selectors")
    for found in list(vars(selectors).values()) if selectors is not None else ():
        if isinstance(found, type) and issubclass(found, selectors.BaseSelector):  # type: ignore[union-attr]
            real = found.__dict__.get("select")
            if real is not None and not getattr(real, "__isabstractmethod__", False):
                yield found, "select", _selecting(real)


def _local_kind(events: Any) -> Any:
    kind = getattr(events, env.EVENT_LOOP_POLICY, None)
    return getattr(kind, "_Local", ())


def _time_of(real: Callable[[Any], float]) -> Callable[[Any], float]:
    """Costs nothing at first, unlike other readings of the clock.

    A loop reads it all the time. Loops that sleep equally long must wake at the same moment: who read it first is
    nothing that a schedule tells.
    """

    @wraps(real)
    def time(self: Any) -> float:
        me = getcurrent()
        if me.__class__ is not Carrier:
            return real(self)
        engine = me.engine
        if engine.clock.readings < FREE_READINGS:
            engine.clock.readings += 1
            return engine.clock.now
        return real(self)

    return time


def _selecting(real: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(real)
    def select(self: Any, timeout: float | None = None) -> Any:
        me = getcurrent()
        if me.__class__ is not Carrier or (timeout is not None and timeout <= 0):
            return real(self, timeout)
        found = real(self, 0)
        if found:
            return found
        if timeout is None:
            uncontrolled(me, WAITS_FOR_INPUT)
        else:
            waits.sleep(me, timeout)
        return real(self, 0)

    return select


def stop_switching() -> None:
    """No loop runs under control any more."""
    _running.clear()
    _hooks.clear()
    _tasks.clear()
    while _traced_before:
        greenlet.settrace(_traced_before.pop())
