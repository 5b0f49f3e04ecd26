"""CovCon (Choudhary, Lu, Pradel, ICSE 2017): tests of the method pairs that were covered least, relative to the tries.

Two tests are built for each pair that the ranking draws: one without calls that change the state first, and one with up
to five. Both threads call both methods, in opposite orders, 2 calls each. Once the pair was tried more than 5 times,
they make 5 calls each. All pairs at their k-th try share a prefix.

`covcon` runs each test once on native threads, as published. Under the GIL this finds next to nothing, and a comparison
with it compares schedulers rather than tests. `covcon*` runs the same tests once under a controlled random schedule.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import cycle, islice

from raddle.execute.installation import Installation
from raddle.execute.session import Execution
from raddle.generation.covcon_ranking import OverlapCounter, PairRanking, call_events
from raddle.generation.native_runs import NativeSettings, judge_natively, run_natively
from raddle.generation.random_schedules import RandomSchedules
from raddle.generation.strategy import Prefix, Proposal, Strategy, TestBuilder
from raddle.generation.surface import Method
from raddle.generation.testcase import TestCase
from raddle.generation.tests_of_methods import build_test
from raddle.inspection import mro
from raddle.instrument.model.owners import class_owner
from raddle.linearizability.checker import Checker, Failure

MANY_TRIES = 5  # tries of a pair, after which its tests become longer
STATE_CHANGERS = 5  # maximum number of calls that change the state before the threads start


class _CovCon(Strategy):
    """The choice of tests, which is the same with native threads and under control."""

    def __init__(self, builder: TestBuilder) -> None:
        super().__init__(builder)
        self._seed = builder.random.getrandbits(32)  # for schedules; drawn in both cases, so that the tests are equal
        self.ranking = PairRanking(builder.surface.methods, builder.random)
        self._overlaps = OverlapCounter(builder.surface.methods)
        self._cls: type = builder.surface.cls.load()
        self._tests: deque[TestCase] = deque()
        self._prefixes: dict[tuple[int, int], Prefix | None] = {}  # by number of the try and of state changers

    def _next_test(self) -> TestCase | None:
        if not self._tests and self.ranking.pairs:
            self._build_tests()
        return self._tests.popleft() if self._tests else None

    def _build_tests(self) -> None:
        one, other = self.ranking.draw()
        tried = self.ranking.tried((one, other))
        length = 5 if tried > MANY_TRIES else 2
        for changers in (0, STATE_CHANGERS):
            key = tried, changers
            if key not in self._prefixes:
                self._prefixes[key] = self.builder.prefix(max_calls=changers)
            prefix = self._prefixes[key]
            threads = [_alternating(other, one, length), _alternating(one, other, length)]
            test = None if prefix is None else build_test(self.builder, prefix, threads)
            if test is not None:
                self._tests.append(test)

    def restart(self) -> None:
        """Drop the prefixes and tests, which use arguments of the former pools."""
        self._prefixes.clear()
        self._tests.clear()


def _alternating(first: Method, second: Method, length: int) -> Sequence[Method]:
    return list(islice(cycle((first, second)), length))


class CovCon(_CovCon):
    """CovCon as published, on native threads."""

    name = "covcon"
    is_controlled = False

    def __init__(self, builder: TestBuilder, settings: NativeSettings) -> None:
        super().__init__(builder)
        self._settings = settings

    def propose(self) -> Proposal | None:
        """Return the next test, which runs once."""
        test = self._next_test()
        return None if test is None else Proposal(test, self._execute)

    def _execute(self, checker: Checker) -> Failure | None:
        result = run_natively(checker.harness.calls, self._settings, repetitions=1, overlaps_of=self._cls)
        checker.executions += result.repetitions
        for events in result.events:
            self.ranking.add_covered(self._overlaps.count(events))
        return judge_natively(result, checker.legal)


class CovConStar(_CovCon):
    """CovCon's tests under controlled random schedules."""

    name = "covcon*"

    def __init__(self, builder: TestBuilder, installation: Installation) -> None:
        super().__init__(builder)
        self._table = installation.table
        self._owners = frozenset(class_owner(installation.table, base) for base in mro(self._cls))
        self._schedules = RandomSchedules(self._seed, repetitions=1)

    def propose(self) -> Proposal | None:
        """Return the next test, which runs once."""
        test = self._next_test()
        return None if test is None else Proposal(test, self._execute, measured=True)

    def _execute(self, checker: Checker) -> Failure | None:
        return self._schedules.run(checker, after_each=self._count)

    def _count(self, execution: Execution) -> None:
        """Count the overlaps of an execution."""
        assert execution.observed is not None, "the session does not measure"
        events = call_events(execution.observed[0], self._table, self._owners)
        self.ranking.add_covered(self._overlaps.count(events))
