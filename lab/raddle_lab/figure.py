"""Figure 1: how the coverage of the crawler grows under each metric, in four panels.

(a) metrics that see too little, (b) the beginning of (a), (c) those that suit saturation, (d) those that see too
much, sorted as in the paper, whatever the verdict here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from raddle_lab.krena import CaseResult

PANELS = (
    ("(a) too little seen", ("avio", "eraser", "du-pairs", "hbpair", "goodlock", "sync", "blocks"), 1.0),
    ("(b) the beginning of (a)", ("avio", "hbpair", "sync"), 0.1),
    ("(c) suited", ("avio*", "eraser*", "du-pairs*", "hbpair*", "goodlock*", "goldilock"), 1.0),
    ("(d) too much seen", ("concur-pairs", "goldilock*"), 1.0),
)


def draw_figure(result: CaseResult, folder: Path) -> list[Path]:
    """One picture as PNG and as SVG; the files."""
    with mpl.rc_context({"svg.hashsalt": "raddle", "font.size": 8}):
        figure = Figure(figsize=(12, 7), layout="constrained")
        for axes, (title, metrics, share) in zip(figure.subplots(2, 2).flat, PANELS, strict=True):
            _panel(axes, title, [(name, result.curves[name]) for name in metrics], share)
        paths = [folder / f"figure1-{result.case}-{result.mode}.{kind}" for kind in ("png", "svg")]
        for path in paths:
            # Without a date the same run gives the same file.
            figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else {"Software": None})
    return paths


def _panel(axes: Axes, title: str, curves: Sequence[tuple[str, Sequence[int]]], share: float) -> None:
    for name, curve in curves:
        shown = curve[: max(2, round(len(curve) * share))]
        axes.plot(range(1, len(shown) + 1), shown, label=name, linewidth=1)
    axes.set_title(title)
    axes.set_xlabel("executions")
    axes.set_ylabel("covered tasks")
    axes.set_ylim(bottom=0)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
