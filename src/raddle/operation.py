"""The kinds of operations that a participant can perform, in one table.

Each row holds the facts about one kind: the verb for stories, the words for a blocked thread, the operation that
enables a take, and whether the operation is always a scheduling point. A world adds its own rows (see `Kind`).
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple, TypeAlias


class Role(Enum):
    """The role of an operation in the happens-before relation or in data flow."""

    READ = "read"
    WRITE = "write"
    GIVE = "give"  # releases or sends something: everything before it happens before the matching take
    TAKE = "take"  # acquires or receives what a give supplied
    OBSERVE = "observe"  # reads the state of a resource without blocking
    START = "start"
    END = "end"
    OTHER = "other"


class KindFacts(NamedTuple):
    """A row of the table: the facts about one kind of operation."""

    verb: str  # used in stories: "acquires" in "T1 acquires Lock 1"
    role: Role = Role.OTHER
    waiting: str = ""  # used for blocked threads: "waits to acquire" in "T1 waits to acquire Lock 1"
    partner: str = ""  # the kind of give that supplies what a take needs
    counted: bool = False  # whether each take consumes one give
    # The kind of resource that some thread must observe for this operation to be a scheduling point; "" if it always is
    # one. Threads that only block on a resource cannot observe when exactly it is released (Lipton's left-movers).
    point_if_observed: str = ""


class Kind(str):
    """A kind of operation: a string with the kind's name, and properties for the facts about the kind.

    Because a kind is a string, steps, schedules and data files need no conversion. Each process has only one object per
    name, because unpickling a kind looks up the existing object. The facts are stored in a separate table. If a kind
    had instance attributes, the garbage collector would have to track it and every step that contains it.

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
        """The kind of resource that a take of this kind observes if it can fail; "" if takes of this kind observe none.

        A take that can fail observes whether the matching release has happened, so the time of the release matters.
        """
        return _KIND_FACTS[self.partner].point_if_observed if self.partner else ""

    @property
    def is_access(self) -> bool:
        """Whether the operation accesses a variable: a read, a write or a deletion."""
        return _KIND_FACTS[self].role in (Role.READ, Role.WRITE)


_KIND_FACTS: dict[str, KindFacts] = {}
KINDS: dict[str, Kind] = {}  # maps each name to its kind

Effect: TypeAlias = "Kind | None"  # the operation that a call performs on an object; None if it performs none


def kind_named(name: str) -> Kind:
    """Return the kind with this name.

    >>> kind_named("wait-set") is WAIT_SET
    True
    """
    return KINDS[name]


def verb_of(name: str) -> str:
    """Return the verb for a kind, or the name itself if the kind is unknown, as in a data file from a later version.

    >>> verb_of("down"), verb_of("is-alive"), verb_of("teleport")
    ('acquires a permit of', 'checks the liveness of', 'teleport')
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
LOCKED = Kind("locked", "checks", role=Role.OBSERVE)
RELEASE = Kind("release", "releases", role=Role.GIVE, point_if_observed="lock")

# Conditions. `Condition.wait` is recorded as `release` of the lock, `wait`, `woken` (only if the thread was notified)
# and `acquire` of the lock.
WAIT = Kind("wait", "waits for", waiting="waits for a notification on")
WOKEN = Kind("woken", "wakes from", role=Role.TAKE, partner="notify")
NOTIFY = Kind("notify", "notifies", role=Role.GIVE)

# Events
SET = Kind("set", "sets", role=Role.GIVE, point_if_observed="event")
CLEAR = Kind("clear", "clears")
IS_SET = Kind("is-set", "checks", role=Role.OBSERVE)
# Reaching a wait is treated like a release: other threads can observe it only if some thread clears the event.
BEFORE_WAIT = Kind("before-wait", "is about to wait for", role=Role.OBSERVE, point_if_observed="event")
WAIT_SET = Kind("wait-set", "has waited for", role=Role.TAKE, waiting="waits for", partner="set")

# Semaphores
DOWN = Kind("down", "acquires a permit of", role=Role.TAKE, waiting="waits for a permit of", partner="up", counted=True)
TRY_DOWN = Kind("try-down", "tries to acquire a permit of")
UP = Kind("up", "releases a permit of", role=Role.GIVE, point_if_observed="semaphore")
BOUNDED_UP = Kind("bounded-up", "releases a permit of")

# Queues
PUT = Kind("put", "puts into", role=Role.GIVE, waiting="waits for room in")
GET = Kind("get", "gets from", role=Role.TAKE, waiting="waits for an item from", partner="put", counted=True)
SIZE = Kind("size", "checks the size of", role=Role.OBSERVE)
TASK_DONE = Kind("task-done", "marks a task as done in", role=Role.GIVE)
JOIN_QUEUE = Kind(
    "join-queue", "has waited for all tasks of", role=Role.TAKE, waiting="waits for all tasks of", partner="task-done"
)

# Threads
BEGIN = Kind("begin", "begins")
START = Kind("start", "starts", role=Role.START, point_if_observed="thread")
JOIN = Kind("join", "joins", waiting="waits to join")
# A join with a timeout that returned because the joined thread had ended.
JOIN_IN_TIME = Kind("join-in-time", "joins")
END = Kind("end", "ends", role=Role.END, point_if_observed="thread")
# The calls of a concurrent test begin (see `raddle.linearizability.harness`). No thread can observe that, but code
# without probes may run before the first operation of a call.
CALL = Kind("call", "begins a call", point_if_observed="call")
IS_ALIVE = Kind("is-alive", "checks the liveness of", role=Role.OBSERVE)
SLEEP = Kind("sleep", "sleeps", waiting="sleeps")
WAIT_FOR_TURN = Kind("wait-for-turn", waiting="waits until one of its tasks may run")

# Messages between MPI ranks. A collective operation consists of an entry and its completion.
SEND = Kind("send", "sends", role=Role.GIVE, point_if_observed="message")
SENT = Kind("sent", "has sent", waiting="waits until a receive takes")
RECV = Kind("recv", "receives", role=Role.TAKE, waiting="waits for", partner="send", counted=True)
POST = Kind("post", "posts")
MATCH = Kind("match", "receives", role=Role.TAKE, waiting="waits for", partner="send", counted=True)
PROBE = Kind("probe", "finds", waiting="waits to find")
POLL = Kind("iprobe", "looks for", role=Role.OBSERVE, waiting="polls for")
TEST = Kind("test", "tests", role=Role.OBSERVE, waiting="polls")
WAIT_FOR = Kind("wait-for", "has completed", waiting="waits to complete")
JOIN_IN = Kind("collective", "enters", role=Role.GIVE, point_if_observed="message")
COMPLETE = Kind("complete", "completes", role=Role.TAKE, waiting="waits in", partner="collective")

OF_RANKS = frozenset({SEND, SENT, RECV, POST, MATCH, PROBE, POLL, TEST, WAIT_FOR, JOIN_IN, COMPLETE})

# Steps that are not operations, but are recorded by observers (see `raddle.step`). Stories do not show them.
BLOCKED = Kind("blocked")
FAILED = Kind("failed")  # an unsuccessful call: a failed try-acquire, or a wait that timed out
REENTER = Kind("reenter")  # an inner acquire of a re-entrant lock
TASK = Kind("task")
ENTER = Kind("enter")
LEAVE = Kind("leave")
BLOCK = Kind("block")
CREATED = Kind("made")  # a resource was created
HOLD_MUTEX = Kind("hold")  # a queue acquires its mutex
RELEASE_MUTEX = Kind("let-go")  # a queue releases its mutex

ACCESSES = frozenset(kind for kind in KINDS.values() if kind.is_access)
OBSERVATIONS = frozenset(kind for kind in KINDS.values() if kind.role in (Role.OBSERVE, Role.READ))
GIVES = frozenset(kind for kind in KINDS.values() if kind.role is Role.GIVE)
TAKES = frozenset(kind for kind in KINDS.values() if kind.role is Role.TAKE)
COUNTED = frozenset(kind for kind in KINDS.values() if kind.counted)
POINTS_IF_OBSERVED = frozenset(kind for kind in KINDS.values() if kind.point_if_observed)
# Any two of these operations commute, even on the same variable or resource.
COMMUTING = frozenset({READ, NOTIFY, *POINTS_IF_OBSERVED})
# No thread can observe exactly when these operations happen, unless it inspects the resource. Some criteria still
# depend on when they happen: see `Criterion.points`.
UNOBSERVABLE = frozenset({RELEASE, SET, UP, NOTIFY, JOIN})
LOCKING = frozenset({ACQUIRE, RELEASE})
# Operations for which a `BLOCKED` step is recorded if the thread has to wait. `Queue.join` is omitted, because it does
# not contend with other threads.
CONTENDED = frozenset(kind for kind in GIVES | TAKES if kind.waiting) - {JOIN_QUEUE}
ACTOR_CHANGES = frozenset({BEGIN, TASK})  # the thread becomes a different actor
CALLS = frozenset({ENTER, LEAVE})

CONTENT = "[]"  # suffix of the variable that represents the content of a container
UNFINISHED = "unfinished_tasks"  # an attribute of queues that code can read directly, without calling a method
