"""Waits of the running participant: for a condition, for a period of time, or for another participant to end.

Timeouts use virtual time. Depending on the rules, they expire only when every other participant is blocked, or at any
scheduling point.
"""

from __future__ import annotations

from collections.abc import Callable

from raddle.engine.carrier import Carrier
from raddle.engine.participant import Alternative
from raddle.engine.rules import Timeouts
from raddle.operation import JOIN, SLEEP, Kind

# The outcomes of a wait whose timeout may expire even though the wait could succeed.
PROCEEDS, EXPIRES = Alternative("proceeds"), Alternative("expires")
_BOTH, _EXPIRES_ONLY = (PROCEEDS, EXPIRES), (EXPIRES,)

# A timer that expires after all timers of programs: at most `threading.TIMEOUT_MAX`, about 9e9 seconds.
STALLED_SECONDS = 1e15

Ready = Callable[[], bool]


def wait(me: Carrier, kind: Kind, target: object, ready: Ready, seconds: float, *, needs: Ready | None = None) -> bool:
    """Block until `ready` is true, for at most `seconds` of virtual time; return False if the timeout expires.

    A timeout of 0 expires immediately, even if other participants are enabled. In any case, the participant continues
    only once `needs` is true. For example, checking a queue requires its mutex to be free.
    """
    engine = me.engine
    if seconds <= 0:
        engine.operate(me, kind, target, needs)
        return ready()
    _set_timer(me, seconds, ready)
    try:
        if engine.rules.timeouts is Timeouts.ANY:  # the timeout expires unless `ready` is true when `me` is chosen
            if kind.observes:
                engine.mark_observed(kind.observes)
            engine.operate(me, kind, target, needs)
            if not ready():
                engine.clock.expire(me)
        else:
            engine.operate(me, kind, target, lambda: ready() or (me.timed_out and (needs is None or needs())))
    finally:
        _end_timer(me)
    return ready()


def wait_for_both(me: Carrier, kind: Kind, target: object, ready: Ready, seconds: float, *, needs: Ready) -> bool:
    """Block like `wait`, and then until `needs` is true as well (for example, until a condition's lock is free).

    While the participant waits for `needs`, `ready` may become true and the timeout may expire. The scheduler then
    chooses which of the two happened first.
    """
    engine = me.engine
    _set_timer(me, seconds, ready)
    try:
        if engine.rules.timeouts is Timeouts.LATE:
            engine.operate(me, kind, target, lambda: (me.timed_out or ready()) and needs())
            return ready()
        taken = engine.operate_as_chosen(
            me, kind, target, lambda: () if not needs() else _BOTH if ready() else _EXPIRES_ONLY
        )
        if taken is EXPIRES:
            engine.clock.expire(me)
        return taken is PROCEEDS
    finally:
        _end_timer(me)


def sleep(me: Carrier, seconds: float) -> None:
    """Block for this many seconds of virtual time; with 0 seconds, this is only a scheduling point."""
    engine = me.engine
    if seconds > 0 and engine.rules.timeouts is Timeouts.LATE:
        me.kind, me.target, me.ready = SLEEP, None, None
        _set_timer(me, seconds, _never)
        engine.park(me)
        me.timed_out = False
        return
    if seconds > 0:
        engine.known_points.add_kind("time")
    engine.operate(me, SLEEP, None)
    if seconds > 0:
        engine.clock.now += seconds


def join(me: Carrier, other: Carrier, seconds: float | None) -> bool:
    """Block until the other participant has ended; return False if the timeout expires first."""
    engine = me.engine
    if seconds is not None and engine.rules.timeouts is Timeouts.ANY:
        engine.mark_observed("thread")  # the result depends on when the other participant ends
        wait(me, JOIN, other, lambda: other.done, seconds)
    elif "join" in engine.known_points.kinds:  # the search treats a join as a separate step
        if seconds is not None:
            wait(me, JOIN, other, lambda: other.done, seconds)
        else:
            engine.operate(me, JOIN, other, lambda: other.done)
    elif not other.done:
        _park_until_end(me, other, seconds)
    elif engine.aborting:
        engine.abort(me)
    if other.done and seconds is None:  # with a timeout, nothing orders the join after the end of the other participant
        _merge_clock(me, other)
    if engine.observing:
        engine.happened(me, JOIN, other)
    return other.done


def _park_until_end(me: Carrier, other: Carrier, seconds: float | None) -> None:
    me.kind, me.target, me.ready = JOIN, other, None
    me.timed_out = False
    other.joiners.append(me)
    if seconds is not None:
        _set_timer(me, seconds, lambda: other.done)
    me.engine.park(me)
    if me.timed_out:
        me.timed_out = False
        if me in other.joiners:
            other.joiners.remove(me)


def join_or_stall(me: Carrier, other: Carrier) -> bool:
    """Block until the other participant has ended, or until no participant can continue; return whether it has ended.

    This wait is not part of the program, so it does not count as a timed wait in the search.
    """
    if not other.done:
        me.kind, me.target, me.ready = JOIN, other, None
        me.timed_out = False
        other.joiners.append(me)
        me.engine.clock.set_timer(me, STALLED_SECONDS, lambda: other.done)
        me.engine.park(me)
        if me.timed_out:
            me.timed_out = False
            if me in other.joiners:
                other.joiners.remove(me)
    if other.done:
        _merge_clock(me, other)
    if me.engine.observing:
        me.engine.happened(me, JOIN, other)
    return other.done


def _merge_clock(me: Carrier, other: Carrier) -> None:
    """Record that all steps of the other participant, and everything ordered before them, happen before this point."""
    clock, mine = me.clock, me.index
    for index, segment in other.clock.items():
        if index != mine and clock.get(index, -1) < segment:
            clock[index] = segment
    clock[other.index] = other.segment


def _never() -> bool:
    """Return False, because only the timeout ends a sleep."""
    return False


def _set_timer(me: Carrier, seconds: float, in_time: Ready) -> None:
    """Start a timer that sets `me.timed_out` after `seconds` of virtual time, unless the wait ends earlier."""
    me.timed_out = False
    me.engine.known_points.add_kind("time")
    me.engine.clock.set_timer(me, seconds, in_time)


def _end_timer(me: Carrier) -> None:
    me.timed_out = False
    me.timer = None
