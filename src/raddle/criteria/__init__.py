"""Coverage criteria for executions, each based on a published paper.

This module looks up criteria by name. A criterion's module is imported when the criterion is first used.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from inspect import isabstract

from raddle.criteria.base import Criterion
from raddle.criterion_settings import DEFAULT_SETTINGS, CriterionSettings
from raddle.errors import UsageError
from raddle.operation import Kind
from raddle.requirement import UNKNOWN, Part

_MODULES = {
    "map": "memory_access",
    "all": "orders",
    "tpair": "orders",
    "svar": "orders",
    "def-use": "definitions",
    "lr-def": "definitions",
    "pinv": "interleaved_pairs",
    "lr-inv": "interleaved_pairs",
    "avio": "avio",
    "avio*": "avio",
    "eraser": "eraser",
    "eraser*": "eraser",
    "goldilock": "goldilocks",
    "goldilock*": "goldilocks",
    "goodlock": "lock_order",
    "goodlock*": "lock_order",
    "hbpair": "happens_before_pairs",
    "hbpair*": "happens_before_pairs",
    "concur-pairs": "concurrent_pairs",
    "du-pairs": "du_pairs",
    "du-pairs*": "du_pairs",
    "sync": "contention",
    "blocks": "blocks",
    "method-pairs": "method_pairs",
    "all-nodes": "structural_nodes",
    "all-nodes-s": "structural_nodes",
    "all-nodes-r": "structural_nodes",
    "all-edges": "structural_edges",
    "all-edges-s": "structural_edges",
    "all-edges-s*": "structural_edges",
    "all-c-uses": "structural_uses",
    "all-p-uses": "structural_uses",
    "all-s-uses": "message_uses",
    "all-s-c-uses": "message_uses",
    "all-s-p-uses": "message_uses",
}
NAMES = tuple(_MODULES)
DEFAULT = ("map", "hbpair*", "sync", "method-pairs")  # cheap criteria; `map` includes the cases of `avio`
# The structural criteria, which only message-passing programs have.
MESSAGES = tuple(name for name in NAMES if _MODULES[name].startswith(("structural_", "message_")))
THREADS = tuple(name for name in NAMES if name not in MESSAGES)
GROUPS = {  # "every" is not called "all", because that is the name of a criterion
    "default": DEFAULT,
    "every": THREADS,
    "messages": MESSAGES,
}


def resolve(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return the canonical names of the given criteria, with groups expanded, in order and without duplicates.

    >>> resolve("MAP, avio-star, map")
    ('map', 'avio*')
    >>> len(resolve("every")) > len(resolve(["default"]))
    True
    """
    given = [names] if isinstance(names, str) else names
    requested = [name.strip().lower() for text in given for name in text.split(",") if name.strip()]
    if not requested:
        raise UsageError("unknown-criterion", "no criterion given; `raddle criteria` lists all criteria")
    return tuple(dict.fromkeys(canonical for name in requested for canonical in _resolve_name(name)))


def resolve_for_threads(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return the canonical names of criteria for threads; raise `UsageError` if others are among them."""
    resolved = resolve(names)
    wrong = [name for name in resolved if name in MESSAGES]
    if wrong:
        raise UsageError(
            "bad-criterion",
            f"{', '.join(wrong)}: only message-passing programs have these criteria; use `raddle mpi explore`",
        )
    return resolved


def make_criteria(names: str | Iterable[str], settings: CriterionSettings = DEFAULT_SETTINGS) -> list[Criterion]:
    """Create the criteria with these names; aliases and groups such as "default" are accepted.

    >>> [criterion.name for criterion in make_criteria("map,sync")]
    ['map', 'sync']
    """
    return [criterion_class(name).make(settings) for name in resolve(names)]


@cache
def criterion_class(name: str) -> type[Criterion]:
    """Return the class of a criterion, given its canonical name."""
    module = import_module(f"{__name__}.{_MODULES[name]}")
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Criterion) and not isabstract(value) and value.name == name:
            return value
    raise LookupError(f"{module.__name__} has no criterion {name!r}")


def shape_of(name: str) -> Part:
    """Return the shape of a criterion's keys, or `UNKNOWN` if this version does not have the criterion.

    >>> print(shape_of("sync"))
    (site, situation)
    """
    return criterion_class(name).shape if name in _MODULES else UNKNOWN


def points_for(names: Iterable[str]) -> frozenset[Kind]:
    """Return the operations that need a scheduling point while these criteria are measured.

    >>> sorted(points_for(["map", "hbpair"])), points_for(["map"])
    (['set', 'up'], frozenset())
    """
    return frozenset(kind for name in names for kind in criterion_class(name).points)


def _resolve_name(name: str) -> tuple[str, ...]:
    starred = f"{name.removesuffix('-star')}*" if name.endswith("-star") else name
    if starred in _MODULES:
        return (starred,)
    if starred in GROUPS:
        return GROUPS[starred]
    suggestions = difflib.get_close_matches(starred, [*NAMES, *GROUPS], n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(suggestions)}? " if suggestions else ""
    raise UsageError("unknown-criterion", f"there is no criterion {name!r}; {hint}`raddle criteria` lists all criteria")
