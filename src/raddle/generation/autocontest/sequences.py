"""The search for call sequences: a depth-first search with pruning (Fig. 7 and section 4.2 of the paper).

A node of the search tree is a sequence of calls after the prefix. Every node can be extended with the same calls, the
edges. The search uses an explicit stack, because sequences can be long, and limits, because it need not end: in Fig. 1
of the paper, each further `m7(), m5()` has a new call trace, so no number of calls without a new trace is reached.

Departures from the paper:

* D1 counts only exceptions that leave the outermost call, because caught exceptions are ordinary control flow in
  Python.
* The saturation level k never decreases from one iteration to the next.
* Between sequences with equal coverage, state and length, the one that was found first counts as better.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from raddle.generation.autocontest.coverage import CallTrace, Coverage, is_better
from raddle.generation.autocontest.sequence_runner import CallReport, SequenceRunner
from raddle.generation.testcase import Call

_monotonic = time.monotonic  # the real clock: the search runs inside executions, which have virtual time
FIRST_LEVEL = 3  # the first saturation level


@dataclass(frozen=True, slots=True)
class Rules:
    """The pruning rules that the search uses."""

    d1: bool = True  # do not extend a sequence whose last call raises an exception
    d2: bool = True  # do not extend a sequence whose last call changes neither the coverage nor the state
    d3: bool = True  # do not extend a redundant sequence whose last call does not change the coverage
    b1: bool = True  # stop extending a sequence once an extension has more coverage in the same state
    b2: bool = True  # stop extending a sequence once it is redundant


ALL_RULES = Rules()
ONLY_D1 = Rules(d2=False, d3=False, b1=False, b2=False)  # the paper's version without pruning


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one search."""

    nodes: int = 3_000  # maximum number of sequences at one saturation level
    events: int = 2_000_000  # maximum number of events of all calls, including those repeated to reach a state
    length: int = 60  # maximum number of calls in a sequence
    level: int = 50  # maximum saturation level
    seconds: float | None = None


class Ending(StrEnum):
    """The reason why a search ended."""

    COMPLETE = "every sequence within the saturation level was tried"
    LENGTH = "every sequence within the saturation level and the maximum length was tried"
    NODES = "the limit on the number of sequences was reached"
    EVENTS = "the limit on the number of events was reached"
    SECONDS = "the time limit was reached"
    LEVEL = "the maximum saturation level was reached"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best sequence of an iteration, and what the search for it took."""

    calls: tuple[Call, ...]  # empty if no sequence increases the coverage
    gained: Coverage
    level: int  # the saturation level at the end
    ending: Ending
    nodes: int  # number of sequences tried, at all saturation levels
    too_long: int = 0  # number of sequences that were not extended because of their length
    # Maps the fingerprint of each state to the shortest sequence that was found to lead to it.
    shortest: Mapping[bytes, tuple[Call, ...]] = field(default_factory=dict, repr=False)


@dataclass(slots=True)
class _Node:
    """A sequence that can be extended."""

    calls: tuple[Call, ...]
    gain: int  # the set of call traces that no earlier iteration covered, as bits
    state: bytes
    number: int  # position in the order in which the sequences were found
    useless: int = 0  # number of calls at the end without a new call trace
    tried: int = 0  # number of edges tried so far
    closed: bool = False  # whether no further edges are tried


@dataclass(slots=True)
class _Explored:
    """The sequences that lead to one state and are not redundant, each as (gain, length, number)."""

    entries: list[tuple[int, int, int]] = field(default_factory=list)

    def makes_redundant(self, gain: int, length: int, number: int) -> bool:
        """Return whether one of the sequences makes another one redundant (definition 5)."""
        return any(
            gain | other == other and (gain != other or (other_length, found) < (length, number))
            for other, other_length, found in self.entries
        )

    def add(self, gain: int, length: int, number: int) -> None:
        """Add a sequence, and drop those that it makes redundant."""
        if not self.makes_redundant(gain, length, number):
            self.entries = [
                entry for entry in self.entries if not _Explored([(gain, length, number)]).makes_redundant(*entry)
            ]
            self.entries.append((gain, length, number))


class _Search:
    """One depth-first search at one saturation level: a visitor of a `SequenceRunner`."""

    def __init__(
        self,
        edges: Sequence[Call],
        root_state: bytes,
        covered: Coverage,
        *,
        rules: Rules,
        limits: Limits,
        level: int,
        budget: Callable[[], Ending | None],
    ) -> None:
        self._edges = edges
        self._covered = covered
        self._rules, self._limits, self._level = rules, limits, level
        self._budget = budget
        self._bits: dict[CallTrace, int] = {}  # maps each new call trace to its bit
        self._explored: dict[bytes, _Explored] = {}
        self.shortest: dict[bytes, tuple[Call, ...]] = {root_state: ()}
        self._stack = [_Node((), 0, root_state, 0)]
        self._explored.setdefault(root_state, _Explored()).add(0, 0, 0)
        self._state: bytes | None = None  # the state of the object that the runner keeps; None if there is none
        self._repeating = False  # whether the runner is making calls that lead to a known sequence
        self.best = self._stack[0]
        self.nodes = self.saturated = self.too_long = 0
        self.limit: Ending | None = None

    # -- the visitor --------------------------------------------------------------------------------

    def start(self) -> Sequence[Call] | None:
        if not self._continues():
            return None
        self._state = self._stack[-1].state
        self._repeating = True
        return self.shortest[self._state]

    def next(self, report: CallReport | None) -> Call | None:
        self._repeating = False
        if report is not None:
            self._state = report.state
            self._learn(report)
        if not self._continues() or self._stack[-1].state != self._state:
            return None
        node = self._stack[-1]
        node.tried += 1
        return self._edges[node.tried - 1]

    def abort(self) -> None:
        self._state = None
        if self._repeating:  # the calls that lead to the node cannot be repeated
            self._stack.pop()
        else:  # the new call did not end
            self.nodes += 1

    def _continues(self) -> bool:
        """Drop the sequences that are not extended any more; return whether one is left."""
        if self.limit is None and self.nodes >= self._limits.nodes:
            self.limit = Ending.NODES
        if self.limit is None:
            self.limit = self._budget()
        if self.limit is not None:
            return False
        while self._stack and not self._extends(self._stack[-1]):
            self._stack.pop()
        return bool(self._stack)

    def _extends(self, node: _Node) -> bool:
        if node.closed or node.tried == len(self._edges):
            return False
        if not node.tried:
            if node.useless >= self._level:
                self.saturated += 1
                return False
            if len(node.calls) >= self._limits.length:
                self.too_long += 1
                return False
            return True
        return not (self._rules.b2 and self._is_redundant(node))

    # -- one extended sequence ----------------------------------------------------------------------

    def _learn(self, report: CallReport) -> None:
        """Process the sequence that extends the node on top of the stack with its last tried edge."""
        self.nodes += 1
        node = self._stack[-1]
        if report.too_long or (report.raised and self._rules.d1):
            return
        gain = node.gain
        if report.trace and report.trace not in self._covered:
            gain |= 1 << self._bits.setdefault(report.trace, len(self._bits))
        known = self.shortest.get(report.state)
        if not report.raised and (known is None or len(known) > len(node.calls) + 1):
            self.shortest[report.state] = (*node.calls, self._edges[node.tried - 1])
        improved, same = gain != node.gain, report.state == node.state
        calls = (*node.calls, self._edges[node.tried - 1])
        extended = _Node(calls, gain, report.state, self.nodes, 0 if improved else node.useless + 1)
        if not improved and ((same and self._rules.d2) or (self._rules.d3 and self._is_redundant(extended))):
            return
        if improved and same and self._rules.b1:
            node.closed = True
        self._explored.setdefault(report.state, _Explored()).add(gain, len(calls), self.nodes)
        if is_better(gain.bit_count(), len(calls), (self.best.gain.bit_count(), len(self.best.calls))):
            self.best = extended
        self._stack.append(extended)

    def _is_redundant(self, node: _Node) -> bool:
        explored = self._explored.get(node.state)
        return explored is not None and explored.makes_redundant(node.gain, len(node.calls), node.number)

    def gained(self) -> Coverage:
        """Return the call traces that the best sequence adds to the coverage."""
        return frozenset(trace for trace, bit in self._bits.items() if self.best.gain >> bit & 1)


def search(
    runner: SequenceRunner,
    edges: Sequence[Call],
    covered: Coverage,
    *,
    rules: Rules = ALL_RULES,
    limits: Limits | None = None,
    level: int = FIRST_LEVEL,
) -> SearchResult | None:
    """Return the best sequence of one iteration; None if the prefix raises an exception.

    `covered` contains the call traces of the sequences of earlier iterations. If a complete search finds no new trace,
    it is repeated with the next saturation level, unless a higher level makes no difference.
    """
    limits = Limits() if limits is None else limits
    deadline = None if limits.seconds is None else _monotonic() + limits.seconds
    last_event = runner.events + limits.events

    def spent() -> Ending | None:
        if runner.events >= last_event:
            return Ending.EVENTS
        return Ending.SECONDS if deadline is not None and _monotonic() > deadline else None

    root_state = runner.root_state()
    if root_state is None:
        return None
    nodes = 0
    while True:
        found = _Search(
            edges,
            root_state,
            covered,
            rules=rules,
            limits=limits,
            level=level,
            budget=spent,
        )
        runner.visit(found)
        nodes += found.nodes
        ending = found.limit or (Ending.LENGTH if found.too_long else Ending.COMPLETE)
        if found.best.gain or found.limit is not None or not found.saturated:
            break
        if level >= limits.level:
            ending = Ending.LEVEL
            break
        level += 1
    return SearchResult(found.best.calls, found.gained(), level, ending, nodes, found.too_long, found.shortest)
