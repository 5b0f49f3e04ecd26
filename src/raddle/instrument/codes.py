"""Matches the code object of a live function with its counterpart in a recompiled module."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from types import CodeType

_Key = tuple[str, int]


class CodeIndex:
    """An index of the code objects of a module, by qualified name and first line."""

    def __init__(self, module: CodeType) -> None:
        self._by_name_and_line: dict[_Key, list[CodeType]] = defaultdict(list)
        self._by_name: dict[str, list[CodeType]] = defaultdict(list)
        for code in nested(module):
            self._by_name_and_line[_key(code)].append(code)
            self._by_name[_key(code)[0]].append(code)

    def __contains__(self, code: CodeType) -> bool:
        return code in self.at_same_line(code)

    def at_same_line(self, code: CodeType) -> list[CodeType]:
        """Return the code objects with the same name and first line as `code`, in source order.

        There can be several, because lambdas can share a line.
        """
        return self._by_name_and_line.get(_key(code), [])

    def with_same_name(self, code: CodeType) -> list[CodeType]:
        """Return the code objects with the same qualified name as `code`, on any line."""
        return self._by_name.get(_key(code)[0], [])


def counterpart(code: CodeType, *, plain: CodeIndex, probed: CodeIndex) -> CodeType | None:
    """Return the probed version of a function's code; None if the code is not from this source."""
    candidates, probed_candidates = plain.at_same_line(code), probed.at_same_line(code)
    if code in probed_candidates:  # probed by an earlier installation and still alive, for example in a blocked thread
        return code
    if len(candidates) != len(probed_candidates):
        return None
    for candidate, probed_candidate in zip(candidates, probed_candidates, strict=True):
        if code == candidate:
            return probed_candidate
    return None


def _key(code: CodeType) -> _Key:
    return code.co_qualname, code.co_firstlineno


def nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from nested(constant)
