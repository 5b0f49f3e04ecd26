"""The sequences of Fig. 4 of the paper, and readable names for the events of Fig. 1's class."""

from __future__ import annotations

from auto_builder import Subject

from raddle.generation.autocontest.coverage import CallTrace
from raddle.generation.autocontest.predict import Requirement
from raddle.generation.expressions import Imported, New
from raddle.site import SiteTable

MODULE = "auto_figure_one"
FIGURE_ONE = Subject(MODULE, "FigureOne")
NEW = FIGURE_ONE.new()
M1, M2, M3, M5, M7 = (
    FIGURE_ONE.call("m1", 1), FIGURE_ONE.call("m2", 0), FIGURE_ONE.call("m3", 10), FIGURE_ONE.call("m5"),
    FIGURE_ONE.call("m7"),
)  # fmt: skip
M6 = FIGURE_ONE.call("m6", New(Imported(MODULE, "Supplier")))
ATTRIBUTES = tuple(map(FIGURE_ONE.attribute, "xyz"))
EDGES = (M1, M2, FIGURE_ONE.call("m2", 2), M3, M5, M6, M7, *ATTRIBUTES)
D1, D2, D3 = (M5, M1, M2, M7), (M3, M7, M5), (M7, M5, M3)

# The names that the paper gives to the accesses, by method, kind and field.
_NAMES = {
    ("m1", "write", "x"): "a1", ("m2", "write", "y"): "a2", ("m3", "read", "z"): "a3", ("_m4", "read", "x"): "a4",
    ("_m4", "write", "x"): "a5", ("m5", "read", "y"): "a6", ("m5", "write", "z"): "a7", ("m7", "read", "y"): "a8",
    ("m7", "write", "y"): "a9",
}  # fmt: skip
_MARKS = {"enter": ">", "leave": "<", "acquire": "l1", "release": "l2"}


def lock_sites(table: SiteTable, trace: CallTrace) -> tuple[set[int], set[int]]:
    """Return the lock sites of the methods that are synchronized in the paper, and the sites that read the lock."""
    methods = {"FigureOne.m1", "FigureOne.m2", "FigureOne.m7"}
    events = [(event.kind, event.site, table[event.site]) for event in trace]
    locked = {site for kind, site, place in events if kind in ("acquire", "release") and place.function in methods}
    return locked, {site for kind, site, place in events if kind == "read" and place.name == "_lock"}


def text(table: SiteTable, trace: CallTrace) -> str:
    """Return a trace as the paper prints it."""
    words = []
    for kind, number in trace:
        site = table[number]
        method = site.function.rpartition(".")[2]
        mark = _MARKS.get(kind)
        words.append(_NAMES[method, kind, site.name] if mark is None else mark if len(mark) > 1 else mark + method)
    return " ".join(words)


def accesses(table: SiteTable, requirement: Requirement) -> str:
    """Return the accesses of a requirement as the paper names them."""
    names = []
    for access in requirement.accesses:
        site = table[access.site]
        names.append(_NAMES.get((site.function.rpartition(".")[2], access.kind, site.name), site.name))
    return " ".join(names)
