"""Events, listeners and errors of data series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class SeriesError(ValueError):
    """An operation that a series does not permit, for example adding a second item for the same place."""


@dataclass(frozen=True, slots=True)
class SeriesChangeEvent:
    """Says which series has changed."""

    name: str


class SeriesListener(Protocol):
    """An object that is notified when the items of a series change."""

    def series_changed(self, event: SeriesChangeEvent) -> None: ...


class PropertyListener(Protocol):
    """An object that is notified when the name or the description of a series changes."""

    def property_changed(self, name: str, old: object, new: object) -> None: ...


class SeriesRecorder:
    """A listener that records its notifications."""

    def __init__(self) -> None:
        self.events: list[SeriesChangeEvent] = []
        self.properties: list[tuple[str, object, object]] = []

    def series_changed(self, event: SeriesChangeEvent) -> None:
        self.events.append(event)

    def property_changed(self, name: str, old: object, new: object) -> None:
        self.properties.append((name, old, new))
