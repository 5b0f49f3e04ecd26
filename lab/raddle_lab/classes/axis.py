"""Base class of chart axes: appearance and change listeners."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, Protocol

from raddle_lab.classes.validation import at_least_zero
from raddle_lab.classes.value_range import Range


@dataclass(frozen=True, slots=True)
class AxisChangeEvent:
    """Says which axis has changed."""

    axis: Axis = field(compare=False)


class AxisListener(Protocol):
    """An object that is notified when an axis changes."""

    def axis_changed(self, event: AxisChangeEvent) -> None: ...


class AxisPlot(Protocol):
    """A plot that knows the range of the data that an axis has to show."""

    def get_data_range(self, axis: Axis) -> Range | None: ...


class AxisRecorder:
    """A listener that keeps the events that it receives."""

    def __init__(self) -> None:
        self.events: list[AxisChangeEvent] = []

    def axis_changed(self, event: AxisChangeEvent) -> None:
        self.events.append(event)


class FixedPlot:
    """A plot whose data never change."""

    def __init__(self, lower: float, upper: float) -> None:
        self._range = Range(lower, upper)

    def get_data_range(self, _axis: Axis) -> Range | None:
        return self._range


class Axis:
    """The appearance of an axis, and the listeners that are notified of its changes."""

    def __init__(self, label: str | None = None) -> None:
        self._label = label
        self._label_font = "sans 12"
        self._label_paint = "black"
        self._label_insets = 3.0
        self._label_angle = 0.0
        self._visible = True
        self._axis_line_visible = True
        self._axis_line_paint = "gray"
        self._axis_line_stroke = 1.0
        self._tick_labels_visible = True
        self._tick_label_font = "sans 10"
        self._tick_label_paint = "black"
        self._tick_label_insets = 2.0
        self._tick_marks_visible = True
        self._tick_mark_inside_length = 0.0
        self._tick_mark_outside_length = 2.0
        self._tick_mark_stroke = 1.0
        self._tick_mark_paint = "gray"
        self._fixed_dimension = 0.0
        self._plot: AxisPlot | None = None
        self._listeners: list[AxisListener] = []

    def get_label(self) -> str | None:
        return self._label

    def set_label(self, label: str | None) -> None:
        self._label = label
        self._changed()

    def get_label_font(self) -> str:
        return self._label_font

    def set_label_font(self, font: str) -> None:
        self._label_font = font
        self._changed()

    def get_label_paint(self) -> str:
        return self._label_paint

    def set_label_paint(self, paint: str) -> None:
        self._label_paint = paint
        self._changed()

    def get_label_insets(self) -> float:
        return self._label_insets

    def set_label_insets(self, insets: float) -> None:
        self._label_insets = at_least_zero("label insets", insets)
        self._changed()

    def get_label_angle(self) -> float:
        return self._label_angle

    def set_label_angle(self, angle: float) -> None:
        self._label_angle = angle
        self._changed()

    def is_visible(self) -> bool:
        return self._visible

    def set_visible(self, flag: bool) -> None:
        self._visible = flag
        self._changed()

    def is_axis_line_visible(self) -> bool:
        return self._axis_line_visible

    def set_axis_line_visible(self, flag: bool) -> None:
        self._axis_line_visible = flag
        self._changed()

    def get_axis_line_paint(self) -> str:
        return self._axis_line_paint

    def set_axis_line_paint(self, paint: str) -> None:
        self._axis_line_paint = paint
        self._changed()

    def get_axis_line_stroke(self) -> float:
        return self._axis_line_stroke

    def set_axis_line_stroke(self, stroke: float) -> None:
        self._axis_line_stroke = at_least_zero("axis line stroke", stroke)
        self._changed()

    def is_tick_labels_visible(self) -> bool:
        return self._tick_labels_visible

    def set_tick_labels_visible(self, flag: bool) -> None:
        self._tick_labels_visible = flag
        self._changed()

    def get_tick_label_font(self) -> str:
        return self._tick_label_font

    def set_tick_label_font(self, font: str) -> None:
        self._tick_label_font = font
        self._changed()

    def get_tick_label_paint(self) -> str:
        return self._tick_label_paint

    def set_tick_label_paint(self, paint: str) -> None:
        self._tick_label_paint = paint
        self._changed()

    def get_tick_label_insets(self) -> float:
        return self._tick_label_insets

    def set_tick_label_insets(self, insets: float) -> None:
        self._tick_label_insets = at_least_zero("tick label insets", insets)
        self._changed()

    def is_tick_marks_visible(self) -> bool:
        return self._tick_marks_visible

    def set_tick_marks_visible(self, flag: bool) -> None:
        self._tick_marks_visible = flag
        self._changed()

    def get_tick_mark_inside_length(self) -> float:
        return self._tick_mark_inside_length

    def set_tick_mark_inside_length(self, length: float) -> None:
        self._tick_mark_inside_length = at_least_zero("tick mark inside length", length)
        self._changed()

    def get_tick_mark_outside_length(self) -> float:
        return self._tick_mark_outside_length

    def set_tick_mark_outside_length(self, length: float) -> None:
        self._tick_mark_outside_length = at_least_zero("tick mark outside length", length)
        self._changed()

    def get_tick_mark_stroke(self) -> float:
        return self._tick_mark_stroke

    def set_tick_mark_stroke(self, stroke: float) -> None:
        self._tick_mark_stroke = at_least_zero("tick mark stroke", stroke)
        self._changed()

    def get_tick_mark_paint(self) -> str:
        return self._tick_mark_paint

    def set_tick_mark_paint(self, paint: str) -> None:
        self._tick_mark_paint = paint
        self._changed()

    def get_fixed_dimension(self) -> float:
        return self._fixed_dimension

    def set_fixed_dimension(self, dimension: float) -> None:
        self._fixed_dimension = at_least_zero("fixed dimension", dimension)
        self._changed()

    def get_plot(self) -> AxisPlot | None:
        return self._plot

    def set_plot(self, plot: AxisPlot | None) -> None:
        """Assign the axis to a plot, and adjust the axis to the plot's data."""
        self._plot = plot
        self.configure()

    def configure(self) -> None:
        """Adjust the axis to the data of its plot; axes without a range have nothing to adjust."""

    def add_change_listener(self, listener: AxisListener) -> None:
        self._listeners.append(listener)

    def remove_change_listener(self, listener: AxisListener) -> None:
        """Remove a listener; do nothing if it was not added."""
        self._listeners = [each for each in tuple(self._listeners) if each is not listener]

    def has_listener(self, listener: AxisListener) -> bool:
        return any(each is listener for each in tuple(self._listeners))

    def clone(self) -> Axis:
        """Return a copy without listeners."""
        other = copy.copy(self)
        other._listeners = []
        return other

    def _changed(self) -> None:
        event = AxisChangeEvent(self)
        for listener in tuple(self._listeners):
            listener.axis_changed(event)

    def _settings(self) -> dict[str, Any]:
        """Return the attributes that two equal axes have in common."""
        left_out = ("_listeners", "_plot")
        return {name: value for name, value in tuple(self.__getstate__().items()) if name not in left_out}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Axis):
            return NotImplemented
        return self._settings() == other._settings()
