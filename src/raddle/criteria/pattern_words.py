"""Explains the requirements of MAP-coverage in English."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from raddle.criteria.pattern_keys import parse_key
from raddle.criteria.patterns import PATTERNS
from raddle.entities import AbstractVariable
from raddle.operation import verb_of
from raddle.site import Site, where
from raddle.tally import Key


class _Step(NamedTuple):
    thread: str
    kind: str
    does: str
    variable: str
    where: str


def clause(key: Key, sites: Mapping[int, Site]) -> str:
    """Return the requirement as a clause (see `Criterion.explain`).

    >>> lines = {70000 + line: Site("m.py", line, 0, "", "th", "", switchable=True) for line in (4, 5, 9)}
    >>> clause((4, "m.py:Log", "th", "", 70004, 70009, 70005), lines)
    'thread A reads `Log.th` at m.py:4, then thread B writes it at m.py:9, then A reads it again at m.py:5 (pattern 4)'
    """
    parsed = parse_key(key)
    pattern = PATTERNS[parsed.number]
    steps = [
        _Step(
            part.thread,
            part.kind,
            verb_of(part.kind),
            f"`{AbstractVariable(variable[0], '', variable[1])}`",
            where(site, sites),
        )
        for part, variable, site in zip(pattern.parts, parsed.step_variables, parsed.sites, strict=True)
    ]
    clause_text = _crossing(*steps) if pattern.pair and len(pattern.orders) > 1 else _chain(*steps)
    same = sorted({equivalent.number for equivalent in pattern.equivalents})
    return f"{clause_text} (pattern {', '.join(map(str, same[:-1]))}{' or ' if same[1:] else ''}{same[-1]})"


def _chain(one: _Step, two: _Step, *rest: _Step) -> str:
    """Return the clause for a pattern whose steps come one after the other."""
    clause_text = (
        f"thread {one.thread} {one.does} {one.variable} {one.where}, then thread {two.thread} {two.does} it {two.where}"
    )
    if not rest:
        return clause_text
    last = rest[-1]
    if len(rest) == 1:
        again = " again" if last.kind == one.kind else ""
        return f"{clause_text}, then {last.thread} {last.does} it{again} {last.where}"
    then = f"and {rest[0].variable} {rest[0].where}"
    return f"{clause_text} {then}, then {last.thread} {last.does} {last.variable} {last.where}"


def _crossing(one: _Step, two: _Step, three: _Step, four: _Step) -> str:
    """Return the clause for a pattern whose first two steps, in either order, come before the last two."""
    first = f"thread {one.thread} {one.does} {one.variable} {one.where}"
    second = f"thread {two.thread} {two.does} {two.variable} {two.where}"
    last = " and ".join(f"{step.thread} {step.does} {step.variable} {step.where}" for step in (three, four))
    return f"{first} and {second}, both before {last}"
