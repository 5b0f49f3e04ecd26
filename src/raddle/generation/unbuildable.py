"""The error for classes of which no instance can be created."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from raddle.errors import UsageError
from raddle.generation.sequential import SequentialResult
from raddle.generation.surface import Method, Surface
from raddle.inspection import qualname_of

_REASONS = 3  # reasons that the message shows


class UnbuildableError(UsageError):
    """No constructor call works. The message shows a factory file that the user can complete."""

    def __init__(self, message: str) -> None:
        super().__init__("unbuildable", message)

    def __reduce__(self) -> tuple[type[UnbuildableError], tuple[str]]:
        return type(self), (str(self),)


def unbuildable(surface: Surface, attempts: Sequence[SequentialResult]) -> UnbuildableError:
    """Return the error for a class whose constructor calls all failed.

    >>> from raddle.generation.inspect_class import inspect_class
    >>> import queue
    >>> print(unbuildable(inspect_class(queue.Queue), []))
    raddle cannot create a Queue: it has no constructor that can be called.
    Define a function that creates one in a file, and pass the file with --with factory.py:
    <BLANKLINE>
        from queue import Queue
        def make():
            return Queue()  # add the arguments
    """
    reasons = Counter(map(_reason, attempts))
    lines = [f"{reason} ({count} of {len(attempts)} calls)" for reason, count in reasons.most_common(_REASONS)]
    why = "; ".join(lines) or "it has no constructor that can be called"
    return UnbuildableError(
        f"raddle cannot create a {surface.cls.name}: {why}.\n"
        "Define a function that creates one in a file, and pass the file with --with factory.py:\n\n"
        + _example(surface)
    )


def _reason(attempt: SequentialResult) -> str:
    error = attempt.error
    if error is not None:
        text = str(error).partition("\n")[0][:120]
        return f"the constructor raises {type(error).__name__}" + (f": {text}" if text else "")
    if attempt.stopped:
        return f"the constructor does not end: {attempt.stopped.partition(chr(10))[0]}"
    return f"the constructor returns an object of type {qualname_of(attempt.returned[0])}"


def _example(surface: Surface) -> str:
    name = surface.cls.name.partition(".")[0]
    constructor = surface.constructors[0] if surface.constructors else None
    is_class = constructor is not None and constructor.owner == surface.cls and not constructor.name
    called = constructor if is_class else None
    return (
        f"    from {surface.cls.module} import {name}\n"
        "    def make():\n"
        f"        return {surface.cls.name}({_placeholders(called)})  # {_advice(called)}"
    )


def _placeholders(constructor: Method | None) -> str:
    required = () if constructor is None else (p for p in constructor.parameters if p.required)
    return ", ".join(f"{parameter.name}=..." for parameter in required)


def _advice(constructor: Method | None) -> str:
    return "replace each ..." if _placeholders(constructor) else "add the arguments"
