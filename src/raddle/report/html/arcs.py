"""Arc diagrams: nodes in a column, linked by arcs, with the arcs of cycles highlighted.

Downward arcs are on the right and upward arcs on the left, so a cycle is easy to recognize: it has arcs on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

ROW = 34  # height of a row in pixels
MARGIN = 26  # pixels above the first and below the last node
MAX_NODES = 80
MAX_ARCS = 400
WIDEST = 170  # maximum width of an arc in pixels
LETTER = 7.4  # approximate width of a letter in pixels


@dataclass(frozen=True, slots=True)
class Link:
    """A link from one node to another."""

    source: str
    target: str
    sentence: str
    circular: bool = False  # True if the link is part of a cycle


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the diagram."""

    label: str
    y: int
    href: str = ""
    circular: bool = False  # True if the node is part of a cycle


@dataclass(frozen=True, slots=True)
class Arc:
    """The drawing of a link."""

    path: str  # SVG path
    sentence: str
    circular: bool  # True if the link is part of a cycle
    x: float  # position of the sign that marks a cycle
    y: float


@dataclass(frozen=True, slots=True)
class Diagram:
    """An arc diagram."""

    nodes: tuple[Node, ...]
    arcs: tuple[Arc, ...]
    width: int
    height: int
    left: int  # x position of the labels
    more_nodes: int = 0  # number of nodes that are not drawn
    more_arcs: int = 0  # number of arcs that are not drawn


def cyclic_links(links: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the links that are part of a cycle, that is, whose two ends are reachable from each other.

    >>> sorted(cyclic_links([("a", "b"), ("b", "a"), ("b", "c"), ("d", "d")]))
    [('a', 'b'), ('b', 'a'), ('d', 'd')]
    """
    links = set(links)
    targets: dict[str, set[str]] = {}
    sources: dict[str, set[str]] = {}
    for source, target in links:
        targets.setdefault(source, set()).add(target)
        sources.setdefault(target, set()).add(source)
    component: dict[str, int] = {}
    # Kosaraju's algorithm: follow the links backwards, starting from the node that was finished last.
    for number, node in enumerate(reversed(_finished(targets))):
        if node not in component:
            pending = [node]
            while pending:
                here = pending.pop()
                if here not in component:
                    component[here] = number
                    pending += sources.get(here, ())
    return {(source, target) for source, target in links if component[source] == component[target]}


def _finished(targets: Mapping[str, set[str]]) -> list[str]:
    """Return the nodes in the order in which a depth-first search finishes them."""
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
    """Draw the nodes in the order of `labels`. If there are too many nodes, prefer those in cycles."""
    in_cycle = {end for link in links if link.circular for end in (link.source, link.target)}
    shown = set([label for label in labels if label in in_cycle][:MAX_NODES])
    shown.update([label for label in labels if label not in in_cycle][: MAX_NODES - len(shown)])
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
        nodes=tuple(Node(label, places[label], hrefs.get(label, ""), label in in_cycle) for label in kept),
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
