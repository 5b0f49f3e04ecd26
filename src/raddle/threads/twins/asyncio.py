"""Twins for `asyncio`: each controlled thread has its own running loop, and loops sleep in virtual time.

`asyncio` stores the running loop of each OS thread in C, and since 3.14 also the running task. All carriers share one
OS thread, so both are swapped at each switch between carriers while a loop runs. A loop that waits with a timeout
behaves like `time.sleep`. raddle cannot control a loop that waits for input without a timeout.
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
from raddle.threads.endings import end_uncontrolled
from raddle.threads.twins.local import local

WAITS_FOR_INPUT = (
    "an event loop or selector waits for input, which raddle does not control: in the scenario, replace the source of "
    "the input with a fake or with asyncio.sleep"
)

FREE_READINGS = 1_000  # number of clock readings by loops, per execution, that do not advance virtual time

_running: dict[Any, Any] = {}  # maps a carrier to its running loop
_tasks: dict[Any, Any] = {}  # maps a suspended carrier to the current task of its loop
_hooks: dict[Any, Any] = {}  # maps a suspended greenlet to its hooks for asynchronous generators
_previous_tracers: list[Any] = []  # greenlet trace functions to restore


class _Local(local):
    """The per-thread state of an event loop policy."""

    _loop = None
    _set_called = False


def names() -> dict[Any, Any]:
    """Return a dict from real functions to their twins; it is empty if `asyncio` is not imported."""
    events = sys.modules.get("asyncio.events")
    if events is None:
        return {}
    real_set = events._set_running_loop

    def on_switch(event: str, greenlets: tuple[Any, Any]) -> None:
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
                    _previous_tracers.append(greenlet.settrace(on_switch))
                _running[me] = loop
            elif _running.pop(me, None) is not None and not _running:
                stop_switching()
        real_set(loop)

    return {real_set: set_running_loop}


def _swap_task(carrier: Any, task: Any) -> None:
    """Make `task` the current task of a carrier's loop, and save the previous one."""
    loop = _running.get(carrier) if env.RUNNING_TASK_IS_PER_THREAD else None
    if loop is not None:
        previous = sys.modules["asyncio.tasks"]._swap_current_task(loop, task)
        if previous is not None:
            _tasks[carrier] = previous


def fields() -> Iterator[tuple[dict[str, Any], str, Any]]:
    """Yield (namespace, name, new value) to patch the current event loop policy, which keeps one loop per thread."""
    events = sys.modules.get("asyncio.events")
    policy = getattr(events, "_event_loop_policy", None)
    if isinstance(getattr(policy, "_local", None), _policy_local_type(events)):
        yield policy.__dict__, "_local", _Local()


def methods() -> Iterator[tuple[type, str, Any]]:
    """Yield (class, method name, twin) for each loaded class that has to be patched."""
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
                yield found, "select", _controlled_select(real)


def _policy_local_type(events: Any) -> Any:
    kind = getattr(events, env.EVENT_LOOP_POLICY, None)
    return getattr(kind, "_Local", ())


def _time_of(real: Callable[[Any], float]) -> Callable[[Any], float]:
    """Return a twin of a loop's `time` whose first `FREE_READINGS` readings do not advance virtual time.

    A loop reads its clock very often. Loops that sleep equally long must wake at the same moment, because a schedule
    does not determine which loop reads the clock first.
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


def _controlled_select(real: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(real)
    def select(self: Any, timeout: float | None = None) -> Any:
        me = getcurrent()
        if me.__class__ is not Carrier or (timeout is not None and timeout <= 0):
            return real(self, timeout)
        found = real(self, 0)
        if found:
            return found
        if timeout is None:
            end_uncontrolled(me, WAITS_FOR_INPUT)
        else:
            waits.sleep(me, timeout)
        return real(self, 0)

    return select


def stop_switching() -> None:
    """Stop swapping loops and tasks, because no controlled loop is running."""
    _running.clear()
    _hooks.clear()
    _tasks.clear()
    while _previous_tracers:
        greenlet.settrace(_previous_tracers.pop())
