"""Finds, for the code object of a live function, its counterpart in a module compiled anew."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from types import CodeType

_Key = tuple[str, int]


class CodeIndex:
    """All code objects of a module, by name and first line."""

    def __init__(self, module: CodeType) -> None:
        self._codes: dict[_Key, list[CodeType]] = defaultdict(list)
        self._named: dict[str, list[CodeType]] = defaultdict(list)
        for code in nested(module):
            self._codes[_key(code)].append(code)
            self._named[_key(code)[0]].append(code)

    def __contains__(self, code: CodeType) -> bool:
        return code in self.like(code)

    def like(self, code: CodeType) -> list[CodeType]:
        """Those of the same name and first line, in the order of the source: several lambdas, say."""
        return self._codes.get(_key(code), [])

    def named(self, code: CodeType) -> list[CodeType]:
        """Those of the same qualified name, on whatever line."""
        return self._named.get(_key(code)[0], [])


def counterpart(code: CodeType, *, plain: CodeIndex, probed: CodeIndex) -> CodeType | None:
    """The probed version of a function's code; None if it does not come from this source."""
    candidates, answers = plain.like(code), probed.like(code)
    if code in answers:  # made while the module was instrumented before, and kept by somebody: a thread that is blocked
        return code
    if len(candidates) != len(answers):
        return None
    for candidate, answer in zip(candidates, answers, strict=True):
        if code == candidate:
            return answer
    return None


def _key(code: CodeType) -> _Key:
    return code.co_qualname, code.co_firstlineno


def nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from nested(constant)
