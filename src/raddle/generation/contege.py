"""ConTeGe (Pradel, Gross, PLDI 2012): random tests, each run many times.

A test consists of a prefix and two suffixes of two random calls. A suffix is accepted if it raises nothing after the
prefix in a sequential run. Each new suffix of a prefix is tested together with every earlier one and with itself. After
max(1, tries / 20) prefixes, the existing prefixes are used again.

`contege` runs each test 100 times on native threads, as published. `contege*` runs the same tests 100 times under
controlled random schedules.
"""

from __future__ import annotations

from collections import deque

from raddle.generation.native_runs import NativeSettings, judge_natively, run_natively
from raddle.generation.random_schedules import RandomSchedules
from raddle.generation.strategy import Prefix, Proposal, Strategy, TestBuilder
from raddle.generation.testcase import Call, TestCase
from raddle.linearizability.checker import Checker, Failure

REPETITIONS = 100
MAX_TRIES = 1000  # tries for which ConTeGe is started; they determine the number of prefixes
CALLS = 2  # calls of the class under test in a suffix
ATTEMPTS = 10  # attempts at each call and at each suffix

Suffix = tuple[Call, ...]


class _ConTeGe(Strategy):
    """The choice of tests, which is the same with native threads and under control."""

    def __init__(self, builder: TestBuilder) -> None:
        super().__init__(builder)
        self._seed = builder.random.getrandbits(32)  # for schedules; drawn in both cases, so that the tests are equal
        self.restart()

    def restart(self) -> None:
        """Drop the prefixes and suffixes, which use arguments of the former pools."""
        self._suffixes: list[tuple[Prefix, list[Suffix]]] = []
        self._tests: deque[TestCase] = deque()

    def _next_test(self) -> TestCase | None:
        if not self._tests:
            self._build_tests()
        return self._tests.popleft() if self._tests else None

    def _build_tests(self) -> None:
        """Build the tests of a new suffix."""
        if len(self._suffixes) < max(1, MAX_TRIES // 20):
            prefix = self.builder.prefix()
            if prefix is None:
                return
            self._suffixes.append((prefix, []))
            known = self._suffixes[-1][1]
        else:
            prefix, known = self.builder.random.choice(self._suffixes)
        suffix = self._suffix(prefix)
        if suffix is not None and suffix not in known:
            known.append(suffix)
            self._tests += [TestCase(prefix.calls, (suffix, other)) for other in known]

    def _suffix(self, prefix: Prefix) -> Suffix | None:
        """Return calls that raise nothing after the prefix."""
        for _ in range(ATTEMPTS):
            calls: list[Call] = []
            for _ in range(CALLS):
                call = self._call(prefix.followed_by(*calls))
                if call is None:
                    return None
                calls.append(call)
            if self.builder.observe(prefix, calls) is not None:
                return tuple(calls)
        return None

    def _call(self, prefix: Prefix) -> Call | None:
        for _ in range(ATTEMPTS):
            call = self.builder.call(prefix, self.builder.random.choice(self.builder.surface.methods))
            if call is not None:
                return call
        return None


class ConTeGe(_ConTeGe):
    """ConTeGe as published, on native threads."""

    name = "contege"
    is_controlled = False

    def __init__(self, builder: TestBuilder, settings: NativeSettings) -> None:
        super().__init__(builder)
        self._settings = settings

    def propose(self) -> Proposal | None:
        """Return the next test, which runs 100 times."""
        test = self._next_test()
        return None if test is None else Proposal(test, self._execute)

    def _execute(self, checker: Checker) -> Failure | None:
        result = run_natively(checker.harness.calls, self._settings, repetitions=REPETITIONS)
        checker.executions += result.repetitions
        return judge_natively(result, checker.legal)


class ConTeGeStar(_ConTeGe):
    """ConTeGe's tests under controlled random schedules."""

    name = "contege*"

    def __init__(self, builder: TestBuilder) -> None:
        super().__init__(builder)
        self._schedules = RandomSchedules(self._seed, repetitions=REPETITIONS)

    def propose(self) -> Proposal | None:
        """Return the next test, which runs 100 times."""
        test = self._next_test()
        return None if test is None else Proposal(test, self._schedules.run)
