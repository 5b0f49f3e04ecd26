"""Draws Fig. 10: coverage over time."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from raddle_lab.autocontest.cell import AUTOCONTEST, CONTEGE, Part
from raddle_lab.autocontest.fault_tables import SAMPLES, curves
from raddle_lab.autocontest.study import Study
from raddle_lab.figure import STYLE

LINES = {AUTOCONTEST: ("AutoConTest", "#0072B2", "-"), CONTEGE: ("ConTeGe*", "#E69F00", "--")}


def draw_figures(study: Study, folder: Path, *, prefix: str = "autocontest") -> list[Path]:
    """Draw the figure as SVG if there are results, and return its path."""
    found = curves(study) if Part.FAULTS in study.plan.parts else None
    if found is None:
        return []
    path = folder / f"{prefix}-figure10.svg"
    with mpl.rc_context({**STYLE, "svg.hashsalt": "raddle-autocontest"}):
        figure = Figure(figsize=(6, 3.4), layout="constrained", facecolor="white")
        axes = figure.subplots()
        times = [study.plan.seconds * place / SAMPLES for place in range(SAMPLES + 1)]
        for method, curve in found.items():
            label, color, style = LINES[method]
            axes.plot(times, [0.0, *(100 * share for share in curve)], label=label, color=color, linestyle=style)
        axes.set_xlabel("time, in seconds")
        axes.set_ylabel("percent of the requirements")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False)
        figure.savefig(path, metadata={"Date": None})  # so that the same results give the same file
    return [path]
