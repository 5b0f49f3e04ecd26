"""Draws a parallel control flow graph as SVG: a column for each process, and curves for the sync-edges."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from html import escape

from raddle.pcfg.elements import sync_edge
from raddle.pcfg.graph import Pcfg, Process, SyncEdge
from raddle.pcfg.matching import in_process
from raddle.pcfg.unit import EXIT, Edge, Node
from raddle.tally import Key

COLUMN, ROW = 230, 34  # distance between processes and between nodes
LEFT, TOP = 60, 60  # position of the first node
RADIUS = 11
BEND = 16  # how far an edge that skips a node bends

_STYLE = """
text { font: 11px sans-serif; fill: #222; }
.process { font-weight: bold; font-size: 13px; }
circle { fill: #fff; stroke: #555; }
.send circle { fill: #d7e8ff; stroke: #1f5fb4; }
.receive circle { fill: #dff3df; stroke: #2a7d2a; }
.both circle { fill: #f5e6c8; stroke: #946200; }
path { fill: none; stroke: #888; }
.sync path { stroke: #1f5fb4; stroke-dasharray: 5 3; }
.sync.covered path { stroke: #2a7d2a; stroke-dasharray: none; stroke-width: 1.6; }
.sync.missing path { stroke: #c0392b; }
""".strip()


@dataclass(frozen=True, slots=True)
class _Position:
    x: float
    y: float


class Drawing:
    """The drawing of a graph.

    If `covered` is given, it holds the keys of the covered sync-edges; covered and missing ones look different.
    """

    def __init__(self, pcfg: Pcfg, covered: Collection[Key] | None = None) -> None:
        self._pcfg = pcfg
        self._covered = covered
        self._positions = {
            (process.rank, node.number): _Position(LEFT + process.rank * COLUMN, TOP + row * ROW)
            for process in pcfg.processes
            for row, node in enumerate(process.nodes)
        }

    def svg(self) -> str:
        """Return the text of the SVG file."""
        rows = max((sum(1 for _ in process.nodes) for process in self._pcfg.processes), default=0)
        width, height = LEFT + len(self._pcfg.processes) * COLUMN, TOP + rows * ROW + 20
        title = f"Parallel control flow graph of {self._pcfg.sources[0].file}"
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img" aria-label="{escape(title)}">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto"><path d="M0 0L8 4L0 8z" style="fill:#888;stroke:none"/></marker></defs>',
        ]
        for process in self._pcfg.processes:
            lines += self._control_edges(process)
        lines += [self._sync_edge(pair) for pair in self._pcfg.sync_edges]
        for process in self._pcfg.processes:
            lines += self._nodes(process)
        return "\n".join([*lines, "</svg>", ""])

    def _nodes(self, process: Process) -> Iterator[str]:
        yield (
            f'<text class="process" x="{LEFT + process.rank * COLUMN}" y="{TOP - 30}" text-anchor="middle">'
            f"{escape(process.label)}</text>"
        )
        for node in process.nodes:
            at = self._positions[process.rank, node.number]
            kind = _kind(node)
            yield (
                f'<g class="node {kind}"><circle cx="{at.x}" cy="{at.y}" r="{RADIUS}"/>'
                f'<text x="{at.x}" y="{at.y + 4}" text-anchor="middle">{node.line}</text>'
                f'<text x="{at.x + RADIUS + 12}" y="{at.y + 4}">{escape(node.text)}</text></g>'
            )

    def _control_edges(self, process: Process) -> Iterator[str]:
        for unit in process.units:
            for edge in unit.edges:
                if edge.target != EXIT:
                    yield self._control_edge(process, edge)

    def _control_edge(self, process: Process, edge: Edge) -> str:
        start, end = self._positions[process.rank, edge.source], self._positions[process.rank, edge.target]
        title = f"<title>{escape(edge.outcome)}</title>" if edge.outcome else ""
        if end.y - start.y == ROW:
            path = f"M{start.x} {start.y + RADIUS}V{end.y - RADIUS}"
        else:  # forwards on the right, backwards on the left
            side = 1 if end.y > start.y else -1
            x = start.x + side * RADIUS
            bend = x + side * (BEND + abs(end.y - start.y) / 12)
            path = f"M{x} {start.y}C{bend:g} {start.y} {bend:g} {end.y} {x} {end.y}"
        return f'<g class="control">{title}<path d="{path}" marker-end="url(#arrow)"/></g>'

    def _sync_edge(self, pair: SyncEdge) -> str:
        start = self._positions[pair.send.rank, pair.send.node]
        end = self._positions[pair.receive.rank, pair.receive.node]
        side = 1 if end.x > start.x else -1
        first, last = start.x + side * RADIUS, end.x - side * RADIUS
        middle = (first + last) / 2
        title = (
            f"send at {pair.send.at} in {in_process(pair.send.process)}, receive at {pair.receive.at} in "
            f"{in_process(pair.receive.process)}"
        )
        state = ""
        if self._covered is not None:
            state = " covered" if sync_edge(pair) in self._covered else " missing"
            title += f": {'covered' if state == ' covered' else 'not covered yet'}"
        path = f"M{first} {start.y}C{middle:g} {start.y} {middle:g} {end.y} {last} {end.y}"
        return f'<g class="sync{state}"><title>{escape(title)}</title><path d="{path}" marker-end="url(#arrow)"/></g>'


def _kind(node: Node) -> str:
    if node.sends and node.receives:
        return "both"
    return "send" if node.sends else "receive" if node.receives else "plain"
