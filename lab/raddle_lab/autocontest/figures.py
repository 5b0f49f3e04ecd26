"""Draws Figure 10: coverage over time."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from raddle_lab.autocontest.cell import Approach
from raddle_lab.autocontest.curves import mean_curves
from raddle_lab.autocontest.study import Study
from raddle_lab.figure import STYLE

LINES = {Approach.AUTOCONTEST: ("AutoConTest", "#0072B2", "-"), Approach.CONTEGE_STAR: ("ConTeGe*", "#E69F00", "--")}


def draw_figures(study: Study, folder: Path, *, prefix: str = "autocontest") -> list[Path]:
    """Draw the figure as SVG if there are results for it, and return its path."""
    curves = mean_curves(study)
    if not curves:
        return []
    path = folder / f"{prefix}-figure10.svg"
    with mpl.rc_context({**STYLE, "svg.hashsalt": "raddle-autocontest"}):
        figure = Figure(figsize=(6, 3.6), layout="constrained", facecolor="white")
        axes = figure.subplots()
        for approach, curve in curves.items():
            label, color, line = LINES[approach]
            times = [study.plan.seconds * place / (len(curve) - 1) for place in range(len(curve))]
            axes.plot(times, curve, label=label, color=color, linestyle=line, linewidth=1.4)
        axes.set_xlabel("seconds")
        axes.set_ylabel("percent of the requirements")
        axes.set_xlim(0, study.plan.seconds)
        axes.set_ylim(0, 100)
        axes.legend(frameon=False)
        figure.savefig(path, metadata={"Date": None})  # so that the same results give the same file
    return [path]
