"""The sequences of Fig. 4 on the class of Fig. 1: what they cover, what is pruned, and what active testing triggers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from raddle.generation.autocontest.assembled_test import AssembledTest
from raddle.generation.autocontest.confirmation import RequirementRecord, confirm
from raddle.generation.autocontest.coverage import CallTrace, Coverage, coverage, gain, without_locking
from raddle.generation.autocontest.explorer import InterleavingExplorer
from raddle.generation.autocontest.predict import CallPair, Requirement
from raddle.generation.autocontest.scenarios import ATOMIC_SETS
from raddle.generation.autocontest.strategy import AutoConTest
from raddle.generation.class_builder import ClassBuilder
from raddle.generation.class_search import ClassSearch
from raddle.generation.expressions import Literal
from raddle.generation.surface import Method
from raddle.generation.testcase import Call, TestCase
from raddle.linearizability.checker import Failure
from raddle.operation import ACQUIRE, ENTER, LEAVE, READ, RELEASE
from raddle.site import SiteTable
from raddle_lab.result_log import Json

# The sequences of Fig. 4. Its d1 is not printed; the text says what it calls, and that m5 then writes z only once.
SEQUENCES: dict[str, tuple[tuple[str, int | None], ...]] = {
    "d1": (("m5", None), ("m1", 1), ("m2", 0), ("m7", None)),
    "d2": (("m3", 10), ("m7", None), ("m5", None)),
    "d3": (("m7", None), ("m5", None), ("m3", 10)),
}
SWAPPED: tuple[tuple[tuple[str, int | None], ...], ...] = ((("m1", 1), ("m2", 1)), (("m2", 1), ("m1", 1)))
# The paper's names of the accesses, by method, kind and field.
_ACCESSES = {
    ("m1", "write", "x"): "a1", ("m2", "write", "y"): "a2", ("m3", "read", "z"): "a3", ("_m4", "read", "x"): "a4",
    ("_m4", "write", "x"): "a5", ("m5", "read", "y"): "a6", ("m5", "write", "z"): "a7", ("m7", "read", "y"): "a8",
    ("m7", "write", "y"): "a9",
}  # fmt: skip
_LOCK = "_lock"
_SYNCHRONIZED = {"m1", "m2", "m7"}  # methods that Java's keyword locks, which the printed traces do not show
_MARKS = {ACQUIRE: "l1", RELEASE: "l2"}


class FigureOneNames:
    """Writes traces and requirements of Fig. 1's class as the paper does."""

    def __init__(self, table: SiteTable) -> None:
        self._table = table

    def trace(self, trace: CallTrace) -> str:
        """Return a trace without the locking of synchronized methods and reads of the lock."""
        locked = {number for kind, number in trace if kind in _MARKS and self._method(number) in _SYNCHRONIZED}
        lock_reads = {n for kind, n in trace if kind == READ and self._table[n].name == _LOCK}
        return " ".join(self._event(*event) for event in without_locking(trace, locked, lock_reads))

    def traces(self, covered: Coverage) -> list[str]:
        """Return the traces of a coverage, in the order of the methods."""
        return sorted(map(self.trace, covered))

    def requirement(self, requirement: Requirement) -> str:
        """Return the accesses of a requirement."""
        return " ".join(self._event(access.kind, access.site) for access in requirement.accesses)

    def _event(self, kind: str, number: int) -> str:
        method = self._method(number)
        if kind in (ENTER, LEAVE):
            return method.lstrip("_")
        return _MARKS.get(kind) or _ACCESSES.get((method, kind, self._table[number].name), self._table[number].name)

    def _method(self, number: int) -> str:
        return self._table[number].function.rpartition(".")[2]


class GivenSequences(ClassSearch):
    """Assembles the sequences of Fig. 4 and explores their tests; `data` has the results."""

    data: Json

    def _search(self) -> None:
        builder = self._builder
        self._names = FigureOneNames(self._workbench.installation.table)
        self._failing: list[list[str]] = []
        sequences = {name: self._sequence(calls) for name, calls in SEQUENCES.items()}
        strategy = self._strategy = AutoConTest(builder)
        tests = {_title(test, sequences): test for calls in sequences.values() for test in strategy.add(calls)}
        traces = {name: self._coverage(builder, calls) for name, calls in sequences.items()}
        one, other = (self._coverage(builder, self._sequence(calls)) for calls in SWAPPED)
        self.data = {
            "coverage_of_d2": self._names.traces(traces["d2"]),
            "gain_of_d3": self._names.traces(gain(traces["d3"], [traces["d1"], traces["d2"]])),
            "order_matters": one != other,
            "tests": list(tests),
            "candidates_of_t5": list(self._candidates(tests["d3 || d1"])),
        }
        self._explore(strategy)
        record = strategy.requirements
        self.data |= {
            "pruned": self._named(record.pruned),
            "predicted": self._named(record.predicted),
            "triggered": self._named(record.covered),
            "pruned_from": self._pruned_from(tests),
            "failing": sorted(self._failing),
        }

    def _explore(self, strategy: AutoConTest) -> None:
        while strategy.requirements.explored_tests < strategy.progress.assembled and not self._is_over:
            proposal = strategy.explorer.propose()
            if proposal is not None and self._observers is not None:
                self._try(replace(proposal, test=self._observers.added_to(proposal.test)))

    def _examine(self, test: TestCase, failure: Failure) -> None:
        self._failing.append(sorted(str(call.method) for thread in test.threads for call in thread))

    def _sequence(self, calls: Sequence[tuple[str, int | None]]) -> tuple[Call, ...]:
        methods: dict[str, Method] = {method.name: method for method in self.surface.methods}
        return tuple(Call(methods[name], () if value is None else (Literal(value),)) for name, value in calls)

    def _coverage(self, builder: ClassBuilder, calls: Sequence[Call]) -> Coverage:
        strategy = AutoConTest(builder)
        (test, *_) = strategy.add(calls)
        return coverage(recorded.trace for recorded in test.first.recorded)

    def _named(self, requirements: Any) -> list[str]:
        return sorted({self._names.requirement(requirement) for requirement in requirements})

    def _pairs(self, test: AssembledTest) -> Iterator[tuple[int, int]]:
        for first in range(len(test.first.calls)):
            for second in range(len(test.second.calls)):
                yield first, second

    def _pruned_from(self, tests: dict[str, AssembledTest]) -> Json:
        """Map each pruned interleaving to the tests and calls that it was pruned from."""
        found: dict[str, list[str]] = {}
        for title, test in tests.items():
            for first, second in self._pairs(test):
                pair = CallPair(test.first.accesses[first], test.second.accesses_again[second])
                for name in self._named(pair.predict(ATOMIC_SETS).pruned):
                    called = " || ".join(
                        self._names.trace(sequence.recorded[index].trace)
                        for sequence, index in ((test.first, first), (test.second, second))
                    )
                    found.setdefault(name, []).append(f"{title}: {called}")
        return {name: sorted(set(where)) for name, where in sorted(found.items())}

    def _candidates(self, test: AssembledTest) -> Iterator[Json]:
        """Yield what active testing triggers in each candidate state for m3 of d3 and m1 of d1."""
        calls = [[str(call.method) for call in sequence.calls] for sequence in (test.first, test.second)]
        explorer = InterleavingExplorer()
        for confirmation in explorer.confirmations_of(test, calls[0].index("m3"), calls[1].index("m1")):
            record = RequirementRecord()
            with self._checker(confirmation.test, measured=True) as checker:
                confirm(confirmation, record, checker)
            yield {
                "candidate": confirmation.candidate + 1,
                "after": [str(call.method) for call in confirmation.test.prefix[1:]],
                "tried": sorted(self._names.requirement(one.requirement) for one in confirmation.interleavings),
                "triggered": self._named(record.covered),
            }


def _title(test: AssembledTest, sequences: dict[str, tuple[Call, ...]]) -> str:
    names = {calls: name for name, calls in sequences.items()}
    return f"{names[test.first.calls]} || {names[test.second.calls]}"
