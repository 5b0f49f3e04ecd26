"""Chooses the constructor calls with which most methods of a class work.

A call that merely returns is not enough: a constructor that accepts any argument can create an object on which no
method works.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from raddle.generation.expressions import Imported
from raddle.generation.pools import ArgumentPools
from raddle.generation.sequential import SequentialResult, SequentialRunner
from raddle.generation.surface import Method, Surface
from raddle.generation.testcase import SHARED, Call
from raddle.generation.unbuildable import unbuildable

ROUNDS = 3  # rounds in which constructor calls are tried; after each round, the pools have learned from errors
MAX_STOPPED = 12  # calls of one constructor or method that may block or take too long before it is given up
SAMPLED_METHODS = 20  # methods that are tried on each object
MAX_SCORED = 16  # constructor calls whose objects are tried with methods
LESSONS = 6  # times that methods may teach which arguments the constructor needs
MAX_EXTENDED = 6  # calls with one more option than the best call
MAX_CONSTRUCTORS = 8  # constructor calls that are kept
GOOD_ENOUGH = 0.85  # a call is kept if this share of the methods works that work with the best one


@dataclass(frozen=True, slots=True)
class Choice:
    """The constructor calls to use, and what trying them has shown."""

    calls: tuple[Call, ...]  # the simplest one first
    working: frozenset[Method]  # the methods that returned in at least one trial
    contexts: frozenset[Method] = frozenset()  # the methods that returned context managers


def choose_constructors(runner: SequentialRunner, pools: ArgumentPools, rng: Random) -> Choice:
    """Try the constructor calls that the pools propose; return the best, and store them in `pools.constructors`.

    If the pools were drawn again and no call works, the calls that were chosen before are kept.

    Raises:
        UnbuildableError: If no call works. The message says what to write in a factory file.
    """
    works, attempts = _working_calls(runner, pools)
    pools.is_outdated = False
    if not works and pools.constructors:
        return Choice(pools.constructors, frozenset())
    if not works:
        raise unbuildable(pools.surface, attempts)
    methods = list(pools.surface.methods)
    sample = rng.sample(methods, SAMPLED_METHODS) if len(methods) > SAMPLED_METHODS else methods
    trials = _Trials(runner, pools, rng, sample)
    scores = {call: trials.score(call, works[call]) for call in _varied(list(works), MAX_SCORED)}
    for _ in range(LESSONS):
        if not trials.learned:  # no method has shown what arguments it needs
            break
        trials.learned = False
        again, _ = _working_calls(runner, pools)
        new = [call for call in again if call not in works]
        works |= again
        scores |= {call: trials.score(call, works[call]) for call in _varied(new, MAX_SCORED)}
    for call in _extended(runner, pools, max(scores, key=scores.__getitem__), scores):
        scores[call] = trials.score(call, works.setdefault(call, runner.run((call,)).returned[0]))
    most = max(scores.values())
    good = [call for call in scores if scores[call] >= GOOD_ENOUGH * most]
    kept = sorted(good, key=lambda call: (scores[call] < most, call.size, -scores[call]))
    pools.constructors = _varied(kept, MAX_CONSTRUCTORS)
    return Choice(pools.constructors, frozenset(trials.working), frozenset(trials.contexts))


def _working_calls(runner: SequentialRunner, pools: ArgumentPools) -> tuple[dict[Call, type], list[SequentialResult]]:
    """Return the constructor calls that work, each with the class of the object, and all attempts."""
    works: dict[Call, type] = {}
    attempts: dict[Call, SequentialResult] = {}
    stopped: Counter[Imported] = Counter()
    for _ in range(ROUNDS):
        for call in pools.constructor_calls():
            if call in attempts or stopped[call.method.owner] >= MAX_STOPPED:
                continue
            attempts[call] = result = runner.run((call,))
            stopped[call.method.owner] += bool(result.stopped)
            if not result.stopped:
                pools.learn(call, result.error)
            if result.works and _is_usable(pools.surface, call, result.returned[0]):
                works[call] = result.returned[0]
        if works:
            break
    return works, list(attempts.values())


def _extended(runner: SequentialRunner, pools: ArgumentPools, best: Call, known: Mapping[Call, int]) -> Iterator[Call]:
    """Yield calls that work and pass one more option than the best call, whose arguments most methods need."""
    if best.method not in pools.surface.constructors:
        return
    longer = (call for call in pools.extended_calls(best) if call not in known)
    for call in itertools.islice(longer, MAX_EXTENDED):
        result = runner.run((call,))
        if result.works and _is_usable(pools.surface, call, result.returned[0]):
            yield call


def _is_usable(surface: Surface, call: Call, kind: type) -> bool:
    """Return whether an object is an instance; a function that the user wrote may return anything but None."""
    if call.method in surface.constructors:
        return issubclass(kind, surface.cls.load())
    return kind is not type(None)


class _UselessObjectError(Exception):
    """Raised if a method computes forever on an object, although it ended on another one."""


class _Trials:
    """Tries methods on new objects."""

    def __init__(self, runner: SequentialRunner, pools: ArgumentPools, rng: Random, methods: Sequence[Method]) -> None:
        self._runner = runner
        self._pools = pools
        self._rng = rng
        self._methods = methods
        self._stopped: Counter[Method] = Counter()
        self._ended: set[Method] = set()  # the methods that returned, or raised an exception, in at least one trial
        self.learned = False  # whether a method has shown how it uses the arguments of the constructor
        self.working: set[Method] = set()
        self.contexts: set[Method] = set()

    def score(self, constructor: Call, kind: type) -> int:
        """Return the number of methods that work on an object that a call has constructed.

        The score is 0 if a method computes forever on this object but ended on another one. Otherwise the method would
        be given up because of a useless object, such as a cache of negative size that evicts items forever.
        """
        score = 0
        for method in self._methods:
            try:
                result = self._result(constructor, method, kind) if self._stopped[method] < MAX_STOPPED else None
            except _UselessObjectError:
                self._pools.distrust(constructor)
                return 0
            if result is not None:
                score += 1
                self.working.add(method)
                if _is_context_manager(result) and result is not kind:
                    self.contexts.add(method)
        return score

    def _result(self, constructor: Call, method: Method, kind: type) -> type | None:
        """Return the class of the result of a method; None if it does not work.

        Raises:
            _UselessObjectError: If the method computes forever, but ended on another object.
        """
        for _ in range(2):
            call = self._pools.draw_call(self._rng, method, {SHARED: kind})
            result = self._runner.run((constructor, call))
            if result.stopped:
                if method in self._ended and not result.blocks:
                    raise _UselessObjectError
                self._stopped[method] += 1  # the method may wait for a call of another thread
                return None
            self._ended.add(method)
            self._pools.learn(call, result.error)
            if result.works and self._pools.note_result(call, result.returned[-1]):
                return result.returned[-1]
            if result.error is not None:
                self.learned |= self._pools.learn_about_object(constructor, result.error)
        return None


def _is_context_manager(kind: type) -> bool:
    return hasattr(kind, "__enter__") and hasattr(kind, "__exit__")


def _varied(calls: list[Call], count: int) -> tuple[Call, ...]:
    """Return at most `count` calls, which differ in the constructor and in the parameters that they pass."""
    groups: dict[tuple[Method, int, tuple[str, ...]], list[Call]] = {}
    for call in calls:
        key = call.method, len(call.arguments), tuple(name for name, _ in call.keywords)
        groups.setdefault(key, []).append(call)
    first = [group[0] for group in groups.values()]
    more = [call for group in groups.values() for call in group[1:]]
    return tuple((first + more)[:count])
