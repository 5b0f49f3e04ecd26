"""Requirements: the items of a criterion that executions should cover.

The key of a requirement is a plain tuple, because a tally can hold millions of them. The shape of a criterion describes
what each part of its keys refers to. A `Requirement` combines a key with its shape.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, auto
from typing import Any

from raddle.site import MAX_SITES
from raddle.tally import Key


class Role(IntEnum):  # an IntEnum because its members hash faster than those of an Enum
    """The role of a value in a key: the kind of thing that it refers to."""

    SITE = auto()  # the number of a site
    OWNER = auto()  # a class, a module or a function: "log.py:Log"
    VARIABLE = auto()  # an AbstractVariable
    RESOURCE = auto()  # an AbstractObject
    THREAD = auto()  # an AbstractThread, or the label of a thread
    WORD = auto()  # a plain value: a string, a number or a boolean that refers to nothing


class Part(ABC):
    """One part of a key."""

    name: str  # shown in the text of a shape

    @abstractmethod
    def find(self, value: Any, role: Role) -> Iterator[Any]:
        """Yield the parts of the value that have this role."""

    @abstractmethod
    def can_name(self, role: Role) -> bool:
        """Return whether a value of this part can contain anything with this role."""


@dataclass(frozen=True, slots=True)
class Single(Part):
    """A part with one role. The value 0 stands for code without probes, and "" for no resource."""

    name: str
    role: Role

    def find(self, value: Any, role: Role) -> Iterator[Any]:
        if role is self.role and value:
            yield value

    def can_name(self, role: Role) -> bool:
        return role is self.role


@dataclass(frozen=True, slots=True)
class Several(Part):
    """A sequence of parts of the same kind."""

    name: str
    part: Part

    def find(self, value: Any, role: Role) -> Iterator[Any]:
        for one in value:
            yield from self.part.find(one, role)

    def can_name(self, role: Role) -> bool:
        return self.part.can_name(role)


@dataclass(frozen=True, slots=True)
class Tagged(Part):
    """A pair of a tag and a part; the tag determines the kind of part."""

    name: str
    parts: Mapping[str, Part]

    def find(self, value: Any, role: Role) -> Iterator[Any]:
        tag, one = value
        yield from self.parts[tag].find(one, role)

    def can_name(self, role: Role) -> bool:
        return any(part.can_name(role) for part in self.parts.values())


@dataclass(frozen=True, slots=True)
class Group(Part):
    """A fixed sequence of parts. A key may have a single word in place of the whole sequence."""

    name: str
    parts: tuple[Part, ...]
    optional: int = 0  # number of parts at the end that can be missing
    _carriers: Mapping[Role, Sequence[tuple[int, Part | None]]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the parts by role, because reports search millions of keys.

        In the index, None stands for a `Single`.
        """
        carriers: dict[Role, list[tuple[int, Part | None]]] = {role: [] for role in Role}
        for index, part in enumerate(self.parts):
            if isinstance(part, Single):
                carriers[part.role].append((index, None))
            else:
                for some in carriers.values():
                    some.append((index, part))
        object.__setattr__(self, "_carriers", carriers)  # plain assignment fails, because the class is frozen

    def find(self, value: Any, role: Role) -> Iterator[Any]:
        if isinstance(value, tuple):
            for index, part in self._carriers[role]:
                if index < len(value):
                    one = value[index]
                    if part is not None:
                        yield from part.find(one, role)
                    elif one:
                        yield one
        elif role is Role.WORD:
            yield value

    def can_name(self, role: Role) -> bool:
        return any(part.can_name(role) for part in self.parts)


class Shape(Group):
    """The shape of the keys of a criterion.

    >>> print(Shape(SITE, word("state")), Shape(SITE), Shape(SITE, optional=(SITE, THREAD)))
    (site, state) (site,) (site[, site[, thread]])
    """

    __slots__ = ()

    def __init__(self, *parts: Part, optional: tuple[Part, ...] = ()) -> None:
        super().__init__("requirement", (*parts, *optional), len(optional))

    def __str__(self) -> str:
        names = [part.name for part in self.parts]
        always = len(names) - self.optional
        rest = "".join(f"[, {name}" for name in names[always:]) + "]" * self.optional
        return f"({', '.join(names[:always])}{',' if len(names) == 1 else ''}{rest})"


class _Guess(Part):
    """The shape of an unknown criterion in a data file from another version. Large numbers are assumed to be sites."""

    name = "unknown"

    def find(self, value: Any, role: Role) -> Iterator[Any]:
        if isinstance(value, tuple):
            for one in value:
                yield from self.find(one, role)
        elif role is (Role.SITE if isinstance(value, int) and value >= MAX_SITES else Role.WORD):
            yield value

    def can_name(self, role: Role) -> bool:
        return role in (Role.SITE, Role.WORD)


def word(name: str) -> Part:
    """Return a part that is a plain value."""
    return Single(name, Role.WORD)


SITE = Single("site", Role.SITE)
VARIABLE = Single("variable", Role.VARIABLE)
RESOURCE = Single("resource", Role.RESOURCE)
LOCK = Single("lock", Role.RESOURCE)
THREAD = Single("thread", Role.THREAD)
UNKNOWN = _Guess()


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement that can be inspected without knowing its criterion.

    >>> requirement = Requirement(Shape(SITE, SITE, RESOURCE, THREAD), (70004, 70009, "", ("worker", "1f")))
    >>> requirement.sites, requirement.of(Role.RESOURCE), list(requirement.texts)
    ([70004, 70009], [], ['', 'worker', '1f'])
    >>> Requirement(UNKNOWN, (4, "log.py:Log", "th", "", 70004, (70009, "x"))).sites
    [70004, 70009]
    """

    shape: Part
    key: Key

    def of(self, role: Role) -> list[Any]:
        """Return the parts of the key that have this role, in order."""
        return list(self.shape.find(self.key, role))

    @property
    def sites(self) -> list[int]:
        """The numbers of the sites in the key, in order."""
        return self.of(Role.SITE)

    @property
    def texts(self) -> Iterator[str]:
        """All strings in the key."""
        return _texts(self.key)

    def moved(self, site: Callable[[int], int | None], text: Callable[[str], str]) -> Key | None:
        """Return the key with sites and strings translated; None if a site has no counterpart.

        `site` and `text` translate one site number and one string.
        """
        counterparts = {number: site(number) for number in self.sites}
        if None in counterparts.values():
            return None

        def move(value: Any) -> Any:
            if isinstance(value, tuple):
                return tuple([move(one) for one in value])
            return text(value) if isinstance(value, str) else counterparts.get(value, value)

        key: Key = move(self.key)
        return key


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, tuple):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, str):
        yield value
