"""Who waits for whom when nobody can go on, as a drawing: threads and what they wait for, in a ring.

The data file has the waits as lines for people, one for each thread (`raddle.checks.stuck.describe` makes them). They
are read back here; a line of another form is left out of the drawing, and still stands in the text below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import cos, pi, sin

from raddle.checks.stuck import find_cycle

_WAIT = re.compile(
    r"(?P<thread>T[\d.]+) waits? (?P<what>(?:for|to|until) .+?)"
    r"(?:, held by (?P<holder>T[\d.]+)(?: \(acquired at (?P<taken>[^)]*)\))?)?"
    r"(?: at (?P<place>[^;]+?:\d+))?(?:; holds .*)?"
)
_JOINED = re.compile(r"for the end of (T[\d.]+)")

NODE_WIDTH, NODE_HEIGHT = 96, 40
STRETCHED = 1.7  # so much wider than high is the ring: labels are wide
BEND = 80


@dataclass(frozen=True, slots=True)
class Wait:
    """One thread that waits."""

    thread: str
    what: str  # "to acquire Lock"
    waits_for: str  # the thread that would have to go on first, "" if there is none in particular
    place: str
    circular: bool = False  # is it part of the circle?


@dataclass(frozen=True, slots=True)
class Node:
    """A thread in the drawing."""

    name: str
    x: float
    y: float
    circular: bool


@dataclass(frozen=True, slots=True)
class Arrow:
    """From the thread that waits to the one that it waits for."""

    path: str
    label: str
    x: float
    y: float
    circular: bool


@dataclass(frozen=True, slots=True)
class Ring:
    """The drawing."""

    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    width: int
    top: int
    height: int


def waits_in(details: Iterable[str]) -> list[Wait]:
    """The waits that a finding's lines tell of.

    >>> lines = ["T1 waits to acquire Lock, held by T2 (acquired at m.py:24) at m.py:20; holds Lock",
    ...          "T2 waits for the end of T1 at m.py:13"]
    >>> [(wait.thread, wait.waits_for, wait.place, wait.circular) for wait in waits_in(lines)]
    [('T1', 'T2', 'm.py:20', True), ('T2', 'T1', 'm.py:13', True)]
    """
    found = []
    for line in details:
        match = _WAIT.fullmatch(line)
        if match is not None:
            joined = _JOINED.match(match["what"])
            waits_for = match["holder"] or (joined[1] if joined is not None else "")
            found.append(Wait(match["thread"], match["what"], waits_for, match["place"] or ""))
    circle = set(find_cycle({wait.thread: wait.waits_for or None for wait in found}))
    return [Wait(wait.thread, wait.what, wait.waits_for, wait.place, circular=wait.thread in circle) for wait in found]


def ring(waits: Iterable[Wait]) -> Ring | None:
    """The threads in a ring, those of the circle beside each other; None where nobody waits for anybody."""
    some = [wait for wait in waits if wait.waits_for]
    if not some:
        return None
    circular = {wait.thread for wait in some if wait.circular}
    names = dict.fromkeys([*_along(some, circular), *(name for wait in some for name in (wait.thread, wait.waits_for))])
    radius = 0 if len(names) == 1 else max(90, 34 * len(names))
    beginning = pi if len(names) == 2 else -pi / 2  # two stand side by side, more have one on top
    width, height = 2 * radius * STRETCHED + 2 * NODE_WIDTH + 60, 2 * radius + 160
    nodes = {}
    for place, name in enumerate(names):
        angle = 2 * pi * place / len(names) + beginning
        x, y = width / 2 + STRETCHED * radius * cos(angle), height / 2 + radius * sin(angle)
        nodes[name] = Node(name, round(x, 1), round(y, 1), name in circular)
    arrows = tuple(_arrow(wait, nodes) for wait in some)
    ends = [node.y for node in nodes.values()] + [arrow.y for arrow in arrows]
    top, bottom = min(ends) - NODE_HEIGHT, max(ends) + NODE_HEIGHT
    return Ring(tuple(nodes.values()), arrows, round(width), round(top), round(bottom - top))


def _along(waits: Iterable[Wait], circular: set[str]) -> list[str]:
    """The threads of the circle, each before the one it waits for."""
    following = {wait.thread: wait.waits_for for wait in waits if wait.circular}
    order: list[str] = []
    here = min(circular, default="")
    while here and here not in order:
        order.append(here)
        here = following.get(here, "")
    return order


def _arrow(wait: Wait, nodes: Mapping[str, Node]) -> Arrow:
    start, end = nodes[wait.thread], nodes[wait.waits_for]
    if start is end:
        return Arrow(
            f"M {start.x - 24:.1f} {start.y - 20:.1f} c -30 -50 78 -50 48 -2",
            wait.what, start.x, start.y - 64, wait.circular,
        )  # fmt: skip
    across, down = end.x - start.x, end.y - start.y
    length = (across**2 + down**2) ** 0.5 or 1
    # Arrows bend to the left of their way, so that two threads that wait for each other have two of them.
    over, under = (start.x + end.x) / 2 + BEND * down / length, (start.y + end.y) / 2 - BEND * across / length
    first, last = _edge(start, over, under), _edge(end, over, under)
    return Arrow(
        f"M {first[0]:.1f} {first[1]:.1f} Q {over:.1f} {under:.1f} {last[0]:.1f} {last[1]:.1f}",
        wait.what, (start.x + end.x) / 4 + over / 2, (start.y + end.y) / 4 + under / 2, wait.circular,
    )  # fmt: skip


def _edge(node: Node, x: float, y: float) -> tuple[float, float]:
    """Where a line from the middle of a node to a point leaves the node."""
    across, down = x - node.x, y - node.y
    scale = min(
        (NODE_WIDTH / 2 + 6) / abs(across) if across else float("inf"),
        (NODE_HEIGHT / 2 + 6) / abs(down) if down else float("inf"),
    )
    return node.x + across * scale, node.y + down * scale
