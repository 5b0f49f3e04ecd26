"""The search for call sequences: a depth-first search with pruning (Fig. 7 and section 4.2 of the paper).

A node of the search tree is a sequence of calls after the prefix. Every node can be extended with the same calls, the
edges. The search uses an explicit stack, because sequences can be long, and limits, because it need not end: in Fig. 1
of the paper, each further `m7(), m5()` has a new call trace, so no number of calls without a new trace is reached.

Departures from the paper:

* The rules compare states by behavior first: two states are equal if every edge has the same call trace in both. The
  paper compares the contents of the object. With n setters of independent attributes, an object has 2^n contents, and
  with a counter infinitely many, but calls behave alike in nearly all of them. Equal behavior does not imply equal
  behavior after another call. So if a search that compares behaviors finds nothing, contents are compared.
* The order in which edges extend a sequence is not given in the paper. The edges after the one that was appended last
  come first, so that the first path down the tree contains every call once.
* B2 is also checked before a sequence is extended for the first time, which Theorem 1 of the paper allows.
* D1 counts only exceptions that leave the outermost call, because caught exceptions are ordinary control flow in
  Python.
* The saturation level k never decreases from one iteration to the next.
* Between sequences with equal coverage, state and length, the one that was found first counts as better.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto

from raddle.generation.autocontest.coverage import CallTrace, Coverage, is_better
from raddle.generation.autocontest.pruning import ALL_RULES, Explored, Rules
from raddle.generation.autocontest.sequence_runner import CallReport, SequenceRunner
from raddle.generation.autocontest.transitions import Search, Transition, Transitions
from raddle.generation.testcase import Call

_monotonic = time.monotonic  # the real clock: the search runs inside executions, which have virtual time
FIRST_LEVEL = 3  # the first saturation level


class StateEquality(Enum):
    """When the pruning rules treat two states as equal."""

    BEHAVIOR = auto()  # every edge has the same call trace in both
    CONTENT = auto()  # the shared objects have the same fingerprint


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one search."""

    nodes: int = 3_000  # maximum number of sequences at one saturation level
    events: int = 2_000_000  # maximum number of events of all calls, including those repeated to reach a state
    length: int = 200  # maximum number of calls in a sequence
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

    @property
    def is_complete(self) -> bool:
        """Whether no limit on the effort ended the search."""
        return self in (Ending.COMPLETE, Ending.LENGTH, Ending.LEVEL)


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
    key: Hashable  # equal for states that the rules treat as equal
    number: int  # position in the order in which the sequences were found
    useless: int = 0  # number of calls at the end without a new call trace
    first: int = 0  # index of the edge that is tried first; the others follow in their order
    tried: int = 0  # number of edges tried so far
    closed: bool = False  # whether no further edges are tried


class _DepthFirst:
    """One depth-first search at one saturation level."""

    def __init__(
        self,
        edges: Sequence[Call],
        root_state: bytes,
        covered: Coverage,
        *,
        rules: Rules,
        equality: StateEquality,
        limits: Limits,
        level: int,
        budget: Callable[[], Ending | None],
    ) -> None:
        self._edges = edges
        self._root_state = root_state
        self._covered = covered
        self._rules, self._equality, self._limits, self._level = rules, equality, limits, level
        self._budget = budget
        self._bits: dict[CallTrace, int] = {}  # maps each new call trace to its bit
        self._behaviors: dict[bytes, Hashable] = {}
        self._explored: dict[Hashable, Explored] = {}
        self.best = _Node((), 0, root_state, root_state, 0)
        self.nodes = self.saturated = self.too_long = 0
        self.limit: Ending | None = None

    def search(self) -> Search:
        """Yield the transitions that the search needs, and receive their reports."""
        root = self.best
        root.key = yield from self._key(root.state)
        self._explored.setdefault(root.key, Explored()).add(0, 0, 0)
        stack = [root]
        while stack and not self._is_over():
            node = stack[-1]
            if not self._extends(node):
                stack.pop()
                continue
            edge, node.tried = (node.first + node.tried) % len(self._edges), node.tried + 1
            report = yield Transition(node.state, edge)
            self.nodes += 1
            if report is None or report.too_long or (report.raised and self._rules.d1):
                continue
            extended = yield from self._extended(node, edge, report)
            if extended is not None:
                stack.append(extended)

    def _is_over(self) -> bool:
        if self.limit is None and self.nodes >= self._limits.nodes:
            self.limit = Ending.NODES
        if self.limit is None:
            self.limit = self._budget()
        return self.limit is not None

    def _extends(self, node: _Node) -> bool:
        """Return whether another edge of a node is tried."""
        if node.closed or node.tried == len(self._edges) or (self._rules.b2 and self._is_redundant(node)):
            return False
        if not node.tried:
            if node.useless >= self._level:
                self.saturated += 1
                return False
            if len(node.calls) >= self._limits.length:
                self.too_long += 1
                return False
        return True

    def _extended(
        self, node: _Node, edge: int, report: CallReport
    ) -> Generator[Transition, CallReport | None, _Node | None]:
        """Return the node for a sequence with one more call; None if it is not extended."""
        number, rules, after = self.nodes, self._rules, report.state.fingerprint
        gain = node.gain
        if report.trace and report.trace not in self._covered:
            gain |= 1 << self._bits.setdefault(report.trace, len(self._bits))
        improved = gain != node.gain
        if not improved and rules.d2 and after == node.state:
            return None
        key = node.key if after == node.state else (yield from self._key(after))
        same, calls, useless = key == node.key, (*node.calls, self._edges[edge]), 0 if improved else node.useless + 1
        extended = _Node(calls, gain, after, key, number, useless, first=edge + 1)
        if not improved and ((same and rules.d2) or (rules.d3 and self._is_redundant(extended))):
            return None
        if improved and same and rules.b1:
            node.closed = True
        self._explored.setdefault(key, Explored()).add(gain, len(calls), number)
        if is_better(gain.bit_count(), len(calls), (self.best.gain.bit_count(), len(self.best.calls))):
            self.best = extended
        return extended

    def _is_redundant(self, node: _Node) -> bool:
        explored = self._explored.get(node.key)
        return explored is not None and explored.makes_redundant(node.gain, len(node.calls), node.number)

    def _key(self, state: bytes) -> Generator[Transition, CallReport | None, Hashable]:
        """Return the same key for states that the rules treat as equal."""
        if self._equality is StateEquality.CONTENT:
            return state
        if state not in self._behaviors:
            behavior = []
            for edge in range(len(self._edges)):
                report = yield Transition(state, edge, only_trace=True)
                behavior.append(None if report is None else (report.trace, report.raised, report.too_long))
            self._behaviors[state] = tuple(behavior)
        return self._behaviors[state]

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
    equalities: Sequence[StateEquality] = tuple(StateEquality),
) -> SearchResult | None:
    """Return the best sequence of one iteration; None if the prefix raises an exception.

    `covered` contains the call traces of the sequences of earlier iterations. If a complete search finds no new trace,
    it is repeated with the next kind of equality, then with the next saturation level, unless a higher level makes no
    difference.
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
    transitions = Transitions(runner, edges, root_state, compare_states=rules.compare_states)
    left = list(equalities if rules.compare_states else [StateEquality.CONTENT])
    nodes = 0
    while True:
        found = _DepthFirst(
            edges,
            root_state.fingerprint,
            covered,
            rules=rules,
            equality=left[0],
            limits=limits,
            level=level,
            budget=spent,
        )
        transitions.run(found.search())
        nodes += found.nodes
        ending = found.limit or (Ending.LENGTH if found.too_long else Ending.COMPLETE)
        if found.best.gain or found.limit is not None:
            break
        if len(left) > 1:
            del left[0]
            continue
        if not found.saturated:
            break
        if level >= limits.level:
            ending = Ending.LEVEL
            break
        level += 1
    return SearchResult(found.best.calls, found.gained(), level, ending, nodes, found.too_long, transitions.shortest())
