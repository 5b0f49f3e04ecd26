"""Charts of coverage growth, with a linear or logarithmic execution axis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log10

MAX_POINTS = 300  # maximum number of points of a curve

Growth = Sequence[tuple[int, int]]  # pairs of an execution number and the number of requirements covered so far


@dataclass(frozen=True, slots=True)
class Box:
    """The size of a drawing and the margins around its curve, in pixels."""

    width: int
    height: int
    left: int = 0
    bottom: int = 0
    top: int = 2
    right: int = 2


SPARK = Box(96, 22)
CHART = Box(460, 210, left=46, bottom=26, top=14, right=14)


@dataclass(frozen=True, slots=True)
class Axes:
    """Maps numbers of executions and of requirements to pixel coordinates.

    >>> axes = Axes(Box(104, 102), 100, 50, logarithmic=False)
    >>> axes.x(0), axes.x(100), axes.y(0), axes.y(50)
    (0.0, 102.0, 102.0, 2.0)
    """

    box: Box
    executions: int
    maximum: int  # largest number of requirements on the y axis
    logarithmic: bool = False

    def x(self, execution: float) -> float:
        """Return the x coordinate of an execution. Executions are numbered from 1, and log(1) is 0."""
        wide = self.box.width - self.box.left - self.box.right
        if self.logarithmic:
            share = log10(max(1, execution)) / log10(max(2, self.executions))
        else:
            share = execution / max(1, self.executions)
        return round(self.box.left + wide * min(1.0, share), 1)

    def y(self, covered: float) -> float:
        """Return the y coordinate for a given count of covered requirements."""
        high = self.box.height - self.box.top - self.box.bottom
        return round(self.box.height - self.box.bottom - high * min(1.0, covered / max(1, self.maximum)), 1)


@dataclass(frozen=True, slots=True)
class Tick:
    """A labeled tick on an axis."""

    at: float  # pixel position
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A curve with its axes."""

    path: str  # SVG path of the curve
    box: Box
    executions: tuple[Tick, ...]
    covered: tuple[Tick, ...]
    total: float | None = None  # y coordinate of the total; None if it is not drawn
    band: tuple[float, float] | None = None  # y coordinates of the upper and lower bound of an estimate
    findings: tuple[tuple[float, int], ...] = ()  # (x coordinate, number) of each finding


def sparkline(growth: Growth, executions: int) -> str:
    """Return the SVG path of a sparkline that fits into `SPARK`, or "" if nothing was covered.

    >>> sparkline([(1, 1), (2, 2)], 4)
    'M 0.0 22.0 L 23.5 22.0 L 23.5 12.0 L 47.0 12.0 L 47.0 2.0 L 94.0 2.0'
    """
    return step_curve(growth, Axes(SPARK, executions, growth[-1][1])) if growth else ""


def step_curve(growth: Growth, axes: Axes) -> str:
    """Return a step curve as an SVG path: coverage is constant until an execution covers something new."""
    if not growth:
        return ""
    before = 0
    points = [(axes.x(1 if axes.logarithmic else 0), axes.y(0))]
    for execution, covered in _thinned(growth):
        points += [(axes.x(execution), axes.y(before)), (axes.x(execution), axes.y(covered))]
        before = covered
    points.append((axes.x(axes.executions), axes.y(before)))
    return "M " + " L ".join(f"{x} {y}" for x, y in dict.fromkeys(points))


def chart(
    growth: Growth,
    executions: int,
    *,
    logarithmic: bool,
    total: int | None = None,
    interval: tuple[int, int] | None = None,
    findings: Iterable[tuple[int, int]] = (),
) -> Chart:
    """Return a chart. A total far above the curve is not drawn, because it would flatten the curve."""
    reached = growth[-1][1] if growth else 0
    if total is not None and total > 4 * max(1, reached):
        total = interval = None
    if interval is not None:
        interval = interval[0], min(interval[1], 2 * max(1, total or reached))
    maximum = max(1, reached, total or 0, interval[1] if interval is not None else 0)
    axes = Axes(CHART, executions, maximum, logarithmic)
    return Chart(
        path=step_curve(growth, axes),
        box=CHART,
        executions=tuple(Tick(axes.x(number), f"{number:,}") for number in _ticks(executions, logarithmic)),
        covered=tuple(Tick(axes.y(number), f"{number:,}") for number in _ticks(maximum, logarithmic=False)),
        total=axes.y(total) if total else None,
        band=(axes.y(interval[1]), axes.y(interval[0])) if interval is not None and interval[0] < interval[1] else None,
        findings=tuple((axes.x(execution), number) for execution, number in findings),
    )


def _ticks(maximum: int, logarithmic: bool) -> list[int]:
    """Return round numbers for the ticks of an axis.

    >>> _ticks(1200, logarithmic=False), _ticks(1200, logarithmic=True)
    ([0, 500, 1000], [1, 10, 100, 1000])
    """
    if logarithmic:
        powers = [10**power for power in range(len(str(max(1, maximum))))]
        return powers[:: 1 + len(powers) // 7]
    power = 10 ** (len(str(max(1, maximum))) - 1)
    step = next(step for step in (power // 5 or 1, power // 2 or 1, power, 2 * power, 5 * power) if maximum / step <= 4)
    return list(range(0, maximum + 1, step))


def _thinned(growth: Growth) -> Growth:
    if len(growth) <= MAX_POINTS:
        return growth
    kept = [growth[round(place * (len(growth) - 1) / (MAX_POINTS - 1))] for place in range(MAX_POINTS)]
    return list(dict.fromkeys(kept))
