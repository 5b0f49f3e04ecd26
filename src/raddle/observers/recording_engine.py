"""The engine for recorded executions."""

from __future__ import annotations

from raddle.engine.carrier import Carrier
from raddle.engine.engine import Engine
from raddle.observers.recorded_points import RecordedPoints


class RecordingEngine(Engine):
    """Notifies the observers of every operation that a participant reaches, whether or not it is a scheduling point."""

    points: RecordedPoints
    _parks = False  # True if the participant that called `reach` last was parked or had ended

    def reach(self, me: Carrier | None) -> None:
        self._parks = me is None or me.parked
        if me is None or me.parked:
            super().reach(me)
            return
        if self.aborting:
            self._over_limit(me)
            return
        observers = self.observers
        point = self.points.is_point(me, self)
        observers.notify(observers.arrived, me, point=point, blocked=me.ready is not None and not me.ready())
        if point:
            super().reach(me)
            self.points.passed(me, self)
        observers.notify(observers.passed, me, point=point)

    def _preempt(self, me: Carrier | None) -> None:
        if not self._parks:  # a parked participant may be enabled now, but was not enabled when it was switched out
            super()._preempt(me)
