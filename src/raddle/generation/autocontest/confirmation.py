"""Confirmations: tests of two calls in one state, in which active testing tries to cover requirements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from raddle.generation.autocontest.active import ActiveTest, is_covered
from raddle.generation.autocontest.predict import Interleaving, Requirement, Shape
from raddle.generation.testcase import Call, TestCase
from raddle.linearizability.checker import Checker, Failure

# Maximum number of attempts to cover a requirement with two calls of the same kinds. The two candidate states take two
# attempts. More attempts help if a fault shows only with other values.
MAX_ATTEMPTS = 4


class CallKind(NamedTuple):
    """What distinguishes calls when attempts are counted. How often a loop repeats does not count."""

    call: Call
    shape: Shape


Attempt = tuple[Requirement, CallKind, CallKind]


@dataclass(frozen=True, slots=True)
class Confirmation:
    """Two calls in one of the two candidate states, and the interleavings that may be possible there."""

    test: TestCase
    candidate: int  # 0 for the state in which the first thread's call was recorded, 1 for that of the second thread
    interleavings: tuple[Interleaving, ...]
    calls: tuple[CallKind, CallKind]
    sites: frozenset[int]  # the sites of all accesses of both calls, which become scheduling points


@dataclass(slots=True)
class RequirementRecord:
    """What is known about the requirements of all tests so far."""

    predicted: set[Requirement] = field(default_factory=set)
    pruned: set[Requirement] = field(default_factory=set)  # pruned for some pair of calls
    covered: dict[Requirement, Confirmation] = field(default_factory=dict)  # with the confirmation that covered it
    attempts: dict[Attempt, int] = field(default_factory=dict)
    executions: int = 0  # number of executions of active testing
    explored_tests: int = 0  # number of tests whose confirmations have all been proposed

    def open_in(self, confirmation: Confirmation) -> list[Interleaving]:
        """Return the interleavings that a confirmation should try.

        Covered requirements are tried too, because they may show a fault only after another branch or in another state.
        """
        return [
            interleaving
            for interleaving in confirmation.interleavings
            if self.attempts.get((interleaving.requirement, *confirmation.calls), 0) < MAX_ATTEMPTS
        ]

    @property
    def without_context(self) -> int:
        """The number of covered requirements that differ in more than their call paths."""
        return len({requirement.instructions for requirement in self.covered})


def confirm(confirmation: Confirmation, record: RequirementRecord, checker: Checker) -> Failure | None:
    """Try to cover the requirements of a confirmation that are still open; stop at the first failure."""
    checker.legal()
    session = checker.session
    for site in sorted(confirmation.sites):
        session.known_points.add_site(site)
    for interleaving in record.open_in(confirmation):
        requirement = interleaving.requirement
        attempt = requirement, *confirmation.calls
        record.attempts[attempt] = record.attempts.get(attempt, 0) + 1
        for scheduler in _schedulers(checker, interleaving):
            scheduler.begin(1, session.known_points.version)
            execution, failure = checker.run(scheduler)
            record.executions += 1
            if scheduler.followed and execution.observed is not None:
                outer = interleaving.order[0].thread
                first, second = scheduler.participants[outer], scheduler.participants[1 - outer]
                if is_covered(requirement, execution.observed[0], first, second):
                    record.covered.setdefault(requirement, confirmation)
            if failure is not None:
                record.attempts[attempt] = MAX_ATTEMPTS  # the same calls would only fail again
                return failure
    return None


def _schedulers(checker: Checker, interleaving: Interleaving) -> Iterator[ActiveTest]:
    """Yield the schedulers to try.

    The second one is useful only if the inner thread did something after its last planned access.
    """
    first = ActiveTest(checker.harness, interleaving)
    yield first
    if first.inner_continued:
        yield ActiveTest(checker.harness, interleaving, inner_ends=False)
