"""Pools of arguments: a few expressions for each parameter, from which the calls of tests are drawn.

Example:
    surface = inspect_class(cls)
    pools = ArgumentPools(surface, seed=1, learned=learned, factory=factory)
    for call in pools.constructor_calls():            # to choose constructors that work
        pools.learn(call, error)                      # the exception that the call raised, or None
    pools.constructors = chosen                       # `choose_constructors` does all of this

    scope = {"shared": cls, "other": cls, "entry": Entry}     # the variables of the test and their classes
    call = pools.draw_call(rng, method, scope)
    pools.restart(2)                                  # other pools; what has been learned is kept

A pool depends only on the seed, the number of the restart and what has been learned. Pools have expressions in common
if their guesses do, so that `get(key)` and `delete(name)` use the same keys.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from inspect import Parameter as Signature
from random import Random

from raddle.generation.acceptance import Acceptance, acceptance, names_class
from raddle.generation.expressions import Expression, Variable
from raddle.generation.factory import Factory
from raddle.generation.guesser import Guesser
from raddle.generation.guesses import NONE, Guess, merged
from raddle.generation.iterators import is_consumable
from raddle.generation.learned_values import LearnedValues
from raddle.generation.paths import PathUse, is_safe, path_use
from raddle.generation.refinement import revealed
from raddle.generation.surface import Method, MethodKind, Parameter, Surface
from raddle.generation.testcase import SHARED, Call
from raddle.generation.usage import Fact, Usage

Scope = Mapping[str, type]  # the variables that an argument can use, and the classes of their values

SIZES = (2, 3, 3, 4)  # the size of a pool is drawn from these
MAX_CONSTRUCTOR_CALLS = 60  # constructor calls that are proposed
OPTIONAL = 0.3  # probability that a call passes an optional argument
VARIABLE = {Acceptance.YES: 0.5, Acceptance.MAYBE: 0.12, Acceptance.NO: 0.0}  # probability of using a variable
PASSED = {Acceptance.YES: 0.9, Acceptance.MAYBE: 0.5, Acceptance.NO: 0.0}  # the same for a variable asked for
LEARNED_WEIGHT = 12.0  # weight of a value that the tests of the project use
MIN_FACTOR = 0.02  # values that have failed are drawn at least this many times as often as new ones
MAX_FACTOR = 1.5  # values that have worked are drawn at most this many times as often as new ones
NONE_SHARE = 0.2  # probability of passing None if the pool contains it
MIN_FACTOR_OF_NONE = 0.2  # a pool always contains None if that is a guess, unless it has failed repeatedly
_POSITIONAL = (Signature.POSITIONAL_ONLY, Signature.POSITIONAL_OR_KEYWORD)
_Key = tuple[str, MethodKind, str]  # a parameter: the name of its method or of the class, and its own name


class ArgumentPools:
    """Draws calls with arguments that make threads collide.

    >>> from collections import OrderedDict
    >>> from raddle.generation.expressions import Literal
    >>> from raddle.generation.inspect_class import inspect_class
    >>> surface = inspect_class(OrderedDict, methods=["__getitem__"])
    >>> pools = ArgumentPools(surface, seed=1, factory=Factory(values={"key": (Literal("a"),)}))
    >>> pools.draw_call(Random(1), surface.methods[0], {"shared": OrderedDict}).arguments
    (Literal(value='a'),)
    """

    def __init__(
        self, surface: Surface, *, seed: int = 1, learned: LearnedValues | None = None, factory: Factory | None = None
    ) -> None:
        self.surface = surface
        self.constructors: tuple[Call, ...] = ()  # calls that were found to work; see `choose_constructors`
        self.is_outdated = True  # whether `constructors` have to be chosen, with the arguments drawn last
        self._seed = seed
        self._restarts = self._renewals = 0
        self._learned = LearnedValues() if learned is None else learned
        self._factory = Factory() if factory is None else factory
        self._guesser = Guesser(surface.cls.load())
        self._pools: dict[_Key, tuple[Expression, ...]] = {}
        self._weights: dict[_Key, dict[Expression, float]] = {}  # factors learned from the ends of calls
        self._facts: dict[_Key, dict[Fact, None]] = {}  # uses that errors have revealed
        self._iterated: set[Method] = set()  # methods whose results are iterators

    @cached_property
    def accepts_instances(self) -> bool:
        """Whether a method or constructor accepts an instance of the class as an argument."""
        cls = self.surface.cls.load()
        return any(
            acceptance(parameter, self._guesser.usage(method, parameter), cls) is Acceptance.YES
            for method in self.surface.methods
            for parameter in method.parameters
        )

    def restart(self, number: int) -> None:
        """Draw all pools again; the number of the restart determines them."""
        self._restarts = number
        self._pools.clear()
        self.is_outdated = True

    def renew(self) -> None:
        """Draw all pools again, without a restart."""
        self._renewals += 1
        self._pools.clear()

    # -- pools ------------------------------------------------------------------------------------------

    def pool(self, method: Method, parameter: Parameter) -> tuple[Expression, ...]:
        """Return the 2 to 4 expressions that calls of a method use for a parameter; fewer if no more are known."""
        key = _key(method, parameter)
        if key not in self._pools:
            self._pools[key] = self._draw_pool(key, self._guesses(method, parameter))
        return self._pools[key]

    def _guesses(self, method: Method, parameter: Parameter) -> list[Guess]:
        if given := self._factory.values.get(parameter.name):
            return [Guess(expression) for expression in given]
        key = _key(method, parameter)
        guesses = self._guesser.parameter(method, parameter, Usage(tuple(self._facts.get(key, ()))))
        if path_use(method, parameter, self._guesser.usage(method, parameter)) is PathUse.NEVER:
            values = self._learned.of(method.name, parameter.name)
            guesses += [Guess(value, LEARNED_WEIGHT) for value in values if is_safe(value)]
        return merged(guesses)

    def _draw_pool(self, key: _Key, guesses: list[Guess]) -> tuple[Expression, ...]:
        factors = self._weights.get(key, {})
        weights = {guess.expression: guess.weight * factors.get(guess.expression, 1.0) for guess in guesses}
        prefix = f"{self._seed}:{self._restarts}" + (f":{self._renewals}" if self._renewals else "")
        size = Random(f"{prefix}:{sorted(map(repr, weights))}").choice(SIZES)
        # A weighted sample without replacement. The random number of an expression is the same for all parameters, so
        # that the pools of different parameters have expressions in common.
        times = {one: Random(f"{prefix}:{one!r}").expovariate(1.0) / weight for one, weight in weights.items()}
        drawn = set(sorted(times, key=times.__getitem__)[:size])
        if factors.get(NONE.expression, 1.0) >= MIN_FACTOR_OF_NONE:
            drawn.add(NONE.expression)  # replacing a value by None exposes most check-then-act bugs
        return tuple(guess.expression for guess in guesses if guess.expression in drawn)  # the simplest one first

    # -- calls ------------------------------------------------------------------------------------------

    def draw_call(
        self,
        rng: Random,
        method: Method,
        scope: Scope,
        *,
        receiver: str = SHARED,
        reserved: Set[Expression] = frozenset(),
        passed: str = "",
    ) -> Call:
        """Return a call of a method with arguments from the pools.

        Args:
            rng: The source of random choices.
            method: One of the methods of the surface.
            scope: The variables that arguments can use.
            receiver: The variable on which the method is called.
            reserved: Expressions that are used only if there are no others.
            passed: The variable to pass to parameters that accept it; "" if any variable will do.
        """

        def draw(parameter: Parameter) -> Expression:
            return self._draw(rng, method, parameter, scope, reserved, passed)

        arguments: list[Expression] = []
        keywords: list[tuple[str, Expression]] = []
        skipped = False  # whether an optional positional parameter got no argument
        for parameter in method.parameters:
            if not self._is_passed(rng, method, parameter):
                skipped = skipped or parameter.kind in _POSITIONAL
                continue
            if parameter.kind is Signature.VAR_POSITIONAL:
                count = 0 if skipped else rng.choice((0, 1, 1, 2))
                arguments += (draw(parameter) for _ in range(count))
            elif parameter.kind in _POSITIONAL and not skipped:
                arguments.append(draw(parameter))
            elif parameter.kind is not Signature.POSITIONAL_ONLY:
                keywords.append((parameter.name, draw(parameter)))
        return Call(method, tuple(arguments), tuple(keywords), receiver=receiver, consumed=method in self._iterated)

    def required(self, method: Method) -> list[Parameter]:
        """Return the parameters for which every call of a method passes an argument."""
        return [one for one in method.parameters if one.required or self._is_path(method, one)]

    def call_with(self, method: Method, values: Mapping[str, Expression]) -> Call:
        """Return a call that passes these arguments."""
        return replace(_call_with(method, values), consumed=method in self._iterated)

    def _is_passed(self, rng: Random, method: Method, parameter: Parameter) -> bool:
        if parameter.required or self._is_path(method, parameter):
            return True  # the default value of a path could be one of the user's files
        if parameter.kind is Signature.VAR_KEYWORD:
            return False
        return rng.random() < OPTIONAL or parameter.name in self._factory.values

    def _is_path(self, method: Method, parameter: Parameter) -> bool:
        return path_use(method, parameter, self._guesser.usage(method, parameter)) is PathUse.ALWAYS

    def _draw(
        self,
        rng: Random,
        method: Method,
        parameter: Parameter,
        scope: Scope,
        reserved: Set[Expression],
        passed: str,
    ) -> Expression:
        pool = self.pool(method, parameter)
        factors = self._weights.get(_key(method, parameter), {})
        none = NONE.expression
        if none in pool and none not in reserved and rng.random() < NONE_SHARE * factors.get(none, 1.0):
            return none
        variable = self._variable(rng, method, parameter, scope, passed)
        if variable is not None:
            return variable
        choices = [expression for expression in pool if expression not in reserved] or list(pool)
        return _choose(rng, choices, [factors.get(expression, 1.0) for expression in choices])

    def _variable(
        self, rng: Random, method: Method, parameter: Parameter, scope: Scope, passed: str
    ) -> Variable | None:
        """Return a variable that suits the parameter, with a probability that depends on how well it suits."""
        usage = self._guesser.usage(method, parameter)
        paths = path_use(method, parameter, usage)
        if paths is PathUse.ALWAYS:
            return None
        suits = {
            name: acceptance(parameter, usage, kind)
            for name, kind in sorted(scope.items())
            if paths is PathUse.NEVER or not issubclass(kind, str | bytes | os.PathLike)
        }
        best = max(suits.values(), key=lambda answer: answer.value, default=Acceptance.NO)
        is_only_use = method.kind is MethodKind.FUNCTION and best is Acceptance.YES and parameter.required
        is_asked_for = bool(passed) and suits.get(passed) is best
        probability = PASSED[best] if is_asked_for else VARIABLE[best]
        if not is_only_use and (parameter.name in self._factory.values or rng.random() >= probability):
            return None
        if is_asked_for and best is not Acceptance.NO:
            return Variable(passed)
        names = [name for name, answer in suits.items() if answer is best]
        if is_only_use and SHARED in names:
            return Variable(SHARED)  # without the shared object, the call would not touch it
        return Variable(rng.choice(names)) if names else None

    def draw_edge(self, rng: Random, method: Method, cls: type) -> Call:
        """Return a call in which every parameter of the type of the class is the shared object.

        A parameter of another type that also accepts the shared object, such as a protocol, sometimes is.
        """
        call = self.draw_call(rng, method, {})
        accepting = [
            parameter
            for parameter in method.parameters
            if acceptance(parameter, self._guesser.usage(method, parameter), cls) is Acceptance.YES
        ]
        shared = {
            parameter.name
            for parameter in accepting
            if names_class(parameter.hint, cls) or rng.random() < VARIABLE[Acceptance.YES]
        }
        if not shared:
            return call
        passed = {parameter.name: expression for parameter, expression in arguments_of(call)}
        passed |= dict.fromkeys(shared, Variable(SHARED))
        return self.call_with(method, passed)

    def redrawn(self, rng: Random, call: Call) -> Call:
        """Return a call that passes the same parameters, with other arguments from the pools."""
        keywords = dict(call.keywords)
        arguments = []
        for parameter, expression in arguments_of(call):
            choices = self.pool(call.method, parameter) or (expression,)
            value = _choose(rng, choices, [1.0] * len(choices))
            if parameter.name in keywords:
                keywords[parameter.name] = value
            else:
                arguments.append(value)
        return replace(call, arguments=tuple(arguments), keywords=tuple(keywords.items()))

    # -- constructors -----------------------------------------------------------------------------------

    def constructor_calls(self) -> Iterator[Call]:
        """Yield constructor calls to try: with required arguments only, with each option, and with pairs of options.

        With a factory that defines `make`, that is the only constructor.
        """
        if self._factory.make is not None:
            yield Call(self._factory.make, result=SHARED)
            return
        groups = [list(itertools.islice(self._variants(method), 20)) for method in self.surface.constructors]
        # The simplest call of each constructor comes first.
        calls = (call for row in itertools.zip_longest(*groups) for call in row if call is not None)
        yield from itertools.islice(dict.fromkeys(calls), MAX_CONSTRUCTOR_CALLS)

    def extended_calls(self, call: Call) -> Iterator[Call]:
        """Yield the constructor call with one more option each: with flags first, which change most."""
        passed = {parameter.name: expression for parameter, expression in arguments_of(call)}
        options = [p for p in self._options(call.method) if p.name not in passed]
        for option in sorted(options, key=lambda p: type(p.default) is not bool):
            values = self.pool(call.method, option)
            if values:
                yield replace(_call_with(call.method, {**passed, option.name: values[0]}), result=SHARED)

    def _options(self, method: Method) -> list[Parameter]:
        excluded = (Signature.VAR_KEYWORD, Signature.POSITIONAL_ONLY, Signature.VAR_POSITIONAL)
        return [p for p in method.parameters if not p.required and p.kind not in excluded]

    def _variants(self, method: Method) -> Iterator[Call]:
        options = self._options(method)
        values = {p.name: self.pool(method, p) for p in method.parameters if p.kind is not Signature.VAR_KEYWORD}
        paths = {p.name: values[p.name][0] for p in options if self._is_path(method, p)}
        required = [p for p in method.parameters if p.required]
        if any(not values[p.name] for p in required):
            return
        first = {p.name: values[p.name][0] for p in required} | paths
        changes: list[dict[str, Expression]] = [{}]
        changes += ({p.name: value} for p in required for value in values[p.name][1:])
        changes += ({p.name: value} for p in options for value in values[p.name])
        changes += ({p.name: a, q.name: b} for p, q in itertools.combinations(required, 2)
                    for a in values[p.name][1:3] for b in values[q.name][1:3])  # fmt: skip
        changes += ({p.name: values[p.name][0], q.name: values[q.name][0]}
                    for p, q in itertools.combinations(options, 2) if values[p.name] and values[q.name])  # fmt: skip
        for change in changes:
            yield replace(_call_with(method, first | change), result=SHARED)
        if any(p.kind is Signature.VAR_POSITIONAL for p in method.parameters):
            rng = Random(self._seed)
            yield from (replace(self.draw_call(rng, method, {}), result=SHARED) for _ in range(4))

    # -- feedback ---------------------------------------------------------------------------------------

    def learn(self, call: Call, error: BaseException | None) -> None:
        """Adapt the weights of the arguments of a call that ended in this way when no other call was in progress.

        Only a `TypeError` or an `AttributeError` counts against an argument. Other exceptions are legal results.
        """
        for parameter, expression in arguments_of(call):
            key = _key(call.method, parameter)
            factors = self._weights.setdefault(key, {})
            factor = factors.get(expression, 1.0)
            if error is None:
                factors[expression] = min(MAX_FACTOR, factor * 1.2)
                continue
            facts = revealed(error, expression, self._guesser.usage(call.method, parameter))
            if facts:
                self._facts.setdefault(key, {}).update(dict.fromkeys(facts))
            if facts or isinstance(error, TypeError | AttributeError):
                self._weaken(key, expression)

    def distrust(self, call: Call) -> None:
        """Draw the arguments of a call less often, because its result is of no use."""
        for parameter, expression in arguments_of(call):
            self._weaken(_key(call.method, parameter), expression)

    def _weaken(self, key: _Key, expression: Expression) -> None:
        factors = self._weights.setdefault(key, {})
        factors[expression] = max(MIN_FACTOR, factors.get(expression, 1.0) * 0.3)
        self._pools.pop(key, None)

    def note_result(self, call: Call, kind: type) -> bool:
        """Record the class of a call's result; return whether the call ends with it.

        If the result is an iterator, the calls that are drawn from now on consume it, as a user of the class would.
        """
        if call.consumed or call.method.kind is MethodKind.CONSTRUCTOR:
            return True
        if not is_consumable(kind, self.surface.cls.load()):
            return True
        self._iterated.add(call.method)
        return False

    def learn_about_object(self, constructor: Call, error: BaseException) -> bool:
        """Learn from the exception of a method how it uses the arguments of the constructor.

        Return whether that is new.
        """
        learned = False
        for parameter, expression in arguments_of(constructor):
            key = _key(constructor.method, parameter)
            facts = (
                ()
                if expression == NONE.expression
                else revealed(error, expression, self._guesser.usage(constructor.method, parameter))
            )
            known = self._facts.setdefault(key, {})
            new = dict.fromkeys(fact for fact in facts if fact not in known)
            if new:
                learned = True
                known.update(new)
                factors = self._weights.setdefault(key, {})
                factors[expression] = factors.get(expression, 1.0) * 0.5
                self._pools.pop(key, None)
        return learned


def arguments_of(call: Call) -> Iterator[tuple[Parameter, Expression]]:
    """Yield the arguments of a call, each with its parameter.

    >>> from raddle.generation.expressions import Imported, Literal
    >>> key = Parameter("key", Signature.POSITIONAL_OR_KEYWORD)
    >>> method = Method("get", MethodKind.METHOD, Imported("shop", "Cart"), (key,))
    >>> [(parameter.name, value) for parameter, value in arguments_of(Call(method, (Literal("a"),)))]
    [('key', Literal(value='a'))]
    """
    positional = [p for p in call.method.parameters if p.kind in (*_POSITIONAL, Signature.VAR_POSITIONAL)]
    for number, expression in enumerate(call.arguments):
        if positional:
            yield positional[min(number, len(positional) - 1)], expression
    named = {parameter.name: parameter for parameter in call.method.parameters}
    for name, expression in call.keywords:
        if name in named:
            yield named[name], expression


def _choose(rng: Random, choices: Sequence[Expression], factors: Sequence[float]) -> Expression:
    """Return one of the expressions; the first ones, which are simpler, a little more often."""
    return rng.choices(choices, [factor / (4 + number) for number, factor in enumerate(factors)])[0]


def _call_with(method: Method, values: Mapping[str, Expression]) -> Call:
    """Return the call that passes these arguments, by position as far as possible."""
    arguments: list[Expression] = []
    keywords = []
    is_positional = True
    for parameter in method.parameters:
        is_positional = is_positional and parameter.kind in _POSITIONAL and parameter.name in values
        if parameter.name in values and is_positional:
            arguments.append(values[parameter.name])
        elif parameter.name in values:
            keywords.append((parameter.name, values[parameter.name]))
    return Call(method, tuple(arguments), tuple(keywords))


def _key(method: Method, parameter: Parameter) -> _Key:
    return str(method), method.kind, parameter.name
