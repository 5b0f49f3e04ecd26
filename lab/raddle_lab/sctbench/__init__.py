"""SCTBench in Python: small programs with one bug each, for which schedulers are compared.

After the 28 programs of SCTBench (Thomson, Donaldson, Betts, "Concurrency testing using controlled schedulers: an
empirical study", TOPC 2016) of which cmu-pasta/fray-benchmark has Java versions: the same names without their "bad",
the same bug, the same number of threads, written anew. What is left out: output, and the code by which the Java
versions of the deadlocks recognise one and raise; here the threads block. None of the bugs needs weak memory.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Program:
    """A program with a bug."""

    name: str
    threads: int  # that the first one starts
    kinds: tuple[str, ...]  # of failures there are
    bug: str
    always: bool = False  # in every schedule

    @property
    def scenario(self) -> Callable[[], object]:
        """Runs it once."""
        scenario: Callable[[], object] = importlib.import_module(f"{__name__}.{self.name}").scenario
        return scenario


_ASSERTION = ("assertion",)
_DEADLOCK = ("deadlock",)
_HALF = "the two variables are seen half written"
_STAGES = "what is read comes from between two stages"
_WRONG_LOCK = "an increment under another lock comes between read and check"

PROGRAMS = {
    program.name: program
    for program in (
        Program("account", 3, _ASSERTION, "the check expects the wrong balance, if it comes last"),
        Program("arithmetic_prog", 2, _ASSERTION, "the right total is asserted not to come", always=True),
        Program("bluetooth_driver", 1, _ASSERTION, "a request enters after its look at the stopping flag"),
        Program("carter01", 4, _DEADLOCK, "two locks are taken in both orders"),
        Program("circular_buffer", 2, _ASSERTION, "turns that were missed are counted"),
        Program("deadlock01", 2, _DEADLOCK, "two locks are taken in both orders"),
        Program("fsbench", 27, _ASSERTION, "one thread more than locks", always=True),
        Program("lazy01", 3, _ASSERTION, "the check is taken to come before both additions are done"),
        Program("phase01", 2, _DEADLOCK, "a lock is never given back", always=True),
        Program("queue", 2, _ASSERTION, "turns that were missed are counted"),
        Program("reorder_3", 3, _ASSERTION, _HALF),
        Program("reorder_4", 4, _ASSERTION, _HALF),
        Program("reorder_5", 5, _ASSERTION, _HALF),
        Program("reorder_10", 10, _ASSERTION, _HALF),
        Program("reorder_20", 20, _ASSERTION, _HALF),
        Program("reorder_50", 50, _ASSERTION, _HALF),
        Program("reorder_100", 100, _ASSERTION, _HALF),
        Program("stack", 2, _ASSERTION, "a flag once set hides that the stack is empty again"),
        Program("string_buffer_jdk", 1, _ASSERTION, "a length is stale when the characters are fetched"),
        Program("sync01", 2, ("lost-wakeup", "deadlock"), "the item waited for is never taken away", always=True),
        Program("sync02", 2, ("lost-wakeup", "deadlock"), "more items than turns to take them", always=True),
        Program("token_ring", 4, _ASSERTION, "nothing orders the stations"),
        Program("twostage", 2, _ASSERTION, _STAGES),
        Program("twostage_100", 100, _ASSERTION, _STAGES),
        Program("work_steal_queue", 1, ("assertion", "exception"), "a slot claimed by the thief is filled anew"),
        Program("wronglock", 8, _ASSERTION, _WRONG_LOCK),
        Program("wronglock_1", 2, _ASSERTION, _WRONG_LOCK),
        Program("wronglock_3", 4, _ASSERTION, _WRONG_LOCK),
    )
}
