"""Values for type hints from Hypothesis strategies, as expressions."""

from __future__ import annotations

import functools
import gc
import inspect
import sys
import tempfile
import typing
from typing import Any

from raddle.generation.expressions import Expression
from raddle.generation.guesses import Guess
from raddle.generation.written import are_alike, expression_of
from raddle.inspection import module_of

_EXAMPLES = 3  # values per type
_WEIGHT = 4.0  # of the simplest value


def from_strategy(hint: Any) -> list[Guess]:
    """Return guesses for the simplest values of the strategy that Hypothesis has for a type.

    >>> import datetime
    >>> from_strategy(datetime.timedelta)[0].expression.function.name
    'timedelta'
    """
    try:
        found = _examples(hint)
    except TypeError:  # the hint is not hashable
        return []
    return [Guess(expression, _WEIGHT - number) for number, expression in enumerate(found)]


def from_registered_strategy(hint: Any) -> list[Guess]:
    """Return guesses for a type with a strategy of the user (`hypothesis.strategies.register_type_strategy`).

    Without such a strategy, there are none: Hypothesis would call the constructor with arbitrary arguments.
    """
    return from_strategy(hint) if any(hint is kind for kind in _registered()) else []


def is_constrained(hint: Any) -> bool:
    """Return whether the metadata of `Annotated` contain a strategy, or a constraint of `annotated_types`.

    >>> from hypothesis import strategies
    >>> is_constrained(typing.Annotated[int, strategies.integers(1, 3)] | None)
    True
    >>> is_constrained(typing.Annotated[int, "the size"])
    False
    """
    if typing.get_origin(hint) is typing.Annotated:
        return any(map(_is_constraint, hint.__metadata__)) or is_constrained(hint.__origin__)
    is_union = typing.get_origin(hint) in (typing.Union, type(int | None))
    return is_union and any(map(is_constrained, typing.get_args(hint)))


def _is_constraint(metadata: Any) -> bool:
    kind = type(metadata)
    return "annotated_types" in map(module_of, kind.__mro__) or any(
        base.__name__ == "SearchStrategy" and module_of(base).startswith("hypothesis.") for base in kind.__mro__
    )


def _registered() -> list[Any]:
    """Return the types with strategies of the user. Those of the standard library have pools of their own."""
    if "hypothesis" not in sys.modules:  # importing it takes long
        return []
    try:  # Hypothesis has no public function for this
        from hypothesis.strategies._internal.types import _global_type_lookup as strategies
    except ImportError:
        return []
    return [kind for kind in strategies if isinstance(kind, typing.NewType) or _is_of_user(kind)]


def _is_of_user(kind: Any) -> bool:
    package = module_of(kind).partition(".")[0] if inspect.isclass(kind) else "typing"
    return package not in sys.stdlib_module_names and package not in ("hypothesis", "typing_extensions")


@functools.lru_cache(maxsize=200)
def _examples(hint: Any) -> tuple[Expression, ...]:
    """Return the simplest values of a type. Hypothesis shrinks them, so they do not depend on random choices."""
    # Importing Hypothesis takes longer than everything else that generation imports.
    from hypothesis import HealthCheck, Phase, find, settings, strategies
    from hypothesis.configuration import set_hypothesis_home_dir

    options = settings(
        database=None,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    values: list[Any] = []
    callbacks_before = list(gc.callbacks)
    with tempfile.TemporaryDirectory() as folder:
        set_hypothesis_home_dir(folder)  # otherwise Hypothesis creates a folder in the user's project
        try:
            for _ in range(_EXAMPLES):
                values.append(
                    find(strategies.from_type(hint), lambda value: not _contains(values, value), settings=options)
                )
        except Exception:  # Hypothesis knows no strategy, or no further value
            pass
        finally:
            set_hypothesis_home_dir(None)
            # Hypothesis measures how long garbage collections take, even when no test runs.
            gc.callbacks[:] = [callback for callback in gc.callbacks if callback in callbacks_before]
    return tuple(found for value in values if (found := expression_of(value)) is not None)


def _contains(values: list[Any], value: Any) -> bool:
    return any(are_alike(value, known) for known in values)
