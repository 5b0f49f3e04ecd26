"""A carrier: the greenlet in which one controlled thread runs.

Twins find out whether they are under control by asking for the current greenlet: a carrier means yes,
anything else (another OS thread, code outside an execution) means that the real primitive must act.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from greenlet import getcurrent, greenlet

from raddle.operation import BEGIN, Kind

if TYPE_CHECKING:
    import threading

    from raddle.schedulers.base import Alternative

__all__ = ["Abort", "Carrier", "Control", "getcurrent"]


class Abort(BaseException):
    """Thrown into every thread that is left when an execution ends; user code must not survive it."""


class Control(Protocol):
    """What twins ask of the controller."""

    now: float
    steps: int  # scheduling points so far, of all threads
    readings: int  # of the clock
    futures: int  # and threads, numbered so far
    excepthook: Callable[..., object]  # threading.excepthook as it was when the execution began
    observing: bool
    measuring: bool
    aborting: bool  # every thread that is still there is being thrown out
    carriers: list[Carrier]
    lost: set[int]  # ids of conditions and events whose notification nobody was there to hear
    visible: Container[str]  # kinds of resource somebody looks at without blocking: their releases matter

    def reach(self, me: Carrier) -> None:
        """The running thread is about to do what its fields say; returns when it may."""

    def wait(self, me: Carrier, kind: Kind, target: object, ready: Callable[[], bool], seconds: float) -> bool:
        """Block until `ready`, at most that long in virtual time; False where the time ran out."""

    def set_timer(self, me: Carrier, seconds: float) -> None:
        """Have `me.timed_out` become true after that long in virtual time, unless the wait ends before."""

    def happened(self, me: Carrier, kind: Kind, target: object, value: object = None) -> None:
        """Tell the observers (only worth calling while `observing`)."""

    def noted(self, me: Carrier, kind: Kind, target: Any) -> None:
        """Tell criteria of what no story mentions (only worth calling while `measuring`)."""

    def changed(self, me: Carrier, owner: object, name: str, *, writes: bool = True) -> None:
        """A twin changed, or looked at, what code with probes can reach by itself: the items of a queue."""

    def spawn(self, me: Carrier, run: Callable[[], object], thread: threading.Thread | None) -> Carrier:
        """A new controlled thread that will call `run`."""

    def join(self, me: Carrier, other: Carrier, seconds: float | None) -> bool:
        """Block until the other thread has ended; False where the time ran out."""

    def sleep(self, me: Carrier, seconds: float) -> None:
        """Block for that long in virtual time."""

    def observe(self, kind: str) -> None:
        """Somebody looks at a resource of this kind without blocking."""

    def fail(self, me: Carrier, error: BaseException) -> None:
        """A thread died of an exception."""

    def uncontrolled(self, me: Carrier, message: str) -> None:
        """The thread is about to leave our control; ends the execution."""

    def died(self, me: Carrier, how: str) -> None:
        """The thread is about to end the process; ends the execution."""


class Carrier(greenlet):
    """One controlled thread: who it is, what it is about to do, what it holds."""

    __slots__ = (
        "born", "children", "clock", "control", "daemon", "done", "held", "ident", "index", "joiners", "kind", "label",
        "locals", "lookups", "name", "open", "parked", "raised", "ready", "run_now", "segment", "site", "target",
        "thread", "timed_out", "timer",
    )  # fmt: skip

    control: Control
    index: int  # in order of creation
    label: str  # by descent, the same in every execution: T2 is the second thread that T0 started, T2.1 its first
    thread: threading.Thread | None  # the user's object, if there is one
    ident: int
    daemon: bool
    done: bool
    children: int

    run_now: Callable[[], object]  # the thread's own code

    # The pending operation: what the thread does as soon as it is chosen.
    kind: Kind
    target: Any  # the object touched, or the resource
    name: str
    site: int
    ready: Callable[[], bool] | None  # None: nothing can keep it from going on
    alternatives: Callable[[], Sequence[Alternative]] | None = None  # the outcomes possible now; None: there is one

    # The gil model: could CPython have switched since the thread last touched something shared?
    open: bool

    # For what joins and starts order: segments count the thread's starts of others.
    segment: int
    clock: dict[int, int]
    born: tuple[int, int]  # who started it, in which segment

    joiners: list[Carrier]
    parked: bool  # waits for a thread's end or for time: not even asked whether it is ready
    timer: int  # the ticket of the wait under way
    timed_out: bool
    held: list[Any]  # locks, in order of acquisition
    locals: dict[int, Any]
    lookups: list[Any]  # in caches, of what is being computed
    raised: int  # how often it was told that the execution is over

    def reset(self) -> None:
        """Become a thread that has done nothing yet."""
        self.daemon = self.done = self.parked = self.timed_out = False
        self.children = self.segment = self.timer = self.raised = 0
        self.open = True
        self.kind = BEGIN
        self.target = self.ready = None
        self.name = ""
        self.site = 0
        self.joiners = []
        self.held = []
        self.locals = {}
        self.lookups = []

    def __repr__(self) -> str:
        return f"<{self.label} before {self.kind} {self.name}>"
