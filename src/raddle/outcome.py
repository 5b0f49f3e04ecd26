"""How an execution ended."""

from __future__ import annotations

from dataclasses import dataclass, field

PASSED = "passed"
KINDS = ("exception", "assertion", "deadlock", "lost-wakeup", "step-limit", "uncontrolled", "divergence", "crash")


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

    @property
    def failed(self) -> bool:
        return self.kind != PASSED

    @property
    def died(self) -> str:
        """The thread whose death ended the execution, wherever the others were; "" where they came to an end."""
        return self.thread if self.kind in ("exception", "assertion", "crash") else ""
