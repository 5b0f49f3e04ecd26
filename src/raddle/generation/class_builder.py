"""Builds the parts of tests for one class: prefixes and calls that are known to work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence, Set
from itertools import chain
from random import Random
from typing import Any, ClassVar

from raddle.entities import Entities
from raddle.exploring.workbench import Workbench
from raddle.generation.argument_kinds import ArgumentKinds, argument_kinds
from raddle.generation.binding import bind
from raddle.generation.pools import ArgumentPools
from raddle.generation.prefixes import draw_prefix, draw_working_call
from raddle.generation.sandbox import Sandbox
from raddle.generation.sequential import SequentialRunner
from raddle.generation.strategy import Observed, Prefix
from raddle.generation.surface import Method
from raddle.generation.testcase import SHARED, Call, TestCase
from raddle.linearizability.checker import STEP_LIMIT
from raddle.linearizability.concurrent_calls import ConcurrentCalls
from raddle.linearizability.harness import Harness
from raddle.operation import ACCESSES
from raddle.schedulers.sequential import Sequential
from raddle.step import Step

PASSED_TO_ITSELF = 0.35  # share of the tests in which most calls that accept an instance get the shared object
EDGE_DRAWS = 16  # number of times that the arguments of an edge are drawn for each method
EDGES = 1  # number of these calls that become edges, for each combination of kinds of arguments


class ClassBuilder:
    """The `TestBuilder` of a class, on an active workbench. It is a context manager."""

    __test__: ClassVar[bool] = False

    def __init__(
        self,
        workbench: Workbench,
        runner: SequentialRunner,
        pools: ArgumentPools,
        random: Random,
        *,
        sandbox: Sandbox,
        reset: Callable[[], object],
        global_ids: Set[int] = frozenset(),
    ) -> None:
        self.surface = pools.surface
        self.random = random
        self.workbench = workbench
        self.reset: Callable[[], object] | None = reset
        self.folder = sandbox.folder
        self.global_ids = global_ids
        self._runner = runner
        self._pools = pools
        self._harness = Harness(ConcurrentCalls(object, ()))
        self._session = workbench.session(
            self._harness, setup=reset, renewed=False, step_limit=STEP_LIMIT, measuring=True, all_accesses=True
        )

    def __enter__(self) -> ClassBuilder:
        self._session.__enter__()
        return self

    def __exit__(self, *exc: Any) -> None:
        self._session.__exit__(*exc)

    def prefix(self, *, max_calls: int = 5, preferred: Sequence[Method] = ()) -> Prefix | None:
        """Return a new prefix; None if the drawn constructor call does not work this time."""
        # An object that contains itself is usually passed to itself again, so one choice holds for the whole test.
        passed = SHARED if self._pools.accepts_instances and self.random.random() < PASSED_TO_ITSELF else ""
        calls = draw_prefix(
            self._runner, self._pools, self.random, max_calls=max_calls, preferred=preferred, passed=passed
        )
        result = self._runner.run(calls)
        return Prefix(calls, result.types, passed) if result.works else None

    def call(self, prefix: Prefix, method: Method, *, receiver: str = SHARED) -> Call | None:
        """Return a call of the method that raises no exception after the prefix; None if none was found."""
        return draw_working_call(
            self._runner, self._pools, self.random, prefix.calls, method, prefix.types, receiver=receiver,
            passed=prefix.passed,
        )  # fmt: skip

    def observe(self, prefix: Prefix, calls: Sequence[Call]) -> Observed | None:
        """Run the prefix and then the calls in one thread; return the steps of the calls, None if one raises."""
        observed = self._observe(TestCase(prefix.calls, (tuple(calls),)))
        return None if observed is None or self._harness.error is not None else (observed[0][0], observed[1])

    def observe_each(self, test: TestCase) -> list[Observed | None] | None:
        """Run the threads of a test one after the other; return the steps of each thread.

        A thread's steps are None if one of its calls raises an exception or does not end. The result is None if the
        execution fails.
        """
        observed = self._observe(test)
        if observed is None:
            return None
        threads, entities = observed
        return [
            (steps, entities) if self._harness.has_returned(number) else None for number, steps in enumerate(threads)
        ]

    def observe_whole(self, test: TestCase) -> Observed | None:
        """Run the threads of a test one after the other; return the steps of all, None if the execution fails."""
        observed = self._observe(test)
        return None if observed is None else (tuple(chain.from_iterable(observed[0])), observed[1])

    def _observe(self, test: TestCase) -> tuple[list[tuple[Step, ...]], Entities] | None:
        """Run the threads of a test one after the other; return the steps of each, None if the execution fails."""
        harness, session = self._harness, self._session
        harness.calls = bind(test, folder=self.folder)
        scheduler = Sequential()
        scheduler.begin(1, session.known_points.version)
        execution = session.run_for(scheduler)
        if execution.outcome.failed or execution.observed is None or not harness.complete:
            return None
        steps, entities = execution.observed
        early = self.workbench.installation.model().early
        # The harness makes the calls in threads of their own, and the prefix in the first thread. Constructors access
        # their own object before any other thread can.
        threads: dict[int, list[Step]] = {}
        for step in steps:
            if step[3] not in early or step[1] not in ACCESSES:
                threads.setdefault(step[0], []).append(step)
        found: list[tuple[Step, ...]] = [()] * len(test.threads)
        for participant, own in threads.items():
            if harness.is_worker(participant):
                found[harness.position(participant)[0]] = tuple(own)
        return found, entities

    def edges(self, prefix: Prefix) -> Sequence[Call]:
        """Return calls of each method, in which every parameter that accepts an instance is the shared object.

        The calls of one method have different arguments, and more of them if the kinds of the arguments differ, such
        as None, a callback and the shared object. They may raise exceptions.
        """
        self._pools.renew()
        cls = prefix.types[SHARED]
        edges: list[Call] = []
        for method in self.surface.methods:
            draws = EDGE_DRAWS if method.parameters else 1
            drawn = dict.fromkeys(self._pools.draw_edge(self.random, method, cls) for _ in range(draws))
            counts: Counter[ArgumentKinds] = Counter()
            for call in drawn:
                kinds = argument_kinds(call)
                counts[kinds] += 1
                if counts[kinds] <= EDGES:
                    edges.append(call)
        return edges
