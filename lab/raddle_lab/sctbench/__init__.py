"""SCTBench in Python: small programs with one bug each, used to compare schedulers.

They are modeled on the 28 SCTBench programs that have a Java version in cmu-pasta/fray-benchmark. For SCTBench, see
Thomson, Donaldson, Betts, "Concurrency testing using controlled schedulers: an empirical study", TOPC 2016. The names
(without "bad"), the bugs and the numbers of threads are the same, but the code is new. The programs print nothing.
Where the Java versions detect a deadlock and raise an exception, the threads here block. None of the bugs needs a weak
memory model.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Program:
    """A program with a bug."""

    name: str
    threads: int  # number of threads that the main thread starts
    kinds: tuple[str, ...]  # kinds of failures that the bug causes
    bug: str
    always: bool = False  # True if every schedule fails

    @property
    def scenario(self) -> Callable[[], object]:
        """The function that runs the program once."""
        scenario: Callable[[], object] = importlib.import_module(f"{__name__}.{self.name}").scenario
        return scenario


_ASSERTION = ("assertion",)
_DEADLOCK = ("deadlock",)
_HALF = "a thread reads one variable after it is written and the other before it is written"
_STAGES = "a thread reads between the two stages of a write"
_WRONG_LOCK = "an increment under another lock happens between read and check"

PROGRAMS = {
    program.name: program
    for program in (
        Program("account", 3, _ASSERTION, "if the check runs last, it expects the wrong balance"),
        Program("arithmetic_prog", 2, _ASSERTION, "the program asserts that the correct total is wrong", always=True),
        Program("bluetooth_driver", 1, _ASSERTION, "the driver stops after a request has read the stopping flag"),
        Program("carter01", 4, _DEADLOCK, "two locks are acquired in opposite orders"),
        Program("circular_buffer", 2, _ASSERTION, "missed turns are counted as turns"),
        Program("deadlock01", 2, _DEADLOCK, "two locks are acquired in opposite orders"),
        Program("fsbench", 27, _ASSERTION, "there is one more thread than there are locks", always=True),
        Program("lazy01", 3, _ASSERTION, "the check assumes that at most one addition has been done"),
        Program("phase01", 2, _DEADLOCK, "a lock is never released", always=True),
        Program("queue", 2, _ASSERTION, "missed turns are counted as turns"),
        Program("reorder_3", 3, _ASSERTION, _HALF),
        Program("reorder_4", 4, _ASSERTION, _HALF),
        Program("reorder_5", 5, _ASSERTION, _HALF),
        Program("reorder_10", 10, _ASSERTION, _HALF),
        Program("reorder_20", 20, _ASSERTION, _HALF),
        Program("reorder_50", 50, _ASSERTION, _HALF),
        Program("reorder_100", 100, _ASSERTION, _HALF),
        Program("stack", 2, _ASSERTION, "a flag that is never cleared hides the fact that the stack is empty again"),
        Program("string_buffer_jdk", 1, _ASSERTION, "a length is stale when the characters are read"),
        Program("sync01", 2, ("lost-wakeup", "deadlock"), "the slot is never emptied", always=True),
        Program("sync02", 2, ("lost-wakeup", "deadlock"), "there are more items than turns", always=True),
        Program("token_ring", 4, _ASSERTION, "the order of the stations is not enforced"),
        Program("twostage", 2, _ASSERTION, _STAGES),
        Program("twostage_100", 100, _ASSERTION, _STAGES),
        Program("work_steal_queue", 1, ("assertion", "exception"), "a slot claimed by the thief is overwritten"),
        Program("wronglock", 8, _ASSERTION, _WRONG_LOCK),
        Program("wronglock_1", 2, _ASSERTION, _WRONG_LOCK),
        Program("wronglock_3", 4, _ASSERTION, _WRONG_LOCK),
    )
}
