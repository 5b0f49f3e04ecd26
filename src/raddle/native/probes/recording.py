"""The base class of the probes of native runs."""

from __future__ import annotations

from raddle.native.ids.variables import VariableNumbers
from raddle.native.recorder import Recorder


class RecordingProbes:
    """Probes that append steps to the stream and flush it when it becomes too long.

    Each probe appends steps inline, because a function call would double the cost of a step.
    """

    __slots__ = ("_entries", "_flush", "_local", "_max_steps", "_steps", "_variable_numbers")

    def __init__(self, recorder: Recorder, variable_numbers: VariableNumbers) -> None:
        self._local = recorder.local
        self._steps, self._max_steps = recorder.stream.steps, recorder.stream.max_steps
        self._flush = recorder.flush
        self._variable_numbers = variable_numbers
        self._entries = variable_numbers.entries
