"""The portfolio, the default strategy.

It draws an object in some state and several calls on it, runs each call alone to see what it reads and writes, and
tests the pairs in which one call can come between two critical sections of the other. Each test runs every schedule
with one preemption, because that exposes nearly all concurrency bugs of two calls. Tests that pass get a second pass
with two preemptions while nothing better is left to do.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from raddle.generation import expressions
from raddle.generation.footprint import Footprint, Variable, footprint
from raddle.generation.strategy import Prefix, Proposal, Strategy, TestBuilder
from raddle.generation.surface import Method, MethodKind
from raddle.generation.testcase import SHARED, Call, TestCase
from raddle.linearizability.checker import Checker, Failure

CALLS = 10  # calls that are drawn for each prefix
FOCUSED_SHARE = 0.7  # share of the prefixes after which all calls in a test access one variable, the one in focus
MAX_WRITERS = 4  # methods that write the variable in focus
MIN_OTHERS = 1  # calls of methods that do not access the variable in focus
REPEATED = 3  # calls of each writer, or methods that are called twice if no variable is in focus
TESTS = 12  # maximum number of tests that are made of these calls
OFTEN = 4  # tries of two kinds of calls after which they are tried again only now and then
PREFIX_LENGTHS = (0, 1, 1, 2, 3, 5)
LONGER_SHARE = 0.25  # share of the tests in which one thread makes two calls
EXTENSIONS = 2  # prefixes that are extended by one or two of the drawn calls
OTHER_RECEIVER = 0.3  # share of the calls whose receiver may be a second instance, if the prefix constructs one
EXTRA_SHARE = 0.05  # share of the pairs that seem not to interact and are tested all the same
FIRST_PASS = 60  # maximum number of executions of a test with one preemption
SECOND_PASS = 250  # maximum number of executions of a test with two preemptions
SECOND_PASS_SHARE = 0.1  # share of the proposals that are second passes
MAX_WAITING = 200  # tests that wait for their second pass


@dataclass(slots=True)
class _Candidate:
    """A call that works after the prefix, with what it did when it ran alone."""

    call: Call
    footprint: Footprint


@dataclass(slots=True)
class _Pass:
    """The plan of one test: a complete search with a bound on preemptions."""

    preemptions: int
    max_executions: int
    exhausted: bool = field(default=False, init=False)

    def __call__(self, checker: Checker) -> Failure | None:
        verdict = checker.search(preemptions=self.preemptions, max_executions=self.max_executions)
        self.exhausted = verdict.exhausted
        return verdict.failure


Kind = tuple[Method, frozenset[int]]  # calls of one method that reach the same sites are of one kind


class Portfolio(Strategy):
    """Tests calls that can interrupt each other, with every schedule of one preemption and then of two."""

    name: ClassVar[str] = "portfolio"

    def __init__(self, builder: TestBuilder) -> None:
        super().__init__(builder)
        surface = builder.surface
        # Constructors can share state of the class. Most do not, and then no other call interacts with them.
        self._callable = list(dict.fromkeys((*surface.methods, *surface.constructors)))
        # Maps each variable that a call has written to the methods that access it, and these to whether they write it.
        self._accessors: dict[Variable, dict[Method, bool]] = {}
        self._focused: Counter[Variable] = Counter()  # number of times each variable was in focus
        self._proposals: deque[Proposal] = deque()
        self._passed: deque[TestCase] = deque(maxlen=MAX_WAITING)  # tests that wait for their second pass
        self._drawn: Counter[Method] = Counter()  # number of times each method was drawn
        self._tried: Counter[frozenset[Kind]] = Counter()  # number of tests of each combination of kinds
        # What was drawn since the last restart. The same calls are often drawn again, and would do the same again.
        self._footprints: dict[tuple[tuple[Call, ...], Call], Footprint | None] = {}
        self._proposed: set[tuple[tuple[Call, ...], frozenset[tuple[Call, ...]]]] = set()

    def propose(self) -> Proposal | None:
        if not self._proposals:
            self._draw()
        if self._passed and (not self._proposals or self.builder.random.random() < SECOND_PASS_SHARE):
            return Proposal(self._passed.popleft(), _Pass(2, SECOND_PASS))
        return self._proposals.popleft() if self._proposals else None

    def learn(self, proposal: Proposal, failure: Failure | None) -> None:
        plan = proposal.plan
        if failure is None and isinstance(plan, _Pass) and plan.preemptions == 1 and plan.exhausted:
            self._passed.append(proposal.test)

    def restart(self) -> None:
        self._proposals.clear()
        self._passed.clear()
        self._footprints.clear()
        self._proposed.clear()

    def _draw(self) -> None:
        """Draw a prefix and calls, and fill the queue with tests of them."""
        random = self.builder.random
        prefix = self.builder.prefix(max_calls=random.choice(PREFIX_LENGTHS))
        if prefix is None:
            return
        focus = self._choose_focus()
        candidates = self._candidates(prefix, focus)
        self._add_tests(prefix, candidates, focus)
        for _ in range(EXTENSIONS):
            longer = self._extended(prefix, candidates, focus)
            if longer is not None:
                observed = self._observed(longer, [candidate.call for candidate in candidates])
                self._add_tests(longer, observed, focus)

    def _choose_focus(self) -> Variable | None:
        """Return the variable that was in focus least often, or None."""
        random = self.builder.random
        if not self._accessors or random.random() >= FOCUSED_SHARE:
            return None
        least = min(self._focused[variable] for variable in self._accessors)
        focus = random.choice([variable for variable in self._accessors if self._focused[variable] == least])
        self._focused[focus] += 1
        return focus

    def _add_tests(self, prefix: Prefix, candidates: Sequence[_Candidate], focus: Variable | None) -> None:
        """Add tests of the candidates that were tried least often together."""
        random = self.builder.random
        pairs = [
            (one, other)
            for index, one in enumerate(candidates)
            for other in candidates[index:]
            if (one.footprint.interacts_with(other.footprint) and _conflict_on(focus, one, other))
            or random.random() < EXTRA_SHARE
        ]
        # The more often two kinds of calls were tried together, the less likely they are tried again.
        pairs = [pair for pair in pairs if random.random() * self._tried[_kinds(pair)] < OFTEN]
        random.shuffle(pairs)
        pairs.sort(key=lambda pair: self._tried[_kinds(pair)])
        for pair in pairs[:TESTS]:
            self._tried[_kinds(pair)] += 1
            threads: list[tuple[Call, ...]] = [(pair[0].call,), (pair[1].call,)]
            if random.random() < LONGER_SHARE:
                which = random.randrange(2)
                threads[which] = (*threads[which], self._second(pair[which], pair[1 - which], candidates).call)
            self._add_test(TestCase(prefix.calls, tuple(threads)))

    def _add_test(self, test: TestCase) -> None:
        """Add a test unless the same calls were proposed before. Which thread makes which calls does not matter."""
        calls = test.prefix, frozenset(test.threads)
        if calls not in self._proposed:
            self._proposed.add(calls)
            self._proposals.append(Proposal(test, _Pass(1, FIRST_PASS)))

    def _extended(self, prefix: Prefix, candidates: Sequence[_Candidate], focus: Variable | None) -> Prefix | None:
        """Return the prefix with candidates that write what other candidates read, so that those do something else."""
        reads = {access.variable for one in candidates for access in one.footprint.accesses if not access.writes}
        wanted = reads if focus is None else {focus}
        writers = [
            one.call
            for one in candidates
            if one.call.method.kind is not MethodKind.CONSTRUCTOR
            and any(access.writes and access.variable in wanted for access in one.footprint.accesses)
        ]
        if not writers:
            return None
        count = min(len(writers), self.builder.random.choice((1, 1, 2)))
        return prefix.followed_by(*self.builder.random.sample(writers, count))

    def _second(self, first: _Candidate, other: _Candidate, candidates: Sequence[_Candidate]) -> _Candidate:
        """Return a second call for the thread that makes `first`: one that conflicts with the other thread's call."""
        suitable = [one for one in candidates if one.footprint.conflicts_with(other.footprint)]
        return self.builder.random.choice(suitable or [first])

    def _candidates(self, prefix: Prefix, focus: Variable | None) -> list[_Candidate]:
        random = self.builder.random
        cls = prefix.types[SHARED]
        receivers = [name for name, kind in prefix.types.items() if kind is cls]
        calls = []
        for method in self._methods(focus):
            receiver = SHARED if random.random() >= OTHER_RECEIVER else random.choice(receivers)
            call = self.builder.call(prefix, method, receiver=receiver)
            if call is not None:
                calls += [call, *_mirrored(call, receivers)]
        return self._observed(prefix, list(dict.fromkeys(calls)))

    def _observed(self, prefix: Prefix, calls: Sequence[Call]) -> list[_Candidate]:
        """Return the calls that work after the prefix, with their footprints."""
        footprints = ((call, self._footprint(prefix, call)) for call in calls)
        found = [_Candidate(call, footprint) for call, footprint in footprints if footprint is not None]
        for candidate in found:
            for access in candidate.footprint.accesses:
                if access.writes:
                    self._accessors.setdefault(access.variable, {})[candidate.call.method] = True
                elif access.variable in self._accessors:
                    self._accessors[access.variable].setdefault(candidate.call.method, False)
        return found

    def _footprint(self, prefix: Prefix, call: Call) -> Footprint | None:
        """Return what the call does when it runs alone after the prefix; None if it does not work."""
        key = prefix.calls, call
        if key not in self._footprints:
            observed = self.builder.observe(prefix, [call])
            self._footprints[key] = None if observed is None else footprint(observed)
        return self._footprints[key]

    def _methods(self, focus: Variable | None) -> Sequence[Method]:
        """Return the methods to draw calls of: those that access the variable in focus, or those drawn least often.

        Some occur several times, so that they are called with several arguments.
        """
        random, methods = self.builder.random, self._callable
        random.shuffle(methods)
        accessors = {} if focus is None else self._accessors[focus]
        writers = [method for method in methods if accessors.get(method)][:MAX_WRITERS]
        readers = [method for method in methods if method in accessors and method not in writers]
        chosen = [*writers * REPEATED, *readers[:CALLS]]
        others = sorted((method for method in methods if method not in accessors), key=self._drawn.__getitem__)
        chosen += others[: CALLS if focus is None else MIN_OTHERS]
        if focus is None:
            chosen += [random.choice(chosen) for _ in range(REPEATED)]
        self._drawn.update(chosen)
        return chosen


def _mirrored(call: Call, instances: Sequence[str]) -> list[Call]:
    """Return the call with receiver and argument exchanged, if both are instances of the class: `b.m(a)` for `a.m(b)`.

    The two calls acquire the locks of the objects in opposite orders.
    """
    if not call.method.kind.has_receiver:
        return []
    named = [one.name for one in call.arguments if isinstance(one, expressions.Variable) and one.name in instances]
    others = [name for name in named if name != call.receiver]
    if not others:
        return []
    receiver, other = expressions.Variable(call.receiver), expressions.Variable(others[0])
    arguments = tuple(receiver if one == other else one for one in call.arguments)
    return [replace(call, receiver=others[0], arguments=arguments)]


def _conflict_on(focus: Variable | None, one: _Candidate, other: _Candidate) -> bool:
    """Return whether both calls access the variable in focus and at least one of them writes it."""
    if focus is None:
        return True
    here, there = (
        {access.writes for access in candidate.footprint.accesses if access.variable == focus}
        for candidate in (one, other)
    )
    return bool(here and there) and (True in here or True in there)


def _kinds(pair: tuple[_Candidate, _Candidate]) -> frozenset[Kind]:
    return frozenset((candidate.call.method, candidate.footprint.sites) for candidate in pair)
