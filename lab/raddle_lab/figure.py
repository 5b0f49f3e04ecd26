"""Figure 1: how the coverage of a program, in the paper the crawler, grows under each metric, in four panels.

(a) metrics that see too little, (b) the beginning of (a), (c) those that suit saturation, (d) those that see too
much, sorted as in the paper, whatever the verdict here.
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
# A metric has the colour of its family in every panel; these can be told apart by everybody (Okabe and Ito).
COLOURS = {
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
    "svg.fonttype": "none",  # text stays text: the file is small, and can be searched
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.linewidth": 0.4,
    "grid.alpha": 0.5,
}


def draw_figure(result: CaseResult, folder: Path) -> list[Path]:
    """One picture as PNG and as SVG; the files."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 6.5), layout="constrained", facecolor="white")
        figure.suptitle(
            f"{result.title}, {MODE_TITLES[result.mode]}: coverage along one series of {result.length:,} executions"
        )
        for axes, (title, metrics, share) in zip(figure.subplots(2, 2).flat, PANELS, strict=True):
            _panel(axes, title, [(name, result.curves[name]) for name in metrics], share)
        name = re.sub(r"\W+", "-", result.case)  # a target has slashes and colons
        paths = [folder / f"figure1-{name}-{result.mode}.{kind}" for kind in ("png", "svg")]
        for path in paths:
            # Without a date the same run gives the same file.
            figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else {"Software": None})
    return paths


def _panel(axes: Axes, title: str, curves: Sequence[tuple[str, Sequence[int]]], share: float) -> None:
    # In the legend as they end: the highest first.
    for name, curve in sorted(curves, key=lambda named: named[1][-1], reverse=True):
        shown = curve[: max(2, round(len(curve) * share))]
        axes.plot(*_corners(shown), label=name, color=COLOURS[name.removesuffix("*")], linewidth=1.4)
    axes.set_title(title, loc="left", fontweight="bold")
    axes.set_xlabel("executions")
    axes.set_ylabel("covered tasks")
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)


def _corners(curve: Sequence[int]) -> tuple[list[int], list[int]]:
    """A curve without the points that lie on a level stretch, of which there are many.

    >>> _corners([3, 3, 3, 4, 5, 5])
    ([1, 3, 4, 5, 6], [3, 3, 4, 5, 5])
    """
    last = len(curve) - 1
    kept = [n for n, value in enumerate(curve) if not 0 < n < last or not curve[n - 1] == value == curve[n + 1]]
    return [n + 1 for n in kept], [curve[n] for n in kept]
