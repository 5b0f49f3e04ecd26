"""What all probes have that record steps while a program runs natively."""

from __future__ import annotations

from raddle.native.ids.variables import VariableNumbers
from raddle.native.recorder import Recorder


class RecordingProbes:
    """Probes that append steps to the stream, and hand it over when it is long.

    Appending is written out in each probe: a call would cost as much as the step.
    """

    __slots__ = ("_entries", "_flush", "_local", "_max_steps", "_steps", "_variable_numbers")

    def __init__(self, recorder: Recorder, variable_numbers: VariableNumbers) -> None:
        self._local = recorder.local
        self._steps, self._max_steps = recorder.stream.steps, recorder.stream.max_steps
        self._flush = recorder.flush
        self._variable_numbers = variable_numbers
        self._entries = variable_numbers.entries
