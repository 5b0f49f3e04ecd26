"""Kinds of operation: the one table of what a participant can be about to do, or has done.

Every reader of operations takes what it needs from a row of this table: the verb of a story, what a blocked thread
is said to wait for, which give a take takes from, and whether the operation is always a scheduling point. A world
adds its own rows (see `Kind`).
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple, TypeAlias


class Role(Enum):
    """How an operation takes part in the happens-before relation, or in data flow."""

    READ = "read"
    WRITE = "write"
    GIVE = "give"  # passes on what the thread knows, by way of a resource
    TAKE = "take"  # receives what a give passed on
    OBSERVE = "look"  # reads the state of a resource without blocking
    START = "start"
    END = "end"
    OTHER = "other"


class KindFacts(NamedTuple):
    """A row of the table: what is known about a kind of operation."""

    verb: str  # for stories: "T1 acquires Lock 1"
    role: Role = Role.OTHER
    waiting: str = ""  # for a blocked thread: "T1 waits to acquire Lock 1"
    partner: str = ""  # the kind of give that a TAKE takes from
    counted: bool = False  # each take uses up one give
    # The kind of resource that must have been looked at for this to be a scheduling point; "": it always is one. When
    # exactly a resource is given back cannot be observed by threads that only block on it: Lipton's left-movers.
    point_if_observed: str = ""


class Kind(str):
    """A kind of operation: its name, and the facts about it.

    A kind is its name as a string, so that steps, schedules and data files need no conversion. There is one object
    per name, in every process: unpickling a kind looks it up. The facts are kept elsewhere, as a string with
    attributes of its own is tracked by the garbage collector, and so are all steps that it is a part of.

    >>> ACQUIRE.verb, ACQUIRE.waiting, ACQUIRE.partner, ACQUIRE == "acquire"
    ('acquires', 'waits to acquire', 'release', True)
    """

    __slots__ = ()

    def __new__(cls, name: str, verb: str = "", **facts: Any) -> Kind:
        if name in KINDS:
            raise ValueError(f"there is already a kind of operation called {name!r}")
        self = KINDS[name] = super().__new__(cls, name)
        _KIND_FACTS[self] = KindFacts(verb or name, **facts)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return kind_named, (str(self),)

    @property
    def verb(self) -> str:
        return _KIND_FACTS[self].verb

    @property
    def role(self) -> Role:
        return _KIND_FACTS[self].role

    @property
    def waiting(self) -> str:
        return _KIND_FACTS[self].waiting

    @property
    def partner(self) -> str:
        return _KIND_FACTS[self].partner

    @property
    def counted(self) -> bool:
        return _KIND_FACTS[self].counted

    @property
    def point_if_observed(self) -> str:
        return _KIND_FACTS[self].point_if_observed

    @property
    def observes(self) -> str:
        """The kind of resource that a take looks at if it may fail: when exactly that is given back matters then."""
        return _KIND_FACTS[self.partner].point_if_observed if self.partner else ""

    @property
    def is_access(self) -> bool:
        """Whether it touches a variable: a read, a write or a deletion."""
        return _KIND_FACTS[self].role in (Role.READ, Role.WRITE)


_KIND_FACTS: dict[str, KindFacts] = {}
KINDS: dict[str, Kind] = {}

Effect: TypeAlias = "Kind | None"  # what a call does to an object; None: nothing that matters


def kind_named(name: str) -> Kind:
    """Return the kind with that name.

    >>> kind_named("wait-set") is WAIT_SET
    True
    """
    return KINDS[name]


def verb_of(name: str) -> str:
    """Return the verb for a kind, or its name if no kind is called that, as in a data file of a later version.

    >>> verb_of("down"), verb_of("teleport")
    ('gets a permit of', 'teleport')
    """
    kind = KINDS.get(name)
    return name if kind is None else kind.verb


# Variables
READ = Kind("read", "reads", role=Role.READ)
WRITE = Kind("write", "writes", role=Role.WRITE)
DELETE = Kind("delete", "deletes", role=Role.WRITE)

# Locks
ACQUIRE = Kind("acquire", "acquires", role=Role.TAKE, waiting="waits to acquire", partner="release")
TRY_ACQUIRE = Kind("try-acquire", "tries to acquire")
LOCKED = Kind("locked", role=Role.OBSERVE)
RELEASE = Kind("release", "releases", role=Role.GIVE, point_if_observed="lock")

# Conditions. A wait is a release of the lock and a wait; then woken, if notified, and an acquire.
WAIT = Kind("wait", "waits for", waiting="waits for a notification of")
WOKEN = Kind("woken", "wakes from", role=Role.TAKE, partner="notify")
NOTIFY = Kind("notify", "notifies", role=Role.GIVE)

# Events
SET = Kind("set", "sets", role=Role.GIVE, point_if_observed="event")
CLEAR = Kind("clear", "clears")
IS_SET = Kind("is-set", "looks at", role=Role.OBSERVE)
# Arriving at a wait gives nothing back, but cannot be observed either unless some thread clears the event.
BEFORE_WAIT = Kind("before-wait", role=Role.OBSERVE, point_if_observed="event")
WAIT_SET = Kind("wait-set", "has waited for", role=Role.TAKE, waiting="waits for the setting of", partner="set")

# Semaphores
DOWN = Kind(
    "down", "gets a permit of", role=Role.TAKE, waiting="waits for a permit of", partner="up", counted=True
)  # fmt: skip
TRY_DOWN = Kind("try-down", "tries to get a permit of")
UP = Kind("up", "gives a permit back to", role=Role.GIVE, point_if_observed="semaphore")
BOUNDED_UP = Kind("bounded-up")

# Queues
PUT = Kind("put", "puts into", role=Role.GIVE, waiting="waits for room in")
GET = Kind("get", "gets from", role=Role.TAKE, waiting="waits for an item from", partner="put", counted=True)
SIZE = Kind("size", role=Role.OBSERVE)
TASK_DONE = Kind("task-done", role=Role.GIVE)
JOIN_QUEUE = Kind("join-queue", role=Role.TAKE, waiting="waits until all tasks are done of", partner="task-done")

# Threads
BEGIN = Kind("begin")
START = Kind("start", "starts", role=Role.START, point_if_observed="thread")
JOIN = Kind("join", waiting="waits for the end of")
JOIN_IN_TIME = Kind("join-in-time")  # with a timeout: the other thread has ended, but need not have
END = Kind("end", role=Role.END, point_if_observed="thread")
IS_ALIVE = Kind("is-alive", role=Role.OBSERVE)
SLEEP = Kind("sleep", waiting="sleeps")
WAIT_FOR_TURN = Kind("wait-for-turn", waiting="waits for the turn of a participant that it carries")

# Steps that are no operations: what observers note besides. See `raddle.step`.
BLOCKED = Kind("blocked")
FAILED = Kind("failed")  # a call that may fail got nothing: a try-acquire, a wait that timed out
REENTER = Kind("reenter")  # an inner acquire of a re-entrant lock
TASK = Kind("task")
ENTER = Kind("enter")
LEAVE = Kind("leave")
BLOCK = Kind("block")
CREATED = Kind("made")  # a resource
HOLD_MUTEX = Kind("hold")  # a queue's mutex is taken, and later let go
RELEASE_MUTEX = Kind("let-go")

ACCESSES = frozenset(kind for kind in KINDS.values() if kind.is_access)
OBSERVATIONS = frozenset(kind for kind in KINDS.values() if kind.role in (Role.OBSERVE, Role.READ))
GIVES = frozenset(kind for kind in KINDS.values() if kind.role is Role.GIVE)
TAKES = frozenset(kind for kind in KINDS.values() if kind.role is Role.TAKE)
COUNTED = frozenset(kind for kind in KINDS.values() if kind.counted)
POINTS_IF_OBSERVED = frozenset(kind for kind in KINDS.values() if kind.point_if_observed)
COMMUTING = frozenset({READ, NOTIFY, *POINTS_IF_OBSERVED})  # two of these commute, whatever they touch
# When exactly these happen no thread can observe, unless it looks, but some criteria can. See `Criterion.points`.
UNOBSERVABLE = frozenset({RELEASE, SET, UP, NOTIFY, JOIN})
LOCKING = frozenset({ACQUIRE, RELEASE})
# At these a thread is said to be blocked, for criteria. A wait until all tasks are done contends with no other thread.
CONTENDED = frozenset(kind for kind in GIVES | TAKES if kind.waiting) - {JOIN_QUEUE}
ACTOR_CHANGES = frozenset({BEGIN, TASK})  # the thread becomes another actor
CALLS = frozenset({ENTER, LEAVE})

CONTENT = "[]"  # the name of the variable that is a container's content
UNFINISHED = "unfinished_tasks"  # can be looked at, like the content, without asking a queue
