"""What all probes have that record steps while a program runs natively."""

from __future__ import annotations

from raddle.native.ids.variables import VariableNumbers
from raddle.native.recorder import Recorder


class RecordingProbes:
    """Probes that append steps to the stream, and hand it over when it is long.

    Appending is written out in each probe: a call would cost as much as the step.
    """

    __slots__ = ("_hand_over", "_here", "_known", "_most_steps", "_steps", "_variable_numbers")

    def __init__(self, recorder: Recorder, variable_numbers: VariableNumbers) -> None:
        self._here = recorder.here
        self._steps, self._most_steps = recorder.stream.steps, recorder.stream.most_steps
        self._hand_over = recorder.hand_over
        self._variable_numbers = variable_numbers
        self._known = variable_numbers.known
