"""Prefixes: calls that construct an object and bring it into some state, and that are known to work.

Example:
    with Workbench(domain) as workbench, Sandbox() as sandbox, SequentialRunner(workbench, sandbox) as runner:
        pools = ArgumentPools(inspect_class(cls), seed=1)
        rng = Random(1)
        prefix = draw_prefix(runner, pools, rng, max_calls=5)  # chooses the constructors if that was not done
        scope = runner.run(prefix).types                       # the variables of the prefix and their classes
        call = draw_working_call(runner, pools, rng, prefix, method, scope)

The first call of a prefix constructs the object under test, which has the name `SHARED`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from raddle.generation.constructors import choose_constructors
from raddle.generation.expressions import Expression
from raddle.generation.pools import ArgumentPools, Scope
from raddle.generation.sequential import SequentialResult, SequentialRunner
from raddle.generation.signatures import package_of
from raddle.generation.surface import Method, MethodKind
from raddle.generation.testcase import SHARED, Call
from raddle.inspection import name_of

MAX_CALLS = 5
TRIES = 3  # calls that are drawn for each place in the prefix until one works
# Probability that the prefix constructs a second instance, if methods accept one and if they do not
SECOND_INSTANCE = {True: 0.5, False: 0.1}
OTHER_ARGUMENTS = 0.5  # probability that the chosen constructor call gets other arguments
PREFERRED_SHARE = 0.7  # share of the calls that are drawn from the preferred methods, if there are any
RESERVED = 0.5  # probability that the prefix does not use some of the keys, so that they are absent later
OTHER = "other"  # the variable that holds the second instance


def draw_prefix(
    runner: SequentialRunner,
    pools: ArgumentPools,
    rng: Random,
    *,
    max_calls: int = MAX_CALLS,
    preferred: Sequence[Method] = (),
    passed: str = "",
) -> tuple[Call, ...]:
    """Return calls that worked when they were run in order: a constructor, then up to `max_calls` calls.

    If the constructor call does not work this time, it is the only call.

    Args:
        runner: Runs the calls.
        pools: The arguments.
        rng: The source of random choices.
        max_calls: The maximum number of calls after the constructors.
        preferred: Methods from which most of these calls are drawn.
        passed: The variable that calls pass to parameters that accept it; "" if any variable will do.

    Raises:
        UnbuildableError: If no constructor works.
    """
    if pools.is_outdated:
        choose_constructors(runner, pools, rng)
    prefix, known = _constructed(runner, pools, rng)
    if not known.works:  # it has worked before
        return prefix
    if rng.random() < SECOND_INSTANCE[pools.accepts_instances]:
        prefix, known = _extended(runner, prefix, known, replace(rng.choice(pools.constructors), result=OTHER))
    reserved = _draw_reserved(pools, rng)
    methods = [method for method in pools.surface.methods if method.kind is not MethodKind.CONTEXT]
    for _ in range(rng.randint(0, max_calls) if methods else 0):
        for _ in range(TRIES):
            method = rng.choice(preferred if preferred and rng.random() < PREFERRED_SHARE else methods)
            before = len(prefix)
            call = pools.draw_call(rng, method, known.types, reserved=reserved, passed=passed)
            prefix, known = _extended(runner, prefix, known, call, pools)
            if len(prefix) > before:
                break
    return _with_variables(prefix, known, pools)


def draw_working_call(
    runner: SequentialRunner,
    pools: ArgumentPools,
    rng: Random,
    prefix: Sequence[Call],
    method: Method,
    scope: Scope,
    *,
    receiver: str = SHARED,
    passed: str = "",
    tries: int = TRIES,
) -> Call | None:
    """Return a call of the method that returns after the prefix; None if none was found."""
    for _ in range(tries):
        call = pools.draw_call(rng, method, scope, receiver=receiver, passed=passed)
        result = runner.run((*prefix, call))
        if _learn(pools, call, result, len(prefix)):
            return call
    return None


def _constructed(
    runner: SequentialRunner, pools: ArgumentPools, rng: Random
) -> tuple[tuple[Call, ...], SequentialResult]:
    """Return a prefix that consists of a constructor call, and its result."""
    constructor = _draw_constructor(rng, pools.constructors)
    known = runner.run((constructor,))
    if rng.random() < OTHER_ARGUMENTS:
        other = runner.run((pools.redrawn(rng, constructor),))
        known = other if other.works and other.returned == known.returned else known
    return known.calls, known


def _draw_constructor(rng: Random, calls: Sequence[Call]) -> Call:
    """Return one of the constructor calls; the first ones, which are simpler, more often."""
    return rng.choices(calls, [1 / (number + 1) for number in range(len(calls))])[0]


def _extended(
    runner: SequentialRunner,
    prefix: tuple[Call, ...],
    known: SequentialResult,
    call: Call,
    pools: ArgumentPools | None = None,
) -> tuple[tuple[Call, ...], SequentialResult]:
    """Return the prefix with the call and its result, or unchanged if the call does not work."""
    longer = (*prefix, call)
    result = runner.run(longer)
    works = result.works if pools is None else _learn(pools, call, result, len(prefix))
    return (longer, result) if works else (prefix, known)


def _learn(pools: ArgumentPools, call: Call, result: SequentialResult, position: int) -> bool:
    """Let the pools learn how a call at this position ended; return whether it works."""
    if len(result.returned) >= position and not result.stopped:
        pools.learn(call, result.error)
    return result.works and pools.note_result(call, result.returned[-1])


def _draw_reserved(pools: ArgumentPools, rng: Random) -> frozenset[Expression]:
    """Return expressions that the prefix does not use: about half of each pool, or none."""
    if rng.random() >= RESERVED:
        return frozenset()
    used = {
        expression: None
        for method in pools.surface.methods
        for parameter in method.parameters
        for expression in pools.pool(method, parameter)
    }
    return frozenset(expression for expression in used if rng.random() < 0.5)


def _with_variables(prefix: tuple[Call, ...], known: SequentialResult, pools: ArgumentPools) -> tuple[Call, ...]:
    """Give variables to the results that later calls may use: instances of classes of the package."""
    cls = pools.surface.cls.load()
    taken = {call.result for call in prefix}
    named = []
    if not known.works:  # the constructor works only sometimes
        return prefix
    for call, kind in zip(prefix, known.returned, strict=True):
        is_handle = package_of(kind) == package_of(cls) and not issubclass(kind, BaseException | type)
        if call.result or not is_handle:
            named.append(call)
            continue
        name = _fresh(kind, taken)
        taken.add(name)
        named.append(replace(call, result=name))
    return tuple(named)


def _fresh(kind: type, taken: set[str]) -> str:
    """Return a variable name derived from a class: "entry" for `Entry`, then "entry_2"."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name_of(kind).strip("_")).lower()
    base = words if words.isidentifier() else "result"
    number, name = 1, base
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    return name
