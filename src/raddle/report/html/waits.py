"""The wait-for graph of a deadlock: blocked threads arranged in a ring, with arrows to the threads they wait for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import cos, pi, sin

from raddle.checks.stuck import find_cycle
from raddle.operation import SLEEP
from raddle.place import Place
from raddle.report.plain import shortened
from raddle.wait import Wait

NODE_WIDTH, NODE_HEIGHT = 96, 40  # size of a node in pixels
STRETCHED = 1.7  # ratio of the ring's width to its height, to make room for wide labels
LONGEST_LABEL = 26  # maximum number of characters of an arrow's label, so that labels do not overlap
BEND = 80  # pixels between the middle of an arrow and the control point of its curve


@dataclass(frozen=True, slots=True)
class WaitView:
    """A blocked thread and what it waits for."""

    thread: str
    what: str  # for example "to acquire Lock"
    waits_for: str  # the thread that must run before this thread can continue; "" if there is none
    place: Place | None
    circular: bool  # True if the thread is part of the deadlock cycle


@dataclass(frozen=True, slots=True)
class Node:
    """A thread in the drawing."""

    name: str
    x: float
    y: float
    circular: bool  # True if the thread is part of the deadlock cycle


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow from a waiting thread to the thread it waits for."""

    path: str  # SVG path
    label: str
    x: float  # position of the label
    y: float
    circular: bool  # True if the arrow is part of the deadlock cycle


@dataclass(frozen=True, slots=True)
class Ring:
    """The drawing of a wait-for graph."""

    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    width: int
    top: int
    height: int


def wait_views(waits: Iterable[Wait]) -> list[WaitView]:
    """Return the waits to draw; sleeping threads are left out because they wait for no other thread.

    >>> from raddle.operation import ACQUIRE, JOIN
    >>> waits = [Wait("T1", ACQUIRE, "Lock", "T2"), Wait("T2", JOIN, waits_for="T1")]
    >>> [(wait.thread, wait.what, wait.circular) for wait in wait_views(waits)]
    [('T1', 'to acquire Lock', True), ('T2', 'to join T1', True)]
    """
    drawn = [wait for wait in waits if wait.kind.waiting and wait.kind != SLEEP]
    cycle = find_cycle({wait.thread: wait.waits_for for wait in drawn})
    return [
        WaitView(wait.thread, wait.sentence.removeprefix("waits "), wait.waits_for, wait.place, wait.thread in cycle)
        for wait in drawn
    ]


def ring(waits: Iterable[WaitView]) -> Ring | None:
    """Arrange the threads in a ring, with the cycle's threads together. Return None if no thread waits for another."""
    some = [wait for wait in waits if wait.waits_for]
    if not some:
        return None
    circular = {wait.thread for wait in some if wait.circular}
    names = dict.fromkeys(
        [*_cycle_in_order(some, circular), *(name for wait in some for name in (wait.thread, wait.waits_for))]
    )
    radius = 0 if len(names) == 1 else max(90, 34 * len(names))
    first_angle = pi if len(names) == 2 else -pi / 2  # two threads are side by side; with more, the first is at the top
    width, height = 2 * radius * STRETCHED + 2 * NODE_WIDTH + 60, 2 * radius + 160
    nodes = {}
    for place, name in enumerate(names):
        angle = 2 * pi * place / len(names) + first_angle
        x, y = width / 2 + STRETCHED * radius * cos(angle), height / 2 + radius * sin(angle)
        nodes[name] = Node(name, round(x, 1), round(y, 1), name in circular)
    arrows = tuple(_arrow(wait, nodes) for wait in some)
    ends = [node.y for node in nodes.values()] + [arrow.y for arrow in arrows]
    top, bottom = min(ends) - NODE_HEIGHT, max(ends) + NODE_HEIGHT
    return Ring(tuple(nodes.values()), arrows, round(width), round(top), round(bottom - top))


def _cycle_in_order(waits: Iterable[WaitView], circular: set[str]) -> list[str]:
    """Return the threads of the cycle, each before the thread it waits for."""
    following = {wait.thread: wait.waits_for for wait in waits if wait.circular}
    order: list[str] = []
    here = min(circular, default="")
    while here and here not in order:
        order.append(here)
        here = following.get(here, "")
    return order


def _arrow(wait: WaitView, nodes: Mapping[str, Node]) -> Arrow:
    start, end = nodes[wait.thread], nodes[wait.waits_for]
    if start is end:
        return Arrow(
            f"M {start.x - 24:.1f} {start.y - 20:.1f} c -30 -50 78 -50 48 -2",
            _label(wait), start.x, start.y - 64, wait.circular,
        )  # fmt: skip
    across, down = end.x - start.x, end.y - start.y
    length = (across**2 + down**2) ** 0.5 or 1
    # Arrows bend to the left of their direction, so that the two arrows of a mutual wait do not overlap.
    over, under = (start.x + end.x) / 2 + BEND * down / length, (start.y + end.y) / 2 - BEND * across / length
    first, last = _edge(start, over, under), _edge(end, over, under)
    return Arrow(
        f"M {first[0]:.1f} {first[1]:.1f} Q {over:.1f} {under:.1f} {last[0]:.1f} {last[1]:.1f}",
        _label(wait), (start.x + end.x) / 4 + over / 2, (start.y + end.y) / 4 + under / 2, wait.circular,
    )  # fmt: skip


def _label(wait: WaitView) -> str:
    """Return the label of an arrow; the list below the drawing has the whole text."""
    return shortened(wait.what, LONGEST_LABEL)


def _edge(node: Node, x: float, y: float) -> tuple[float, float]:
    """Return the point where a line from the center of a node to (x, y) leaves the node."""
    across, down = x - node.x, y - node.y
    scale = min(
        (NODE_WIDTH / 2 + 6) / abs(across) if across else float("inf"),
        (NODE_HEIGHT / 2 + 6) / abs(down) if down else float("inf"),
    )
    return node.x + across * scale, node.y + down * scale
