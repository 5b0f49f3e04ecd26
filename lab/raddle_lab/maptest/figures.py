"""Draws Figures 4 and 5: the patterns that trigger bugs, and coverage over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from raddle_lab.figure import STYLE
from raddle_lab.maptest.bug_tables import PATTERNS, pattern_counts
from raddle_lab.maptest.cell import SAMPLES
from raddle_lab.maptest.coverage_tables import Curve, curves
from raddle_lab.maptest.study import Study

COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9")  # safe for color-blind readers (Okabe and Ito)
LINES = ("-", "--", ":", "-.")


def draw_figures(study: Study, folder: Path, *, prefix: str = "maptest") -> list[Path]:
    """Draw the figures for which there are results, as SVG, and return their paths."""
    figures = {}
    with mpl.rc_context({**STYLE, "svg.hashsalt": "raddle-maptest"}):
        if 1 in study.plan.questions:
            figures["figure4"] = _figure_4(study)
        if 2 in study.plan.questions:
            figures["figure5"] = _figure_5(study)
        paths = []
        for name, figure in figures.items():
            paths.append(folder / f"{prefix}-{name}.svg")
            figure.savefig(paths[-1], metadata={"Date": None})  # so that the same results give the same file
    return paths


def _figure_4(study: Study) -> Figure:
    figure = Figure(figsize=(8, 3.2), layout="constrained", facecolor="white")
    axes = figure.subplots()
    for number, (label, counts) in enumerate(zip(("aimed at", "explains"), pattern_counts(study), strict=True)):
        places = [pattern + 0.4 * number - 0.2 for pattern in PATTERNS]
        axes.bar(places, [counts[pattern] for pattern in PATTERNS], 0.4, label=label, color=COLORS[number])
    axes.set_xticks(list(PATTERNS))
    axes.set_xlabel("pattern")
    axes.set_ylabel("runs whose first bug it triggers")
    axes.legend(frameon=False)
    return figure


def _figure_5(study: Study) -> Figure:
    figure = Figure(figsize=(10, 4.5), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2)
    found = curves(study)
    _panel(left, "MAP-coverage of MAPTest", {name: ours for name, (ours, _) in found.items()})
    leads = {name: [a - b for a, b in zip(ours, random, strict=True)] for name, (ours, random) in found.items()}
    _panel(right, "MAPTest minus Random", leads)
    figure.legend(*left.get_legend_handles_labels(), loc="outside right center", frameon=False)
    return figure


def _panel(axes: Axes, title: str, shown: dict[str, Curve]) -> None:
    for number, (name, curve) in enumerate(shown.items()):
        style = {"color": COLORS[number % len(COLORS)], "linestyle": LINES[number // len(COLORS) % len(LINES)]}
        axes.plot(_times(curve), [0.0, *(100 * share for share in curve)], label=name, linewidth=1.2, **style)
    axes.set_title(title, loc="left", fontweight="bold")
    axes.set_xlabel("time, in percent")
    axes.set_ylabel("percent of the patterns")
    axes.set_xlim(0, 100)


def _times(curve: Sequence[float]) -> list[float]:
    return [100 * place / SAMPLES for place in range(len(curve) + 1)]
