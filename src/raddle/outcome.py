"""Outcomes: how an execution ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from raddle.place import Place
from raddle.wait import Wait


def _row(
    name: str, sentence: str = "", *, thread_died: bool = False, raised: bool = False
) -> tuple[str, str, bool, bool]:
    """Return the arguments of one member of `OutcomeKind`, in the order of its constructor's parameters."""
    return name, sentence, thread_died, raised


class OutcomeKind(StrEnum):
    """The ways in which an execution can end, with the properties that reports need.

    Each kind is a string (its name), so JSON and data files need no conversion. `docs/messages.md` has a paragraph on
    each kind of finding.

    >>> OutcomeKind("deadlock").sentence, OutcomeKind.DEADLOCK == "deadlock", OutcomeKind.PASSED.is_finding
    ('Threads wait for each other forever.', True, False)
    """

    sentence: str  # description for tools that list rules; "" if this kind is not a finding
    thread_died: bool  # True if the death of one thread ended the execution, even if other threads could have continued
    raised: bool  # True if the program raised an exception; reports show the line that raised it beside the message

    def __new__(cls, name: str, sentence: str = "", thread_died: bool = False, raised: bool = False) -> OutcomeKind:
        self = str.__new__(cls, name)
        self._value_ = name
        self.sentence, self.thread_died, self.raised = sentence, thread_died, raised
        return self

    __repr__ = str.__repr__  # because users print kinds, which were plain strings in earlier versions

    PASSED = _row("passed")
    INTERRUPTED = _row("interrupted")
    EXCEPTION = _row(
        "exception", "An exception escapes from a thread in some interleaving.", thread_died=True, raised=True
    )
    ASSERTION = _row(
        "assertion", "An assertion fails in some interleaving of the threads.", thread_died=True, raised=True
    )
    DEADLOCK = _row("deadlock", "Threads wait for each other forever.")
    LOST_WAKEUP = _row("lost-wakeup", "A thread waits for a notification that was sent before it started waiting.")
    STEP_LIMIT = _row("step-limit", "An execution does not end: a livelock or a busy loop.")
    UNCONTROLLED = _row("uncontrolled", "A call blocks outside raddle's control.")
    DIVERGENCE = _row("divergence", "The same schedule, run twice, gives different executions.")
    CRASH = _row("crash", "A fault in C code, a signal or os._exit ends the process.", thread_died=True)

    NO_SENDER = _row("no-sender", "A rank waits for a message that no other rank sends.")
    ABANDONED = _row("abandoned", "Ranks wait in a collective operation for a rank that has ended.")
    COLLECTIVE_ORDER = _row(
        "collective-order", "Ranks call different collective operations of one communicator.", thread_died=True
    )
    COLLECTIVE_ARGUMENT = _row(
        "collective-argument",
        "Ranks pass different roots, operators, counts or types to a collective operation.",
        thread_died=True,
    )
    COMMUNICATOR_MISMATCH = _row(
        "communicator-mismatch", "Ranks call the same collective operation on different communicators."
    )
    P2P_COLLECTIVE = _row("p2p-collective", "A receive and a collective operation wait for each other.")
    ABORTED = _row("aborted", "A rank ends the program with `Abort` or a non-zero exit code.", thread_died=True)
    TRUNCATED = _row("truncated", "A message is longer than the buffer of its receive.", thread_died=True, raised=True)
    TYPE_MISMATCH = _row("type-mismatch", "A message is received with another type than it was sent.", thread_died=True)
    INVALID_ARGUMENT = _row(
        "invalid-argument", "A rank passes an argument to MPI that is not valid.", thread_died=True, raised=True
    )
    REQUEST_MISUSE = _row("request-misuse", "A rank uses a request that is not active.", thread_died=True, raised=True)
    BUFFER_IN_USE = _row(
        "buffer-in-use", "A rank changes the buffer of a send before the send is complete.", thread_died=True
    )
    DIFFERENT_RESULTS = _row("different-results", "The output of a program depends on the order of its messages.")

    @property
    def is_finding(self) -> bool:
        return bool(self.sentence)


_PASSED = OutcomeKind.PASSED  # cached because it is compared after every execution and looking up enum members is slow


FINDINGS = tuple(kind for kind in OutcomeKind if kind.is_finding)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one execution ended.

    Two failures are the same if their signatures are equal. A signature contains no value that differs between runs.

    >>> Outcome(OutcomeKind.PASSED).failed
    False
    """

    kind: OutcomeKind
    message: str = ""
    thread: str = ""
    signature: tuple[str, ...] = ()
    details: tuple[str, ...] = field(default=(), compare=False)  # lines of the traceback, or a description of the waits
    error: BaseException | None = field(default=None, compare=False, repr=False)
    notes: tuple[str, ...] = field(default=(), compare=False)  # notes added to the exception (PEP 678)
    waits: tuple[Wait, ...] = field(default=(), compare=False)  # what threads wait for in a deadlock; also in `details`
    # The frames of the traceback or stack in `details`, innermost first, with file paths.
    frames: tuple[Place, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", OutcomeKind(self.kind))  # raises ValueError for any other text

    @property
    def failed(self) -> bool:
        return self.kind is not _PASSED

    @property
    def died(self) -> str:
        """The thread whose death ended the execution; "" if the execution ended in another way."""
        return self.thread if self.kind.thread_died else ""
