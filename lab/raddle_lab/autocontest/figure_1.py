"""The paper's example (Fig. 1) with the sequences of Fig. 4: its call traces, tests and interleavings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from random import Random
from typing import ClassVar

from raddle.execute.thread_installation import Threads
from raddle.exploring.workbench import Workbench
from raddle.generation.autocontest.assembled_test import AssembledTest
from raddle.generation.autocontest.confirmation import Confirmation, RequirementRecord, confirm
from raddle.generation.autocontest.coverage import CallTrace, without_locking
from raddle.generation.autocontest.predict import CallPair, Requirement
from raddle.generation.autocontest.scenarios import ATOMIC_SETS
from raddle.generation.autocontest.strategy import AutoConTest
from raddle.generation.binding import add_sites, bind
from raddle.generation.expressions import Imported, Literal
from raddle.generation.strategy import Observed, Prefix
from raddle.generation.surface import Method, MethodKind, Surface
from raddle.generation.testcase import SHARED, Call
from raddle.instrument import Selection
from raddle.linearizability.checker import Checker
from raddle.operation import ACQUIRE, ENTER, LEAVE, READ, RELEASE, WRITE
from raddle.site import SiteTable
from raddle_lab.classes import figure_one
from raddle_lab.classes.figure_one import FigureOne
from raddle_lab.result_log import Json

MODULE = figure_one.__name__
CLASS = Imported(MODULE, FigureOne.__name__)


def _call(name: str, *values: int, kind: MethodKind = MethodKind.METHOD) -> Call:
    return Call(Method(name, kind, CLASS), tuple(map(Literal, values)))


NEW = Call(Method("", MethodKind.CONSTRUCTOR, CLASS), result=SHARED)
M1, M2, M3, M5, M7 = _call("m1", 1), _call("m2", 0), _call("m3", 10), _call("m5"), _call("m7")
ATTRIBUTES = tuple(_call(name, kind=MethodKind.PROPERTY) for name in "xyz")
SEQUENCES = {"d1": (M5, M1, M2, M7), "d2": (M3, M7, M5), "d3": (M7, M5, M3)}

SYNCHRONIZED = ("m1", "m2", "m7")  # whose lock operations the paper does not print
LOCK_ATTRIBUTE = "_lock"
# The names that the paper gives to the accesses, by method, kind and attribute.
ACCESSES = {
    ("m1", WRITE, "x"): "a1", ("m2", WRITE, "y"): "a2", ("m3", READ, "z"): "a3", ("_m4", READ, "x"): "a4",
    ("_m4", WRITE, "x"): "a5", ("m5", READ, "y"): "a6", ("m5", WRITE, "z"): "a7", ("m7", READ, "y"): "a8",
    ("m7", WRITE, "y"): "a9",
}  # fmt: skip


class GivenBuilder:
    """A `SequenceBuilder` for the example. The sequences are given, so it only constructs the object."""

    __test__: ClassVar[bool] = False

    def __init__(self, workbench: Workbench) -> None:
        self.workbench = workbench
        self.random = Random(1)
        self.reset = None
        self.folder = ""
        self.global_ids: frozenset[int] = frozenset()
        self.surface = Surface(CLASS, (NEW.method,), ())

    def prefix(self, *, max_calls: int = 5, preferred: Sequence[Method] = ()) -> Prefix:
        """Return the constructor call."""
        return Prefix((NEW,), {SHARED: FigureOne})

    def call(self, prefix: Prefix, method: Method, *, receiver: str = SHARED) -> Call | None:
        """Return nothing: no calls are drawn."""
        return None

    def observe(self, prefix: Prefix, calls: Sequence[Call]) -> Observed | None:
        """Return nothing: AutoConTest observes sequences itself."""
        return None

    def edges(self, prefix: Prefix) -> Sequence[Call]:
        """Return nothing: the sequences are given."""
        return ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """What happened to one interleaving of two calls in one test."""

    accesses: str  # "a4 a1 a5"
    calls: str  # the outer call, then the inner one: "m3(10) of d3, m1(1) of d1"
    test: str  # "t5"
    is_pruned: bool
    # For the states before the outer call and before the inner call: whether the interleaving was triggered, and
    # whether the test failed. There is only one if the states are equal.
    triggered: tuple[bool, ...] = ()
    failed: tuple[bool, ...] = ()


class Example:
    """The example on a workbench."""

    def __init__(self, stack: ExitStack) -> None:
        self._workbench = stack.enter_context(Workbench(Threads(Selection(sources=(MODULE,)))))
        self._table: SiteTable = self._workbench.installation.table
        add_sites(self._table)
        self._strategy = AutoConTest(GivenBuilder(self._workbench), rounds=None)
        self._names = {calls: name for name, calls in SEQUENCES.items()}
        self.tests = [test for calls in SEQUENCES.values() for test in self._strategy.add(calls)]

    def as_json(self) -> Json:
        """Return everything that the paper says about the example as JSON data."""
        traces = {name: self._traces(name) for name in SEQUENCES}
        known = {*traces["d1"], *traces["d2"]}
        attempts = [attempt for number, test in enumerate(self.tests, 1) for attempt in self._attempts(number, test)]
        return {
            "traces": traces,
            "gain_of_d3": [trace for trace in traces["d3"] if trace not in known],
            "order_matters": self._coverage((M1, M2)) != self._coverage((M2, M1)),
            "tests": [" || ".join(self._names[one.calls] for one in (test.first, test.second)) for test in self.tests],
            "attempts": [
                {
                    "accesses": one.accesses, "calls": one.calls, "test": one.test, "is_pruned": one.is_pruned,
                    "triggered": list(one.triggered), "failed": list(one.failed),
                }
                for one in attempts
            ],
        }  # fmt: skip

    # -- call traces ------------------------------------------------------------------------------------

    def _traces(self, name: str) -> list[str]:
        """Return the call traces of a sequence as the paper prints them, in the order of the calls."""
        sequence = next(one for test in self.tests for one in (test.first, test.second) if one.calls == SEQUENCES[name])
        return [self._text(call.trace) for call in sequence.recorded]

    def _coverage(self, calls: Sequence[Call]) -> set[CallTrace]:
        return {call.trace for call in self._strategy.record(calls)}

    def _text(self, trace: CallTrace) -> str:
        places = {event.site: self._table[event.site] for event in trace}
        methods = {site: _method(place.function) for site, place in places.items()}
        locked = {site for kind, site in trace if kind in (ACQUIRE, RELEASE) and methods[site] in SYNCHRONIZED}
        reads = {site for site, place in places.items() if place.name == LOCK_ATTRIBUTE}
        words = {ENTER: ">{}", LEAVE: "<{}", ACQUIRE: "l1", RELEASE: "l2"}
        return " ".join(
            words[kind].format(methods[site].lstrip("_")) if kind in words else self._name(kind, site)
            for kind, site in without_locking(trace, locked, reads)
        )

    def _name(self, kind: str, site: int) -> str:
        place = self._table[site]
        return ACCESSES.get((_method(place.function), kind, place.name), f"{kind} {place.name}")

    # -- interleavings ----------------------------------------------------------------------------------

    def _attempts(self, number: int, test: AssembledTest) -> Iterator[Attempt]:
        """Yield the attempts at all interleavings of a test that match the criterion."""
        one, other = test.first, test.second
        for first in range(len(one.calls)):
            for second in range(len(other.calls)):
                pair = CallPair(one.accesses[first], other.accesses_again[second])
                found = pair.predict(ATOMIC_SETS)
                calls = [
                    f"{_shown(sequence.calls[index])} of {self._names[sequence.calls]}"
                    for sequence, index in ((one, first), (other, second))
                ]
                for requirement in sorted(found.pruned):
                    yield Attempt(self._accesses(requirement), ", ".join(calls), f"t{number}", True)
                confirmations = list(self._strategy.explorer.confirmations_of(test, first, second))
                for requirement, interleaving in found.feasible.items():
                    tried = [self._confirm(confirmation, requirement) for confirmation in confirmations]
                    outer = interleaving.order[0].thread
                    if outer == 1:
                        tried.reverse()
                    yield Attempt(
                        self._accesses(requirement),
                        ", ".join(calls if outer == 0 else calls[::-1]),
                        f"t{number}",
                        False,
                        tuple(triggered for triggered, _ in tried),
                        tuple(failed for _, failed in tried),
                    )

    def _accesses(self, requirement: Requirement) -> str:
        return " ".join(self._name(access.kind, access.site) for access in requirement.accesses)

    def _confirm(self, confirmation: Confirmation, requirement: Requirement) -> tuple[bool, bool]:
        """Try to trigger one interleaving in one state; return whether that worked, and whether the test failed."""
        record = RequirementRecord()
        only = tuple(one for one in confirmation.interleavings if one.requirement == requirement)
        chosen = Confirmation(confirmation.test, confirmation.candidate, only, confirmation.calls, confirmation.sites)
        test = replace(confirmation.test, observers=ATTRIBUTES)
        with Checker(self._workbench, bind(test), measuring=True) as checker:
            failure = confirm(chosen, record, checker)
        return requirement in record.covered, failure is not None


def _method(function: str) -> str:
    return function.rpartition(".")[2]


def _shown(call: Call) -> str:
    values = ", ".join(repr(argument.value) for argument in call.arguments if isinstance(argument, Literal))
    return f"{call.method.name}({values})"


def given() -> Json:
    """Return what the given sequences show."""
    with ExitStack() as stack:
        return Example(stack).as_json()
