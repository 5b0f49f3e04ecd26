"""Wrappers for container methods and iterators that other code uses later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__tracebackhide__ = True  # hide the frames of this module in pytest's tracebacks


class BoundMethod:
    """A probed container method, as in `Thread(target=items.append)`. It is pickled and compared like the original."""

    __slots__ = ("_call", "_method")

    def __init__(self, method: Any, call: Callable[..., Any]) -> None:
        self._method = method
        self._call = call

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._call(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._method, name)

    def __repr__(self) -> str:
        return repr(self._method)

    def __eq__(self, other: object) -> bool:
        return self._method == (other._method if isinstance(other, BoundMethod) else other)  # type: ignore[no-any-return]

    def __hash__(self) -> int:
        return hash(self._method)

    def __reduce__(self) -> Any:
        return self._method.__reduce__()


class SteppedIterator:
    """Wraps an iterator and calls a function instead of the iterator's `__next__`.

    >>> calls = []
    >>> iterator = iter("ab")
    >>> list(SteppedIterator(iterator, lambda: calls.append("next") or next(iterator))), len(calls)
    (['a', 'b'], 3)
    """

    __slots__ = ("_advance", "_iterator")

    def __init__(self, iterator: Any, advance: Callable[[], Any]) -> None:
        self._iterator = iterator
        self._advance = advance

    def __iter__(self) -> SteppedIterator:
        return self

    def __next__(self) -> Any:
        return self._advance()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._iterator, name)  # `yield from` needs a generator's `send` and `throw`
