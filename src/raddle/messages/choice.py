"""Options whose values are members of an enumeration."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from raddle.errors import UsageError

Option = TypeVar("Option", bound=StrEnum)


def choice(name: str, kind: type[Option], value: str) -> Option:
    """Return the member with this value; raise `UsageError` if there is none."""
    try:
        return kind(value)
    except ValueError:
        raise UsageError(f"bad-{name}", f"{name} must be one of {', '.join(kind)}, not {value!r}") from None
