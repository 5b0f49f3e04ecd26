"""The processes of a message-passing program: its graph, with covered and missing sync-edges."""

from __future__ import annotations

import base64
from dataclasses import dataclass

from raddle.criteria import make_criteria
from raddle.pcfg.elements import Element, Elements
from raddle.pcfg.graph import Pcfg
from raddle.report.pcfg_drawing import Drawing
from raddle.store.contents import Contents
from raddle.tally import Key


@dataclass(frozen=True, slots=True)
class ProcessesView:
    """The graph of one program."""

    program: str
    image: str  # the drawing, as the address of an image
    covered: tuple[str, ...]  # covered sync-edges as sentences
    missing: tuple[str, ...]
    measured: bool  # whether sync-edges were measured


def processes_views(contents: Contents) -> tuple[ProcessesView, ...]:
    """Return a view for each graph in the data file."""
    name = Element.SYNC_EDGES.value
    measured = name in contents.tally.covered
    covered = frozenset(contents.tally.covered.get(name, {}))
    return tuple(_view(graph, contents, covered, measured=measured) for graph in contents.model.graphs)


def _view(graph: Pcfg, contents: Contents, covered: frozenset[Key], *, measured: bool) -> ProcessesView:
    (criterion,) = make_criteria([Element.SYNC_EDGES.value])
    required = list(dict.fromkeys(Elements(graph).required(Element.SYNC_EDGES)))
    drawing = Drawing(graph, covered if measured else None).svg()
    return ProcessesView(
        program=graph.sources[0].file,
        image="data:image/svg+xml;base64," + base64.b64encode(drawing.encode()).decode("ascii"),
        covered=tuple(criterion.explain(key, contents.sites) for key in required if key in covered),
        missing=tuple(criterion.explain(key, contents.sites) for key in required if key not in covered),
        measured=measured,
    )
