"""An arc diagram: things one below the other, and arcs from one to another; what closes circles is marked.

Arcs that lead down stand on the right, arcs that lead up on the left, so that a circle is seen as one: it has
arcs on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

ROW = 34  # pixels
MARGIN = 26
MAX_NODES = 80
MAX_ARCS = 400
WIDEST = 170  # of an arc
LETTER = 7.4  # pixels that a letter of a label takes


@dataclass(frozen=True, slots=True)
class Link:
    """From one thing to another."""

    source: str
    target: str
    sentence: str
    circular: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """A thing."""

    label: str
    y: int
    href: str = ""
    circular: bool = False


@dataclass(frozen=True, slots=True)
class Arc:
    """A link, drawn."""

    path: str
    sentence: str
    circular: bool
    x: float  # where its sign stands
    y: float


@dataclass(frozen=True, slots=True)
class Diagram:
    """Everything that is drawn, and what is not."""

    nodes: tuple[Node, ...]
    arcs: tuple[Arc, ...]
    width: int
    height: int
    left: int  # where labels begin
    more_nodes: int = 0
    more_arcs: int = 0


def circles(links: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those links that are part of a circle: both ends can be reached from each other.

    >>> sorted(circles([("a", "b"), ("b", "a"), ("b", "c"), ("d", "d")]))
    [('a', 'b'), ('b', 'a'), ('d', 'd')]
    """
    links = set(links)
    targets: dict[str, set[str]] = {}
    sources: dict[str, set[str]] = {}
    for source, target in links:
        targets.setdefault(source, set()).add(target)
        sources.setdefault(target, set()).add(source)
    component: dict[str, int] = {}
    for number, node in enumerate(reversed(_finished(targets))):  # Kosaraju: backwards, in the order of finishing
        if node not in component:
            open_ = [node]
            while open_:
                here = open_.pop()
                if here not in component:
                    component[here] = number
                    open_ += sources.get(here, ())
    return {(source, target) for source, target in links if component[source] == component[target]}


def _finished(targets: Mapping[str, set[str]]) -> list[str]:
    seen: set[str] = set()
    order: list[str] = []
    for start in sorted(targets):
        path = [(start, iter(sorted(targets[start])))] if start not in seen else []
        seen.add(start)
        while path:
            node, ways = path[-1]
            following = next((one for one in ways if one not in seen), None)
            if following is None:
                order.append(node)
                path.pop()
            else:
                seen.add(following)
                path.append((following, iter(sorted(targets.get(following, ())))))
    return order


def draw(labels: Sequence[str], links: Sequence[Link], hrefs: Mapping[str, str]) -> Diagram:
    """The things in this order; the first of them, where they are too many, and those in circles."""
    knotted = {end for link in links if link.circular for end in (link.source, link.target)}
    shown = set([label for label in labels if label in knotted][:MAX_NODES])
    shown.update([label for label in labels if label not in knotted][: MAX_NODES - len(shown)])
    kept = [label for label in labels if label in shown]
    inside = sorted(
        (one for one in links if one.source in shown and one.target in shown), key=lambda one: not one.circular
    )
    drawn = inside[:MAX_ARCS]
    places = {label: MARGIN + ROW * place for place, label in enumerate(kept)}
    widths = {link: _width(places, link) for link in drawn}
    left = 20 + max((widths[one] for one in drawn if places[one.source] > places[one.target]), default=0)
    right = 20 + max((widths[one] for one in drawn if places[one.source] <= places[one.target]), default=0)
    text = round(LETTER * max(map(len, kept), default=0)) + 24
    return Diagram(
        nodes=tuple(Node(label, places[label], hrefs.get(label, ""), label in knotted) for label in kept),
        arcs=tuple(_arc(link, places, widths[link], left, left + text) for link in drawn),
        width=left + text + right,
        height=2 * MARGIN + ROW * max(0, len(kept) - 1),
        left=left,
        more_nodes=len(labels) - len(kept),
        more_arcs=len(links) - len(drawn),
    )


def _width(places: Mapping[str, int], link: Link) -> int:
    return min(WIDEST, 44 + abs(places[link.source] - places[link.target]) // 2)


def _arc(link: Link, places: Mapping[str, int], width: int, left: int, right: int) -> Arc:
    start, end = places[link.source], places[link.target]
    if start > end:
        x, side = left - 6, -width
        start, end = start - 5, end + 5
    else:
        x, side = right + 2, width
        start, end = start + 5, end - 5
        if link.source == link.target:
            start, end = places[link.source] - 9, places[link.source] + 9
    path = f"M {x} {start} C {x + side} {start} {x + side} {end} {x} {end}"
    return Arc(path, link.sentence, link.circular, x + 0.75 * side, (start + end) / 2)
