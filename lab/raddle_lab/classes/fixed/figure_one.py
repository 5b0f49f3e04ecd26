"""The example class of the paper on AutoConTest, with a lock in every method."""

from __future__ import annotations

from raddle_lab.classes import figure_one


class FigureOne(figure_one.FigureOne):
    """Three numbers that threads may change at the same time."""

    def m3(self, amount: int) -> None:
        with self._lock:
            super().m3(amount)

    def m5(self) -> None:
        with self._lock:
            super().m5()
