"""A test builder with fixed calls, for tests of strategies."""

from __future__ import annotations

import inspect
from random import Random

import shared_classes

from raddle.execute.thread_installation import Threads
from raddle.exploring.workbench import Workbench
from raddle.generation.binding import add_sites, bind
from raddle.generation.expressions import Imported
from raddle.generation.strategy import Prefix
from raddle.generation.surface import Method, MethodKind, Surface
from raddle.generation.testcase import SHARED, Call, TestCase
from raddle.instrument import Selection
from raddle.linearizability.checker import Checker
from raddle.linearizability.harness import Harness

SELECTION = Selection(root="/nowhere", sources=(shared_classes.__name__,))


def make_workbench():
    """Return a workbench, not entered yet, on which only `shared_classes` has probes."""
    workbench = Workbench(Threads(SELECTION))
    add_sites(workbench.installation.table)
    return workbench


def surface_of(cls):
    """Return a surface with all public methods."""
    owner = Imported(cls.__module__, cls.__qualname__)
    methods = [
        Method(name, MethodKind.PROPERTY if isinstance(member, property) else MethodKind.METHOD, owner)
        for name, member in inspect.getmembers_static(cls)
        if not name.startswith("_")
    ]
    return Surface(owner, (Method("", MethodKind.CONSTRUCTOR, owner),), tuple(methods))


class FakeBuilder:
    """Satisfies `TestBuilder`. `calls` maps the names of methods to the possible argument tuples."""

    def __init__(self, workbench, cls, calls=None, *, prefix=(), seed=1):
        self.surface = surface_of(cls)
        self.random = Random(seed)
        self._workbench = workbench
        self._calls = {} if calls is None else calls
        self._prefix = (Call(self.surface.constructors[0], result=SHARED), *prefix)
        self._cls = cls
        self.observed = 0

    def method(self, name):
        return next(method for method in self.surface.methods if method.name == name)

    def prefix(self, *, max_calls=5, preferred=()):
        return Prefix(self._prefix, {SHARED: self._cls})

    def call(self, prefix, method, *, receiver=SHARED):
        return Call(method, self.random.choice(self._calls.get(method.name, [()])), receiver=receiver)

    def observe(self, prefix, calls):
        self.observed += 1
        harness, observed = self._run(TestCase(prefix.calls, (tuple(calls),)))
        return None if harness.error is not None else observed

    def observe_whole(self, test):
        return self._run(test)[1]

    def _run(self, test):
        harness = Harness(bind(test))
        with self._workbench.session(harness, measuring=True, all_accesses=True) as session:
            execution = session.run(lambda enabled, current: enabled[0])
            steps, entities = execution.observed
            return harness, ([step for step in steps if step[0]], entities)


def run_strategy(workbench, strategy, *, tests, reset=None):
    """Run the proposals of a strategy as the search loop does; return the first failure and the number of tests."""
    for number in range(1, tests + 1):
        proposal = strategy.propose()
        if proposal is None:
            continue
        with Checker(workbench, bind(proposal.test), reset=reset, measuring=proposal.measured) as checker:
            failure = proposal.plan(checker)
            if failure is not None and failure.decisions:
                assert checker.confirmed(failure)
        strategy.learn(proposal, failure)
        if failure is not None:
            return failure, number
    return None, tests
