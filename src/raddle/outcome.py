"""How an execution ended."""

from __future__ import annotations

from dataclasses import dataclass, field

PASSED = "passed"
INTERRUPTED = "interrupted"
# Every kind of failure, and what it is in one sentence, as reports have it. `docs/messages.md` has a paragraph on each.
KINDS = {
    "exception": "An exception escapes from a thread in some interleaving.",
    "assertion": "An assertion fails in some interleaving of the threads.",
    "deadlock": "Threads wait for each other for ever.",
    "lost-wakeup": "A thread waits for a notification that was given before it waited.",
    "step-limit": "An execution does not end: a livelock, or a loop that spins.",
    "uncontrolled": "A call blocks outside raddle's control.",
    "divergence": "The same schedule, run twice, gives different executions.",
    "crash": "A thread ends the process: a fault in C code, a signal, or os._exit.",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one execution.

    `signature` tells whether two failures are the same one; it names no value that differs between runs.

    >>> Outcome("passed").failed
    False
    """

    kind: str
    message: str = ""
    thread: str = ""
    signature: tuple[str, ...] = ()
    details: tuple[str, ...] = field(default=(), compare=False)  # lines for people: traceback, who waits for whom
    error: BaseException | None = field(default=None, compare=False, repr=False)
    notes: tuple[str, ...] = field(default=(), compare=False)  # that were added to the exception (PEP 678)

    def __post_init__(self) -> None:
        if self.kind not in KINDS and self.kind not in (PASSED, INTERRUPTED):
            raise ValueError(f"there is no kind of outcome called {self.kind!r}")

    @property
    def failed(self) -> bool:
        return self.kind != PASSED

    @property
    def died(self) -> str:
        """The thread whose death ended the execution, wherever the others were; "" where they came to an end."""
        return self.thread if self.kind in ("exception", "assertion", "crash") else ""
