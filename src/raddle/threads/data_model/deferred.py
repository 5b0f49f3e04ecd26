"""What stands for something that is used later: a method that somebody else will call, an iterator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__tracebackhide__ = True  # frames of this module, in what pytest shows


class BoundMethod:
    """A method of a container, as in `Thread(target=items.append)`: looks like the method itself, also to `pickle`."""

    __slots__ = ("_call", "_found")

    def __init__(self, found: Any, call: Callable[..., Any]) -> None:
        self._found = found
        self._call = call

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._call(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found, name)

    def __repr__(self) -> str:
        return repr(self._found)

    def __eq__(self, other: object) -> bool:
        return self._found == (other._found if isinstance(other, BoundMethod) else other)  # type: ignore[no-any-return]

    def __hash__(self) -> int:
        return hash(self._found)

    def __reduce__(self) -> Any:
        return self._found.__reduce__()


class Stepped:
    """An iterator whose every next is told.

    >>> told = []
    >>> iterator = iter("ab")
    >>> list(Stepped(iterator, lambda: told.append("next") or next(iterator))), len(told)
    (['a', 'b'], 3)
    """

    __slots__ = ("_advance", "_iterator")

    def __init__(self, iterator: Any, advance: Callable[[], Any]) -> None:
        self._iterator = iterator
        self._advance = advance

    def __iter__(self) -> Stepped:
        return self

    def __next__(self) -> Any:
        return self._advance()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._iterator, name)  # `send` and `throw` of a generator, where one delegates to it
