"""Draws Figure 1: the growth of a program's coverage under each metric, in four panels. The paper shows the crawler.

The panels are (a) metrics that distinguish too little, (b) the beginning of the curves in (a), (c) metrics that suit
saturation, and (d) metrics that distinguish too much. Metrics are assigned to panels as in the paper, regardless of
this experiment's verdicts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from raddle_lab.krena import CaseResult
from raddle_lab.tables import MODE_TITLES

PANELS = (
    ("(a) too little seen", ("avio", "eraser", "du-pairs", "hbpair", "goodlock", "sync", "blocks"), 1.0),
    ("(b) the beginning of (a)", ("avio", "hbpair", "sync"), 0.1),
    ("(c) suited", ("avio*", "eraser*", "du-pairs*", "hbpair*", "goodlock*", "goldilock"), 1.0),
    ("(d) too much seen", ("concur-pairs", "goldilock*"), 1.0),
)
# A metric has the color of its family in every panel. The palette is safe for color-blind readers (Okabe and Ito).
COLORS = {
    "avio": "#D55E00",
    "eraser": "#0072B2",
    "du-pairs": "#009E73",
    "hbpair": "#CC79A7",
    "goodlock": "#56B4E9",
    "goldilock": "#E69F00",
    "sync": "#000000",
    "blocks": "#999999",
    "concur-pairs": "#000000",
}
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "raddle",
    "svg.fonttype": "none",  # stores text as characters, not as outlines, so that the file is small and searchable
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.linewidth": 0.4,
    "grid.alpha": 0.5,
}


def draw_figure(result: CaseResult, folder: Path) -> list[Path]:
    """Draw one figure as PNG and as SVG, and return the paths of both files."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 6.5), layout="constrained", facecolor="white")
        figure.suptitle(
            f"{result.title}, {MODE_TITLES[result.mode]}: coverage along one series of {result.length:,} executions"
        )
        for axes, (title, metrics, share) in zip(figure.subplots(2, 2).flat, PANELS, strict=True):
            _panel(axes, title, [(name, result.curves[name]) for name in metrics], share)
        name = re.sub(r"\W+", "-", result.case)  # targets contain slashes and colons
        paths = [folder / f"figure1-{name}-{result.mode}.{kind}" for kind in ("png", "svg")]
        for path in paths:
            # The date is left out, so that the same run always produces the same file.
            figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else {"Software": None})
    return paths


def _panel(axes: Axes, title: str, curves: Sequence[tuple[str, Sequence[int]]], share: float) -> None:
    # The legend lists the curves by their final height, highest first.
    for name, curve in sorted(curves, key=lambda named: named[1][-1], reverse=True):
        shown = curve[: max(2, round(len(curve) * share))]
        axes.plot(*_corners(shown), label=name, color=COLORS[name.removesuffix("*")], linewidth=1.4)
    axes.set_title(title, loc="left", fontweight="bold")
    axes.set_xlabel("executions")
    axes.set_ylabel("covered tasks")
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)


def _corners(curve: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the points of the curve. Points inside flat stretches are omitted to keep the file small.

    >>> _corners([3, 3, 3, 4, 5, 5])
    ([1, 3, 4, 5, 6], [3, 3, 4, 5, 5])
    """
    last = len(curve) - 1
    kept = [n for n, value in enumerate(curve) if not 0 < n < last or not curve[n - 1] == value == curve[n + 1]]
    return [n + 1 for n in kept], [curve[n] for n in kept]
