"""The world of Python threads: the engine's interface to the threads of an execution."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from raddle.checks.crash import explain_error
from raddle.checks.stuck import Waiter, explain_stuck
from raddle.engine.carrier import Carrier
from raddle.engine.participant import Participant
from raddle.engine.world import World
from raddle.inspection import resource_kind
from raddle.operation import GET, JOIN, SLEEP
from raddle.outcome import Outcome
from raddle.threads.state import ThreadState
from raddle.threads.twins.adopt import refresh_holders
from raddle.threads.twins.lock import Lock, RLock
from raddle.threads.twins.thread import mark_ended, reset_names
from raddle.wait import Lock as HeldLock
from raddle.wait import Wait

if TYPE_CHECKING:
    from raddle.engine.engine import Engine


class ThreadWorld(World):
    """Python threads, each carried by a greenlet and described by a `ThreadState`."""

    letter = "T"

    def __init__(self) -> None:
        self.sites_in: Callable[[object], Sequence[int]] = lambda function: ()  # returns the sites in a function
        self.spawned: Callable[[], None] = lambda: None  # called after a thread has been started
        self.numbered = 0  # number of futures and threads numbered in this execution
        self.seeded = False  # whether the program has seeded the module `random` in this execution
        # Ids of conditions that were notified while no thread was waiting, and of events that were set and cleared.
        self.lost: set[int] = set()
        self.excepthook: Callable[..., object] = threading.excepthook  # the hook that was set when the execution began
        # Called with an exception that escapes from a thread. If it returns true, the thread ends and others continue.
        self.absorbs: Callable[[Carrier, BaseException], bool] = _absorb_nothing
        self._main_thread, self._main_ident = threading.current_thread(), threading.get_ident()

    def begin(self, engine: Engine, main: Carrier) -> None:
        self.numbered = 0
        self.seeded = False
        self.lost = set()
        self.excepthook = threading.excepthook
        self.absorbs = _absorb_nothing
        reset_names()
        refresh_holders()
        main.ident = self._main_ident
        main.own = ThreadState(self, self._main_thread)

    def end(self, carriers: Sequence[Carrier], unbegun: Sequence[Carrier]) -> None:
        threading.excepthook = self.excepthook
        for carrier in unbegun:
            if carrier.own.thread is not None:
                mark_ended(carrier.own.thread)
        for carrier in carriers:
            for lock in carrier.own.held:
                lock.drop()

    def awaited(self, participant: Participant) -> Carrier | None:
        """Return the holder of the lock that a thread waits for, or the thread that it joins."""
        target: Any = participant.target
        awaited = target.holder if issubclass(type(target), (Lock, RLock)) else target
        return awaited if type(awaited) is Carrier else None

    def explain_error(self, error: BaseException, me: Carrier) -> Outcome:
        return explain_error(error, me.label)

    def explain_stuck(self, waiting: Sequence[Carrier], engine: Engine) -> Outcome | None:
        if all(carrier.daemon or _is_idle_pool_worker(carrier) for carrier in waiting):
            return None
        return explain_stuck([self._waiter(carrier, engine) for carrier in waiting])

    def _waiter(self, carrier: Carrier, engine: Engine) -> Waiter:
        target: Any = carrier.target
        awaited = self.awaited(carrier)
        wait = Wait(
            thread=carrier.label,
            kind=carrier.kind,
            resource="" if carrier.kind in (JOIN, SLEEP) else resource_kind(type(target)),
            waits_for="" if awaited is None else awaited.label,
            acquired_at=target.taken_at if issubclass(type(target), (Lock, RLock)) else None,
            place=engine.place(carrier),
            holds=tuple(HeldLock(resource_kind(type(lock)), lock.taken_at) for lock in carrier.own.held),
        )
        return Waiter(wait, lost=id(target) in self.lost, daemon=carrier.daemon)


def _absorb_nothing(me: Carrier, error: BaseException) -> bool:
    """Let every exception that escapes from a thread end the execution."""
    return False


def _is_idle_pool_worker(carrier: Carrier) -> bool:
    """Return whether a thread is an idle worker of a `ThreadPoolExecutor`, which the interpreter ends at exit."""
    from concurrent.futures.thread import _threads_queues

    thread = carrier.own.thread
    return thread is not None and thread in _threads_queues and carrier.kind == GET
