"""Coverage over time, for Fig. 10.

The paper does not say what its percentages refer to. Here they refer to all requirements that either of the two
approaches triggered in its run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from raddle_lab.autocontest.cell import Approach
from raddle_lab.autocontest.study import Study, Trial

POINTS = 60  # of a curve, besides the first one
COMPARED = (Approach.AUTOCONTEST, Approach.CONTEGE_STAR)
Curve = Sequence[float]  # percentages at equal intervals, from 0 to the time limit


def curve(trial: Trial, whole: frozenset[str], seconds: float) -> Curve:
    """Return the percentage of the requirements in `whole` at each point.

    >>> trial = Trial(0, {"triggered": [[1.0, "a"], [30.5, "b"]]})
    >>> [round(percent) for percent in curve(trial, frozenset("abcd"), 60.0)[::30]]
    [0, 25, 50]
    """
    return [100 * len(trial.triggered_at(seconds * at / POINTS) & whole) / len(whole) for at in range(POINTS + 1)]


def mean_curves(study: Study) -> Mapping[Approach, Curve]:
    """Return the mean curve of each approach over the classes for which both triggered anything at all."""
    found: dict[Approach, list[Curve]] = {approach: [] for approach in COMPARED}
    for subject in study.plan.subjects:
        trials = {approach: study.best(subject, approach) for approach in COMPARED}
        whole = frozenset().union(*(trial.keys for trial in trials.values() if trial is not None))
        if whole and None not in trials.values():
            for approach, trial in trials.items():
                assert trial is not None
                found[approach].append(curve(trial, whole, study.plan.seconds))
    return {
        approach: [fmean(values) for values in zip(*curves, strict=True)]
        for approach, curves in found.items()
        if curves
    }


def overtaking_seconds(curves: Mapping[Approach, Curve], seconds: float) -> float | None:
    """Return the time at which AutoConTest reaches the final coverage of ConTeGe*; None if it does not.

    >>> overtaking_seconds({COMPARED[0]: [0, 10, 30, 50], COMPARED[1]: [0, 5, 10, 20]}, 60.0)
    40.0
    """
    if len(curves) < len(COMPARED):
        return None
    ours, other = (curves[approach] for approach in COMPARED)
    reached = (place for place, percent in enumerate(ours) if percent >= other[-1])
    place = next(reached, None)
    return None if place is None else seconds * place / (len(ours) - 1)
