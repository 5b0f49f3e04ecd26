"""The guesser: collects guesses for a parameter from hints, from the source, from defaults and from names."""

from __future__ import annotations

import enum
import inspect
from typing import Any

from raddle.generation.class_usage import class_usage, usage_of
from raddle.generation.constants import constants_for
from raddle.generation.contradiction import contradicts
from raddle.generation.expressions import Callback, Expression, Imported, New, Stub
from raddle.generation.guesses import NONE, Guess, anything, by_name, callbacks, merged
from raddle.generation.hint_guesses import guess_by_hint
from raddle.generation.package_classes import PackageClasses, imported, is_protocol, members_of
from raddle.generation.paths import PathUse, has_text, path_guesses, path_use
from raddle.generation.signatures import hints_of, package_of, parameters_of_class
from raddle.generation.strategy_values import from_registered_strategy, is_constrained
from raddle.generation.surface import Method, MethodKind, Parameter
from raddle.generation.usage import Usage
from raddle.generation.usage_guesses import for_default, guess_by_usage
from raddle.generation.written import expression_of
from raddle.inspection import name_of

MAX_DEPTH = 3  # instances are not nested more deeply
VARIANTS = 3  # instances of one class with different arguments: two can be stored, and one is missing
MAX_CLASSES = 3  # subclasses that are tried for a base class


_CONSTRUCTOR = Method("", MethodKind.CONSTRUCTOR, Imported("", ""))


class Guesser:
    """Guesses for the parameters of one class. It implements `Guessing`.

    >>> from raddle.generation.inspect_class import inspect_class
    >>> import queue
    >>> put = inspect_class(queue.Queue, methods=["put"]).methods[0]
    >>> guesser = Guesser(queue.Queue)
    >>> [str(guess.expression) for guess in guesser.parameter(put, put.parameters[1])][0]
    'Literal(value=False)'
    """

    def __init__(self, cls: type) -> None:
        self._cls = cls
        self._package = PackageClasses(package_of(cls))
        self._usages: dict[tuple[Method, str], Usage] = {}

    def usage(self, method: Method, parameter: Parameter) -> Usage:
        """Return how the source uses a parameter."""
        key = method, parameter.name
        if key not in self._usages:
            self._usages[key] = class_usage(self._cls).of(*key)
        return self._usages[key]

    def parameter(self, method: Method, parameter: Parameter, learned: Usage | None = None) -> list[Guess]:
        """Return guesses for a parameter, best first; `learned` are uses that errors have revealed."""
        usage = self.usage(method, parameter)
        paths = path_use(method, parameter, usage)
        if paths is PathUse.ALWAYS:
            return path_guesses(parameter)
        name = parameter.name.strip("_") or parameter.name
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:  # the guesses are for one of the arguments
            usage, name = usage.at("item"), name.removesuffix("s")
        hinted = self.by_hint(parameter.hint, name)
        used = self.by_usage(usage, name)
        revealed = self._revealed(usage, learned, name, hint=parameter.hint if hinted else Any) if learned else []
        default = None if parameter.default is inspect.Parameter.empty else expression_of(parameter.default)
        others = [guess.times(0.3 if hinted else 1) for guess in used]
        if parameter.default is not inspect.Parameter.empty:
            others += for_default(parameter.default, default)
        constants = [] if is_constrained(parameter.hint) else constants_for(self._cls, parameter, usage)
        if hinted:
            others = _compatible(others, parameter.hint, default)
        else:
            if parameter.default is None or parameter.default is inspect.Parameter.empty:
                others += (guess.times(0.4 if used else 1) for guess in by_name(name))
            if not revealed and not constants and all(guess.expression == NONE.expression for guess in others):
                others += anything()
            if _is_function(parameter.default):
                others = [guess for guess in others if _is_callable(guess.expression)] or callbacks(name)
                constants = []
        found = [*revealed, *hinted, *others, *constants]
        if paths is PathUse.TEXTS:
            found = [*path_guesses(parameter), *(guess for guess in found if not has_text(guess.expression))]
        return merged(found)

    def _revealed(self, usage: Usage, learned: Usage, name: str, *, hint: Any) -> list[Guess]:
        """Return guesses for a usage of which errors have revealed a part. Errors may contradict the hint."""
        shown = {guess.expression for guess in self.by_usage(learned, name)}
        found = self.by_usage(usage + learned, name)
        return [
            guess.times(4) for guess in found if guess.expression in shown or not contradicts(guess.expression, hint)
        ]

    # -- Guessing ---------------------------------------------------------------------------------------

    def by_hint(self, hint: Any, name: str, depth: int = 0) -> list[Guess]:
        """Return guesses for a type hint; none if the hint says nothing."""
        if depth > MAX_DEPTH:
            return []
        if isinstance(hint, str):  # a name that is imported only for type checkers
            return [guess for cls in self._package.named(hint) for guess in self.instances(cls, depth)]
        return guess_by_hint(hint, name, self, depth)

    def by_usage(self, usage: Usage, name: str, depth: int = 0) -> list[Guess]:
        """Return guesses for a value that is used in this way; none if the usage says nothing."""
        return guess_by_usage(usage, name, self, depth)

    def with_attributes(self, names: frozenset[str]) -> list[type]:
        """Return the classes of the package whose instances have all of these attributes; the class itself first."""
        found = list(self._package.with_attributes(names))
        return sorted(found, key=lambda cls: cls is not self._cls)[:MAX_CLASSES]

    def instances(self, cls: type, depth: int = 0) -> list[Guess]:
        """Return guesses for an instance of a class, or of its concrete subclasses if it is abstract."""
        if depth > MAX_DEPTH:
            return []
        if registered := from_registered_strategy(cls):
            return registered
        if issubclass(cls, enum.Enum):
            return [Guess(one, 4) for member in cls if (one := expression_of(member)) is not None]
        if not inspect.isabstract(cls) and not is_protocol(cls):
            return self._new(cls, depth)
        subclasses = list(self._package.subclasses(cls))
        if is_protocol(cls) and not subclasses:
            subclasses = [one for one in self.with_attributes(members_of(cls)) if one is not cls]
        found = [guess for subclass in subclasses[:MAX_CLASSES] for guess in self._new(subclass, depth)]
        return found or [self._stub(cls, depth)]

    def _new(self, cls: type, depth: int) -> list[Guess]:
        """Return guesses that call a class with its required arguments, or those that the user has registered."""
        if registered := from_registered_strategy(cls):
            return registered
        target = imported(cls)
        if target is None:
            return []
        choices: list[tuple[Parameter, list[Guess]]] = []
        for parameter in parameters_of_class(cls):
            if parameter.required:
                guesses = self._argument(cls, parameter, depth)
                if not guesses:
                    return []
                choices.append((parameter, guesses))
        variants = {_call(target, choices, number): 4.0 / (number + 1) for number in reversed(range(VARIANTS))}
        return merged(Guess(expression, weight) for expression, weight in variants.items())

    def _argument(self, cls: type, parameter: Parameter, depth: int) -> list[Guess]:
        """Return guesses for an argument of a constructor other than that of the class under test."""
        usage = usage_of(cls, parameter.name)
        if path_use(_CONSTRUCTOR, parameter, usage) is PathUse.ALWAYS:
            return path_guesses(parameter)
        hinted = self.by_hint(parameter.hint, parameter.name, depth + 1)
        used = self.by_usage(usage, parameter.name, depth + 1)
        found = [*hinted, *(_compatible(used, parameter.hint) if hinted else used)]
        if cls is self._cls and depth > 1:
            return []  # a chain of instances of one class never ends
        return merged(found) or by_name(parameter.name) or (anything() if depth < MAX_DEPTH else [])

    def _stub(self, cls: type, depth: int) -> Guess:
        """Return a guess for an object with a callback for each method of an abstract class or protocol."""
        attributes: dict[str, Expression] = {}
        for name in sorted(members_of(cls)):
            member = inspect.getattr_static(cls, name, None)
            if inspect.isfunction(member):
                returned = self.by_hint(hints_of(member).get("return"), name, depth + 1)
                attributes[name] = callbacks(f"{name_of(cls).lower()}_{name}", returned)[0].expression
            else:
                attributes[name] = Callback(name)
        return Guess(Stub(tuple(attributes.items())), 3)


def _is_function(default: Any) -> bool:
    """Return whether a default value is a function or class, so that an argument must be callable, too."""
    return default is not inspect.Parameter.empty and (inspect.isroutine(default) or inspect.isclass(default))


def _is_callable(expression: Expression) -> bool:
    return isinstance(expression, Callback) or (isinstance(expression, Imported) and callable(expression.load()))


def _compatible(guesses: list[Guess], hint: Any, default: Expression | None = None) -> list[Guess]:
    """Return the guesses that do not contradict a hint. The default value is allowed even if it does."""
    if is_constrained(hint):  # only Hypothesis knows which values satisfy the constraint
        return [guess for guess in guesses if guess.expression == default]
    return [guess for guess in guesses if guess.expression == default or not contradicts(guess.expression, hint)]


def _call(target: Imported, choices: list[tuple[Parameter, list[Guess]]], number: int) -> New:
    """Return a call of a class with the guess of this number for each parameter."""
    values = [(parameter, guesses[number % len(guesses)].expression) for parameter, guesses in choices]
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    return New(
        target,
        tuple(value for parameter, value in values if parameter.kind is not keyword_only),
        tuple((parameter.name, value) for parameter, value in values if parameter.kind is keyword_only),
    )
