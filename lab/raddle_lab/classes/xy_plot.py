"""Plots of (x, y) data."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Protocol, TypeVar

from raddle_lab.classes.validation import above_zero, at_least_zero
from raddle_lab.classes.value_range import Range

Item = TypeVar("Item")


class Orientation(Enum):
    """The direction of the range axis."""

    HORIZONTAL = "horizontal"
    VERTICAL = "vertical"


class Layer(Enum):
    """Whether markers are drawn over or under the data."""

    FOREGROUND = "foreground"
    BACKGROUND = "background"


class RenderingOrder(Enum):
    """Which datasets, or which series of a dataset, are drawn first."""

    FORWARD = "forward"
    REVERSE = "reverse"


class AxisLocation(Enum):
    """The side of the plot on which an axis is drawn."""

    BOTTOM_OR_LEFT = "bottom or left"
    TOP_OR_RIGHT = "top or right"


@dataclass(frozen=True, slots=True)
class PlotAxis:
    """An axis with a fixed range."""

    label: str = ""
    lower: float = 0.0
    upper: float = 1.0

    def zoomed(self, factor: float) -> PlotAxis:
        """Return an axis with the same middle and a length multiplied by the factor."""
        center, half = (self.lower + self.upper) / 2, (self.upper - self.lower) / 2 * factor
        return replace(self, lower=center - half, upper=center + half)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A named series of points."""

    name: str = ""
    points: tuple[tuple[float, float], ...] = ()

    def domain_range(self) -> Range | None:
        return _range_of(x for x, _ in self.points)

    def value_range(self) -> Range | None:
        return _range_of(y for _, y in self.points)


@dataclass(frozen=True, slots=True)
class Renderer:
    """Draws the points of a dataset."""

    color: str = "blue"


@dataclass(frozen=True, slots=True)
class Marker:
    """Marks a value on an axis."""

    value: float = 0.0
    label: str = ""


@dataclass(frozen=True, slots=True)
class Annotation:
    """A text at a point of the plot."""

    text: str = ""
    x: float = 0.0
    y: float = 0.0


@dataclass(frozen=True, slots=True)
class PlotChangeEvent:
    """Says which plot has changed."""

    plot: XYPlot = field(compare=False)


class PlotListener(Protocol):
    """An object that is notified when a plot changes."""

    def plot_changed(self, event: PlotChangeEvent) -> None: ...


class PlotRecorder:
    """A listener that keeps the events that it receives."""

    def __init__(self) -> None:
        self.events: list[PlotChangeEvent] = []

    def plot_changed(self, event: PlotChangeEvent) -> None:
        self.events.append(event)


class XYPlot:
    """Datasets with their axes, renderers, markers and annotations.

    Axes, datasets and renderers have indices. Each dataset is drawn with the axes it is mapped to, by default axis 0. A
    plot is meant to be shared: several threads may change it, read it and copy it at the same time.
    """

    def __init__(self, dataset: Dataset | None = None) -> None:
        self._orientation = Orientation.VERTICAL
        self._axis_offset = 0.0
        self._weight = 1
        self._domain_axes: dict[int, PlotAxis] = {0: PlotAxis("x")}
        self._range_axes: dict[int, PlotAxis] = {0: PlotAxis("y")}
        self._domain_axis_locations: dict[int, AxisLocation] = {0: AxisLocation.BOTTOM_OR_LEFT}
        self._range_axis_locations: dict[int, AxisLocation] = {0: AxisLocation.BOTTOM_OR_LEFT}
        self._datasets: dict[int, Dataset] = {0: dataset} if dataset is not None else {}
        self._renderers: dict[int, Renderer] = {0: Renderer()}
        self._dataset_to_domain_axes: dict[int, list[int]] = {0: [0]}
        self._dataset_to_range_axes: dict[int, list[int]] = {0: [0]}
        self._domain_markers: dict[Layer, dict[int, list[Marker]]] = {layer: {} for layer in Layer}
        self._range_markers: dict[Layer, dict[int, list[Marker]]] = {layer: {} for layer in Layer}
        self._annotations: list[Annotation] = []
        self._domain_gridlines_visible = True
        self._domain_gridline_stroke = 0.5
        self._domain_gridline_paint = "gray"
        self._range_gridlines_visible = True
        self._range_gridline_stroke = 0.5
        self._range_gridline_paint = "gray"
        self._domain_zero_baseline_visible = False
        self._domain_zero_baseline_stroke = 0.5
        self._domain_zero_baseline_paint = "black"
        self._range_zero_baseline_visible = False
        self._range_zero_baseline_stroke = 0.5
        self._range_zero_baseline_paint = "black"
        self._domain_tick_band_paint: str | None = None
        self._range_tick_band_paint: str | None = None
        self._quadrant_origin = (0.0, 0.0)
        self._quadrant_paints: tuple[str | None, ...] = (None, None, None, None)
        self._domain_crosshair_visible = False
        self._domain_crosshair_value = 0.0
        self._domain_crosshair_stroke = 0.5
        self._domain_crosshair_paint = "blue"
        self._domain_crosshair_locked_on_data = True
        self._range_crosshair_visible = False
        self._range_crosshair_value = 0.0
        self._range_crosshair_stroke = 0.5
        self._range_crosshair_paint = "blue"
        self._range_crosshair_locked_on_data = True
        self._fixed_domain_axis_space: float | None = None
        self._fixed_range_axis_space: float | None = None
        self._dataset_rendering_order = RenderingOrder.REVERSE
        self._series_rendering_order = RenderingOrder.REVERSE
        self._fixed_legend_items: tuple[str, ...] | None = None
        self._no_data_message: str | None = None
        self._listeners: list[PlotListener] = []

    def get_plot_type(self) -> str:
        return "XY plot"

    def get_orientation(self) -> Orientation:
        return self._orientation

    def set_orientation(self, orientation: Orientation) -> None:
        self._orientation = orientation
        self._changed()

    def get_axis_offset(self) -> float:
        return self._axis_offset

    def set_axis_offset(self, offset: float) -> None:
        self._axis_offset = at_least_zero("axis offset", offset)
        self._changed()

    def get_weight(self) -> int:
        return self._weight

    def set_weight(self, weight: int) -> None:
        self._weight = at_least_zero("weight", weight)
        self._changed()

    def is_domain_gridlines_visible(self) -> bool:
        return self._domain_gridlines_visible

    def set_domain_gridlines_visible(self, flag: bool) -> None:
        self._domain_gridlines_visible = flag
        self._changed()

    def get_domain_gridline_stroke(self) -> float:
        return self._domain_gridline_stroke

    def set_domain_gridline_stroke(self, stroke: float) -> None:
        self._domain_gridline_stroke = at_least_zero("domain gridline stroke", stroke)
        self._changed()

    def get_domain_gridline_paint(self) -> str:
        return self._domain_gridline_paint

    def set_domain_gridline_paint(self, paint: str) -> None:
        self._domain_gridline_paint = paint
        self._changed()

    def is_range_gridlines_visible(self) -> bool:
        return self._range_gridlines_visible

    def set_range_gridlines_visible(self, flag: bool) -> None:
        self._range_gridlines_visible = flag
        self._changed()

    def get_range_gridline_stroke(self) -> float:
        return self._range_gridline_stroke

    def set_range_gridline_stroke(self, stroke: float) -> None:
        self._range_gridline_stroke = at_least_zero("range gridline stroke", stroke)
        self._changed()

    def get_range_gridline_paint(self) -> str:
        return self._range_gridline_paint

    def set_range_gridline_paint(self, paint: str) -> None:
        self._range_gridline_paint = paint
        self._changed()

    def is_domain_zero_baseline_visible(self) -> bool:
        return self._domain_zero_baseline_visible

    def set_domain_zero_baseline_visible(self, flag: bool) -> None:
        self._domain_zero_baseline_visible = flag
        self._changed()

    def get_domain_zero_baseline_stroke(self) -> float:
        return self._domain_zero_baseline_stroke

    def set_domain_zero_baseline_stroke(self, stroke: float) -> None:
        self._domain_zero_baseline_stroke = at_least_zero("domain zero baseline stroke", stroke)
        self._changed()

    def get_domain_zero_baseline_paint(self) -> str:
        return self._domain_zero_baseline_paint

    def set_domain_zero_baseline_paint(self, paint: str) -> None:
        self._domain_zero_baseline_paint = paint
        self._changed()

    def is_range_zero_baseline_visible(self) -> bool:
        return self._range_zero_baseline_visible

    def set_range_zero_baseline_visible(self, flag: bool) -> None:
        self._range_zero_baseline_visible = flag
        self._changed()

    def get_range_zero_baseline_stroke(self) -> float:
        return self._range_zero_baseline_stroke

    def set_range_zero_baseline_stroke(self, stroke: float) -> None:
        self._range_zero_baseline_stroke = at_least_zero("range zero baseline stroke", stroke)
        self._changed()

    def get_range_zero_baseline_paint(self) -> str:
        return self._range_zero_baseline_paint

    def set_range_zero_baseline_paint(self, paint: str) -> None:
        self._range_zero_baseline_paint = paint
        self._changed()

    def get_domain_tick_band_paint(self) -> str | None:
        return self._domain_tick_band_paint

    def set_domain_tick_band_paint(self, paint: str | None) -> None:
        self._domain_tick_band_paint = paint
        self._changed()

    def get_range_tick_band_paint(self) -> str | None:
        return self._range_tick_band_paint

    def set_range_tick_band_paint(self, paint: str | None) -> None:
        self._range_tick_band_paint = paint
        self._changed()

    def get_quadrant_origin(self) -> tuple[float, float]:
        return self._quadrant_origin

    def set_quadrant_origin(self, origin: tuple[float, float]) -> None:
        self._quadrant_origin = origin
        self._changed()

    def get_quadrant_paint(self, quadrant: int) -> str | None:
        return self._quadrant_paints[_quadrant(quadrant)]

    def set_quadrant_paint(self, quadrant: int, paint: str | None) -> None:
        """Set the color of a quadrant, from 0 to 3; raise IndexError for other numbers."""
        place = _quadrant(quadrant)
        paints = self._quadrant_paints
        self._quadrant_paints = (*paints[:place], paint, *paints[place + 1 :])
        self._changed()

    def is_domain_crosshair_visible(self) -> bool:
        return self._domain_crosshair_visible

    def set_domain_crosshair_visible(self, flag: bool) -> None:
        self._domain_crosshair_visible = flag
        self._changed()

    def get_domain_crosshair_value(self) -> float:
        return self._domain_crosshair_value

    def set_domain_crosshair_value(self, value: float) -> None:
        self._domain_crosshair_value = value
        self._changed()

    def get_domain_crosshair_stroke(self) -> float:
        return self._domain_crosshair_stroke

    def set_domain_crosshair_stroke(self, stroke: float) -> None:
        self._domain_crosshair_stroke = at_least_zero("domain crosshair stroke", stroke)
        self._changed()

    def get_domain_crosshair_paint(self) -> str:
        return self._domain_crosshair_paint

    def set_domain_crosshair_paint(self, paint: str) -> None:
        self._domain_crosshair_paint = paint
        self._changed()

    def is_domain_crosshair_locked_on_data(self) -> bool:
        return self._domain_crosshair_locked_on_data

    def set_domain_crosshair_locked_on_data(self, flag: bool) -> None:
        self._domain_crosshair_locked_on_data = flag
        self._changed()

    def is_range_crosshair_visible(self) -> bool:
        return self._range_crosshair_visible

    def set_range_crosshair_visible(self, flag: bool) -> None:
        self._range_crosshair_visible = flag
        self._changed()

    def get_range_crosshair_value(self) -> float:
        return self._range_crosshair_value

    def set_range_crosshair_value(self, value: float) -> None:
        self._range_crosshair_value = value
        self._changed()

    def get_range_crosshair_stroke(self) -> float:
        return self._range_crosshair_stroke

    def set_range_crosshair_stroke(self, stroke: float) -> None:
        self._range_crosshair_stroke = at_least_zero("range crosshair stroke", stroke)
        self._changed()

    def get_range_crosshair_paint(self) -> str:
        return self._range_crosshair_paint

    def set_range_crosshair_paint(self, paint: str) -> None:
        self._range_crosshair_paint = paint
        self._changed()

    def is_range_crosshair_locked_on_data(self) -> bool:
        return self._range_crosshair_locked_on_data

    def set_range_crosshair_locked_on_data(self, flag: bool) -> None:
        self._range_crosshair_locked_on_data = flag
        self._changed()

    def get_fixed_domain_axis_space(self) -> float | None:
        return self._fixed_domain_axis_space

    def set_fixed_domain_axis_space(self, space: float | None) -> None:
        self._fixed_domain_axis_space = space
        self._changed()

    def get_fixed_range_axis_space(self) -> float | None:
        return self._fixed_range_axis_space

    def set_fixed_range_axis_space(self, space: float | None) -> None:
        self._fixed_range_axis_space = space
        self._changed()

    def get_dataset_rendering_order(self) -> RenderingOrder:
        return self._dataset_rendering_order

    def set_dataset_rendering_order(self, order: RenderingOrder) -> None:
        self._dataset_rendering_order = order
        self._changed()

    def get_series_rendering_order(self) -> RenderingOrder:
        return self._series_rendering_order

    def set_series_rendering_order(self, order: RenderingOrder) -> None:
        self._series_rendering_order = order
        self._changed()

    def get_fixed_legend_items(self) -> tuple[str, ...] | None:
        return self._fixed_legend_items

    def set_fixed_legend_items(self, items: tuple[str, ...] | None) -> None:
        self._fixed_legend_items = items
        self._changed()

    def get_no_data_message(self) -> str | None:
        return self._no_data_message

    def set_no_data_message(self, message: str | None) -> None:
        self._no_data_message = message
        self._changed()

    def get_domain_axis(self, index: int = 0) -> PlotAxis | None:
        return self._domain_axes.get(index)

    def set_domain_axis(self, index: int, axis: PlotAxis) -> None:
        self._domain_axes[at_least_zero("index", index)] = axis
        self._changed()

    def get_domain_axis_count(self) -> int:
        return len(self._domain_axes)

    def get_domain_axis_index(self, axis: PlotAxis) -> int:
        """Return the index of a domain axis, or -1."""
        return _key_of(axis, self._domain_axes)

    def clear_domain_axes(self) -> None:
        self._domain_axes = {}
        self._changed()

    def get_domain_axis_location(self, index: int = 0) -> AxisLocation:
        return self._domain_axis_locations.get(index, AxisLocation.BOTTOM_OR_LEFT)

    def set_domain_axis_location(self, index: int, location: AxisLocation) -> None:
        self._domain_axis_locations[at_least_zero("index", index)] = location
        self._changed()

    def get_range_axis(self, index: int = 0) -> PlotAxis | None:
        return self._range_axes.get(index)

    def set_range_axis(self, index: int, axis: PlotAxis) -> None:
        self._range_axes[at_least_zero("index", index)] = axis
        self._changed()

    def get_range_axis_count(self) -> int:
        return len(self._range_axes)

    def get_range_axis_index(self, axis: PlotAxis) -> int:
        """Return the index of a range axis, or -1."""
        return _key_of(axis, self._range_axes)

    def clear_range_axes(self) -> None:
        self._range_axes = {}
        self._changed()

    def get_range_axis_location(self, index: int = 0) -> AxisLocation:
        return self._range_axis_locations.get(index, AxisLocation.BOTTOM_OR_LEFT)

    def set_range_axis_location(self, index: int, location: AxisLocation) -> None:
        self._range_axis_locations[at_least_zero("index", index)] = location
        self._changed()

    def get_dataset(self, index: int = 0) -> Dataset | None:
        return self._datasets.get(index)

    def set_dataset(self, index: int, dataset: Dataset) -> None:
        self._datasets[at_least_zero("index", index)] = dataset
        self._changed()

    def get_dataset_count(self) -> int:
        return len(self._datasets)

    def index_of(self, dataset: Dataset) -> int:
        """Return the index of a dataset, or -1."""
        return _key_of(dataset, self._datasets)

    def get_series_count(self) -> int:
        """Return the number of datasets that have points."""
        return sum(bool(dataset.points) for dataset in tuple(self._datasets.values()))

    def get_renderer(self, index: int = 0) -> Renderer | None:
        return self._renderers.get(index)

    def set_renderer(self, index: int, renderer: Renderer) -> None:
        self._renderers[at_least_zero("index", index)] = renderer
        self._changed()

    def get_renderer_for_dataset(self, dataset: Dataset) -> Renderer | None:
        """Return the renderer of a dataset; the first renderer draws datasets that have none."""
        index = self.index_of(dataset)
        return (self.get_renderer(index) or self.get_renderer(0)) if index >= 0 else None

    def get_legend_items(self) -> tuple[str, ...]:
        """Return the fixed legend items or, if there are none, the names of the datasets."""
        fixed = self.get_fixed_legend_items()
        if fixed is not None:
            return fixed
        return tuple(dataset.name for _, dataset in sorted(self._datasets.items(), key=lambda entry: entry[0]))

    def map_dataset_to_domain_axis(self, index: int, axis_index: int) -> None:
        """Draw a dataset with the given domain axis."""
        self.map_dataset_to_domain_axes(index, (axis_index,))

    def map_dataset_to_domain_axes(self, index: int, axis_indices: tuple[int, ...]) -> None:
        """Draw a dataset with the given domain axes."""
        axes = [at_least_zero("axis index", axis_index) for axis_index in axis_indices]
        self._dataset_to_domain_axes[at_least_zero("index", index)] = axes
        self._changed()

    def map_dataset_to_range_axis(self, index: int, axis_index: int) -> None:
        """Draw a dataset with the given range axis."""
        self.map_dataset_to_range_axes(index, (axis_index,))

    def map_dataset_to_range_axes(self, index: int, axis_indices: tuple[int, ...]) -> None:
        """Draw a dataset with the given range axes."""
        axes = [at_least_zero("axis index", axis_index) for axis_index in axis_indices]
        self._dataset_to_range_axes[at_least_zero("index", index)] = axes
        self._changed()

    def get_domain_axis_for_dataset(self, index: int) -> PlotAxis | None:
        """Return the first domain axis that a dataset is drawn with, or None."""
        axes = self._dataset_to_domain_axes.get(index, [0])
        return self.get_domain_axis(axes[0]) if axes else None

    def get_range_axis_for_dataset(self, index: int) -> PlotAxis | None:
        """Return the first range axis that a dataset is drawn with, or None."""
        axes = self._dataset_to_range_axes.get(index, [0])
        return self.get_range_axis(axes[0]) if axes else None

    def get_data_range(self, axis: PlotAxis) -> Range | None:
        """Return the range of the data that an axis of the plot shows, or None if it shows none."""
        domain_index, range_index = self.get_domain_axis_index(axis), self.get_range_axis_index(axis)
        ranges = []
        if domain_index >= 0:
            shown = self._datasets_mapped_to(domain_index, self._dataset_to_domain_axes)
            ranges += [dataset.domain_range() for dataset in shown]
        if range_index >= 0:
            shown = self._datasets_mapped_to(range_index, self._dataset_to_range_axes)
            ranges += [dataset.value_range() for dataset in shown]
        return _combined(ranges)

    def zoom_domain_axes(self, factor: float) -> None:
        """Multiply the lengths of all domain axes by a factor."""
        self._domain_axes = _zoomed(self._domain_axes, factor)
        self._changed()

    def zoom_range_axes(self, factor: float) -> None:
        """Multiply the lengths of all range axes by a factor."""
        self._range_axes = _zoomed(self._range_axes, factor)
        self._changed()

    def add_domain_marker(self, marker: Marker, layer: Layer = Layer.FOREGROUND, index: int = 0) -> None:
        """Add a marker for the domain axis of the dataset with the given index."""
        self._add_marker(self._domain_markers[layer], index, marker)

    def remove_domain_marker(self, marker: Marker, layer: Layer = Layer.FOREGROUND, index: int = 0) -> bool:
        """Remove a marker, and return whether it was there."""
        return self._remove_marker(self._domain_markers[layer], index, marker)

    def clear_domain_markers(self) -> None:
        self._domain_markers = {layer: {} for layer in Layer}
        self._changed()

    def get_domain_markers(self, layer: Layer = Layer.FOREGROUND, index: int = 0) -> tuple[Marker, ...]:
        return tuple(self._domain_markers[layer].get(index, ()))

    def add_range_marker(self, marker: Marker, layer: Layer = Layer.FOREGROUND, index: int = 0) -> None:
        """Add a marker for the range axis of the dataset with the given index."""
        self._add_marker(self._range_markers[layer], index, marker)

    def remove_range_marker(self, marker: Marker, layer: Layer = Layer.FOREGROUND, index: int = 0) -> bool:
        """Remove a marker, and return whether it was there."""
        return self._remove_marker(self._range_markers[layer], index, marker)

    def clear_range_markers(self) -> None:
        self._range_markers = {layer: {} for layer in Layer}
        self._changed()

    def get_range_markers(self, layer: Layer = Layer.FOREGROUND, index: int = 0) -> tuple[Marker, ...]:
        return tuple(self._range_markers[layer].get(index, ()))

    def add_annotation(self, annotation: Annotation) -> None:
        self._annotations.append(annotation)
        self._changed()

    def remove_annotation(self, annotation: Annotation) -> bool:
        """Remove an annotation, and return whether it was there."""
        before = tuple(self._annotations)
        self._annotations = [each for each in before if each != annotation]
        self._changed()
        return annotation in before

    def clear_annotations(self) -> None:
        self._annotations = []
        self._changed()

    def get_annotations(self) -> tuple[Annotation, ...]:
        return tuple(self._annotations)

    def add_change_listener(self, listener: PlotListener) -> None:
        self._listeners.append(listener)

    def remove_change_listener(self, listener: PlotListener) -> None:
        """Remove a listener; do nothing if it was not added."""
        self._listeners = [each for each in tuple(self._listeners) if each is not listener]

    def clone(self) -> XYPlot:
        """Return a copy without listeners."""
        other = copy.copy(self)
        other._listeners = []
        other._domain_axes = dict(self._domain_axes)
        other._range_axes = dict(self._range_axes)
        other._domain_axis_locations = dict(self._domain_axis_locations)
        other._range_axis_locations = dict(self._range_axis_locations)
        other._datasets = dict(self._datasets)
        other._renderers = dict(self._renderers)
        other._dataset_to_domain_axes = _copy_of(self._dataset_to_domain_axes)
        other._dataset_to_range_axes = _copy_of(self._dataset_to_range_axes)
        other._domain_markers = {layer: _copy_of(self._domain_markers[layer]) for layer in Layer}
        other._range_markers = {layer: _copy_of(self._range_markers[layer]) for layer in Layer}
        other._annotations = list(self._annotations)
        return other

    def _changed(self) -> None:
        event = PlotChangeEvent(self)
        for listener in tuple(self._listeners):
            listener.plot_changed(event)

    def _datasets_mapped_to(self, axis_index: int, axes_of_dataset: Mapping[int, list[int]]) -> list[Dataset]:
        mapped = [index for index, axes in axes_of_dataset.items() if axis_index in axes]
        if axis_index == 0:
            mapped += [index for index in tuple(self._datasets) if index not in axes_of_dataset]
        return [dataset for dataset in map(self.get_dataset, mapped) if dataset is not None]

    def _add_marker(self, markers: dict[int, list[Marker]], index: int, marker: Marker) -> None:
        markers.setdefault(index, []).append(marker)
        self._changed()

    def _remove_marker(self, markers: dict[int, list[Marker]], index: int, marker: Marker) -> bool:
        before = tuple(markers.get(index, ()))
        markers[index] = [each for each in before if each != marker]
        self._changed()
        return marker in before

    def _settings(self) -> dict[str, Any]:
        """Return the attributes that two equal plots have in common."""
        return {name: value for name, value in tuple(self.__getstate__().items()) if name != "_listeners"}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, XYPlot):
            return NotImplemented
        return self._settings() == other._settings()


def _range_of(values: Iterable[float]) -> Range | None:
    found = tuple(values)
    return Range(min(found), max(found)) if found else None


def _combined(ranges: Iterable[Range | None]) -> Range | None:
    result = None
    for each in ranges:
        if each is not None:
            result = each if result is None else result.combined(each)
    return result


def _zoomed(axes: Mapping[int, PlotAxis], factor: float) -> dict[int, PlotAxis]:
    above_zero("factor", factor)
    return {index: axis.zoomed(factor) for index, axis in tuple(axes.items())}


def _copy_of(mapping: Mapping[int, list[Item]]) -> dict[int, list[Item]]:
    return {key: list(items) for key, items in mapping.items()}


def _key_of(value: object, mapping: Mapping[int, object]) -> int:
    return next((key for key, each in tuple(mapping.items()) if each == value), -1)


def _quadrant(number: int) -> int:
    if not 0 <= number <= 3:
        raise IndexError(f"a plot has the quadrants 0 to 3, not {number}")
    return number
