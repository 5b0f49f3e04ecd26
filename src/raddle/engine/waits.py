"""Waits of the running participant: for a condition, for a time, for the end of another one.

How long a wait takes is a matter of virtual time, and of the rules: a timeout expires when every other participant is
blocked, or at any time.
"""

from __future__ import annotations

from collections.abc import Callable

from raddle.engine.carrier import Carrier
from raddle.engine.participant import Alternative
from raddle.engine.rules import Timeouts
from raddle.operation import JOIN, SLEEP, Kind

# The outcomes of a wait whose timeout may expire although it could go on.
PROCEEDS, EXPIRES = Alternative("proceeds"), Alternative("expires")
_BOTH, _EXPIRES_ONLY = (PROCEEDS, EXPIRES), (EXPIRES,)

Ready = Callable[[], bool]


def wait(me: Carrier, kind: Kind, target: object, ready: Ready, seconds: float, *, needs: Ready | None = None) -> bool:
    """Block until `ready`, at most that long in virtual time; return False if the time ran out.

    A time of 0 is over at once: the participant does not wait until every other one is blocked. However long it takes,
    it goes on only if it has what it `needs` for looking: a queue's mutex is free.
    """
    engine = me.engine
    if seconds <= 0:
        engine.operate(me, kind, target, needs)
        return ready()
    _set_timer(me, seconds)
    try:
        if engine.rules.timeouts is Timeouts.ANY:  # it expires unless it is ready by the time it is chosen
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
    """Block like `wait`, and also, however long that takes, until `needs` is true: a condition's lock is free.

    Meanwhile the time may run out and the participant become ready, too: either can come first then.
    """
    engine = me.engine
    _set_timer(me, seconds)
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
    """Block for that long in virtual time; 0 only lets others go first."""
    engine = me.engine
    if seconds > 0 and engine.rules.timeouts is Timeouts.LATE:
        me.kind, me.target, me.ready = SLEEP, None, None
        _set_timer(me, seconds)
        engine.park(me)
        me.timed_out = False
        return
    if seconds > 0:
        engine.known_points.kind("time")
    engine.operate(me, SLEEP, None)
    if seconds > 0:
        engine.clock.now += seconds


def join(me: Carrier, other: Carrier, seconds: float | None) -> bool:
    """Block until the other participant has ended; return False if the time ran out."""
    engine = me.engine
    if seconds is not None and engine.rules.timeouts is Timeouts.ANY:
        engine.mark_observed("thread")  # it matters when exactly the other one ends
        wait(me, JOIN, other, lambda: other.done, seconds)
    elif "join" in engine.known_points.kinds:  # a search counts it as a step of its own
        if seconds is not None:
            wait(me, JOIN, other, lambda: other.done, seconds)
        else:
            engine.operate(me, JOIN, other, lambda: other.done)
    elif not other.done:
        _park_until_end(me, other, seconds)
    elif engine.aborting:
        engine.refuse(me)
    if other.done and seconds is None:  # else it need not have been: the time may have been over before
        _learn_from(me, other)
    if engine.observing:
        engine.happened(me, JOIN, other)
    return other.done


def _park_until_end(me: Carrier, other: Carrier, seconds: float | None) -> None:
    me.kind, me.target, me.ready = JOIN, other, None
    me.timed_out = False
    other.joiners.append(me)
    if seconds is not None:
        _set_timer(me, seconds)
    me.engine.park(me)
    if me.timed_out:
        me.timed_out = False
        if me in other.joiners:
            other.joiners.remove(me)


def _learn_from(me: Carrier, other: Carrier) -> None:
    """Note that everything that the other participant did, or knew of, happens before what comes now."""
    clock, mine = me.clock, me.index
    for index, segment in other.clock.items():
        if index != mine and clock.get(index, -1) < segment:
            clock[index] = segment
    clock[other.index] = other.segment


def _set_timer(me: Carrier, seconds: float) -> None:
    """Have `me.timed_out` become true after that long, unless the wait ends before."""
    me.timed_out = False
    me.engine.known_points.kind("time")
    me.engine.clock.set_timer(me, seconds)


def _end_timer(me: Carrier) -> None:
    me.timed_out = False
    me.timer = 0
