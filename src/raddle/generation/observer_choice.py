"""The choice of observers: the calls and attributes that show what the threads of a test may have done wrong.

An observer reads something that the threads write, and changes nothing that they use. The best one reads a variable
that both threads write, because an update of it can be lost. Whether it is a method or an attribute does not matter.

What methods read and write is learned from the tests: a few of the first ones are run once without concurrency,
followed by the calls that may be observers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from random import Random
from typing import Protocol

from raddle.generation.callbacks import observers_of_callbacks
from raddle.generation.footprint import Variable
from raddle.generation.method_effects import Effects
from raddle.generation.observer_arguments import Pools, observing_calls
from raddle.generation.strategy import Observed
from raddle.generation.surface import Method, MethodKind, Surface
from raddle.generation.testcase import Call, TestCase
from raddle.operation import CONTENT

OBSERVERS = 6  # maximum number of observers of a test, without those of callbacks
MAX_FAILURES_AFTER_PREFIX = 2  # because many tests have the same prefix, and it may have closed the object
MAX_TRIED = 20  # possible observers that are run at once to learn what they do

_KINDS = (MethodKind.METHOD, MethodKind.PROPERTY, MethodKind.OPERATOR)
# Special methods that show no state, or only compare it with another object.
_NOT_OBSERVING = frozenset({"__hash__", "__str__", "__repr__", "__next__", "__call__", "__eq__", "__ne__", "__lt__"})


class Builder(Protocol):
    """What the choice of observers needs from the builder of tests."""

    surface: Surface

    def observe_each(self, test: TestCase) -> Sequence[Observed | None] | None:
        """Run the threads of a test one after the other; return the steps of each thread.

        A thread's steps are None if one of its calls raises an exception or does not end. The result is None if the
        execution fails.
        """


class _Rank(IntEnum):
    """What an observer reads, from the best to the worst."""

    WRITTEN_BY_BOTH = 0
    CONTESTED = 1  # written by one thread, and accessed by another one
    WRITTEN = 2


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A method that can observe the state after certain calls."""

    method: Method
    rank: _Rank
    shown: frozenset[Variable]  # the variables that it shows and that the threads write


class ObserverChoice:
    """Chooses the observers of the tests of a class."""

    def __init__(
        self,
        builder: Builder,
        pools: Pools,
        *,
        owners: Collection[str],
        seed: int = 1,
        compares_values: bool = True,
        is_excluded: Callable[[str], bool] = lambda name: False,
    ) -> None:
        """Create a choice.

        Args:
            builder: Runs tests without concurrency.
            pools: The arguments that suit parameters.
            owners: The class and its bases, as owners of variables. Their public attributes can be observed.
            seed: Determines the choice between observers that are equally good.
            compares_values: Whether what observers return is compared, rather than only the exceptions that they raise.
            is_excluded: Returns whether the attribute with this name must not be observed.
        """
        self._builder = builder
        self._pools = pools
        self._owners = frozenset(owners)
        self._random = Random(f"observers:{seed}")
        self._compares_values = compares_values
        self._is_excluded = is_excluded
        surface = builder.surface
        self._names = {method.name for method in surface.methods if method.kind is not MethodKind.ASSIGNMENT}
        self._methods = [one for one in surface.methods if one.kind in _KINDS and one.name not in _NOT_OBSERVING]
        self._attributes: dict[str, Method] = {}
        self._effects: dict[Method, Effects] = {}
        self._dropped: set[Method] = set()
        self._failures: Counter[tuple[tuple[Call, ...], Method]] = Counter()  # by the prefix and the method
        self._tried_at_once = MAX_TRIED
        self._known: dict[tuple[frozenset[Method], ...], list[_Candidate]] = {}

    def added_to(self, test: TestCase, *, limit: int = OBSERVERS) -> TestCase:
        """Return the test with the best observers, at most `limit` besides those of callbacks."""
        test = replace(test, observers=())
        if self._learn(test):  # it shows attributes that other methods write; so look at these, too
            self._learn(test)
        threads = tuple(frozenset(call.method for call in thread) for thread in test.threads)
        if threads not in self._known:
            self._known[threads] = list(self._candidates(threads))
        found = [
            (candidate, call)
            for candidate in self._known[threads]
            for call in observing_calls(candidate.method, test, self._pools)
        ]
        self._random.shuffle(found)
        if self._compares_values:
            found.sort(key=lambda pair: (pair[0].rank, not pair[1].arguments and not pair[1].keywords))
            observers = _most_different(found, limit)
        else:
            observers = self._most_likely_to_raise(found, limit)
        if self._compares_values:
            observers += observers_of_callbacks(list(test.calls()), self._builder.surface.cls)
        return replace(test, observers=tuple(observers))

    def _most_likely_to_raise(self, found: Sequence[tuple[_Candidate, Call]], limit: int) -> list[Call]:
        """Return calls of different methods, mostly of those that read much of what the threads write."""
        by_method = {candidate.method: (candidate, call) for candidate, call in found}
        keys = {
            method: self._random.expovariate(1.0) / max(1, len(candidate.shown))
            for method, (candidate, _) in by_method.items()
        }
        return [by_method[method][1] for method in sorted(keys, key=keys.__getitem__)[:limit]]

    def drop(self, calls: Collection[Call]) -> None:
        """Choose the methods of these calls no more, because the calls cannot be made after every order of a test."""
        self._dropped.update(call.method for call in calls)
        self._known.clear()

    def restart(self) -> None:
        """Learn more, because the arguments of later tests are others."""
        for effects in self._effects.values():
            effects.restart()
        self._failures.clear()

    # -- what calls do ------------------------------------------------------------------------------

    def _learn(self, test: TestCase) -> bool:
        """Run the calls of a test, and what may observe it, unless enough is known about them.

        Return whether there are new attributes to observe.
        """
        calls = [call for thread in test.threads for call in thread]
        prefix = test.prefix
        unknown = [
            method
            for method in self._observing()
            if not self._is_known(method) and self._failures[prefix, method] < MAX_FAILURES_AFTER_PREFIX
        ][: self._tried_at_once]
        if not unknown and all(self._of(call.method).is_known for call in calls):
            return False
        tried = [found[0] for method in unknown if (found := observing_calls(method, test, self._pools))]
        for method in unknown:
            if method not in {call.method for call in tried}:
                self._of(method).add(None)
        results = self._builder.observe_each(TestCase(test.prefix, tuple((call,) for call in (*calls, *tried))))
        if results is None:  # one of them may never end, so try fewer at once
            self._tried_at_once = max(1, self._tried_at_once // 2)
            results = [None] * (len(calls) + len(tried))
        changed = [
            self._of(call.method).add(observed) for call, observed in zip((*calls, *tried), results, strict=True)
        ]
        failed = [call.method for call, observed in zip((*calls, *tried), results, strict=True) if observed is None]
        self._failures.update((prefix, method) for method in failed)
        before = len(self._attributes)
        if any(changed):
            self._known.clear()
            for call in (*calls, *tried):
                self._find_attributes(self._of(call.method))
        return len(self._attributes) > before

    def _observing(self) -> Iterator[Method]:
        yield from self._methods
        yield from self._attributes.values()

    def _of(self, method: Method) -> Effects:
        return self._effects.setdefault(method, Effects())

    def _is_known(self, method: Method) -> bool:
        """Return whether enough is known about a possible observer. One that changes the object is run only once."""
        effects = self._of(method)
        return effects.is_known or bool(effects.runs and effects.writes)

    def _find_attributes(self, effects: Effects) -> None:
        """Add the public attributes that a method has written. They show the content of containers as well."""
        for variable in sorted(effects.writes):
            owner, _, name = variable
            attribute = name.removesuffix(CONTENT)
            is_public = attribute.isidentifier() and not attribute.startswith("_") and attribute not in self._names
            is_public = is_public and owner in self._owners and not self._is_excluded(attribute)
            if is_public and self._compares_values:  # reading an attribute raises no exception
                known = self._attributes.setdefault(
                    attribute, Method(attribute, MethodKind.PROPERTY, self._builder.surface.cls)
                )
                self._of(known).reads.add(variable)

    # -- what shows the effects of the threads ------------------------------------------------------

    def _candidates(self, threads: Sequence[Collection[Method]]) -> Iterator[_Candidate]:
        writes = [{one for method in thread for one in self._of(method).writes} for thread in threads]
        accessed = [{one for method in thread for one in self._of(method).reads} | writes[number]
                    for number, thread in enumerate(threads)]  # fmt: skip
        contested: set[Variable] = set()
        by_both: set[Variable] = set()
        for number, written in enumerate(writes):
            for other in range(len(threads)):
                if other != number:
                    contested |= written & accessed[other]
                    by_both |= written & writes[other]
        read = {one for method in {m for thread in threads for m in thread} for one in self._of(method).reads}
        written = set().union(*writes)
        for method in self._observing():
            effects = self._of(method)
            if method in self._dropped or not effects.is_usable or not effects.writes.isdisjoint(read):
                continue
            for rank, variables in zip(_Rank, (by_both, contested, written), strict=True):
                if not effects.shown.isdisjoint(variables):
                    yield _Candidate(method, rank, frozenset(effects.shown & written))
                    break


def _most_different(found: Sequence[tuple[_Candidate, Call]], limit: int) -> list[Call]:
    """Return the best calls: first those that show variables which the calls before do not show."""
    covered: set[Variable] = set()
    chosen: list[Call] = []
    for candidate, call in found:
        if len(chosen) < limit and not candidate.shown <= covered:
            covered |= candidate.shown
            chosen.append(call)
    return [*chosen, *(call for _, call in found if call not in chosen)][:limit]
