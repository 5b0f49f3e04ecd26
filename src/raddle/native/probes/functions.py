"""Probes for entering and leaving functions, for blocks, and for context managers of `with` statements."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from raddle.native.function_table import FunctionTable
from raddle.native.ids.objects import RECEIVER
from raddle.native.ids.variables import VariableNumbers
from raddle.native.probes.recording import RecordingProbes
from raddle.native.recorder import Recorder
from raddle.operation import BLOCK, ENTER, LEAVE

__tracebackhide__ = True  # hide the frames of this module in pytest's tracebacks


class FunctionProbes(RecordingProbes):
    """Records function calls with their receivers, and the blocks that run."""

    __slots__ = ("_functions", "_is_primitive", "_receivers")

    def __init__(
        self,
        recorder: Recorder,
        variable_numbers: VariableNumbers,
        functions: FunctionTable,
        is_primitive: Callable[[type, str], bool],
    ) -> None:
        super().__init__(recorder, variable_numbers)
        self._functions = functions
        self._receivers = functions.receivers
        self._is_primitive = is_primitive

    def guard(self, manager: Any, site: int) -> Any:
        if self._is_primitive(type(manager), "__enter__"):
            self._local.thread.call_site = site
        return manager

    def enter(self, site: int) -> None:
        try:
            parameter = self._receivers[site]
        except KeyError:
            parameter = self._functions.add(site, sys._getframe(1))
        number = 0
        if parameter:
            frame = sys._getframe(1)
            receiver = self._functions.receiver(site, parameter, frame)
            if receiver is None:
                pass
            elif site in self._functions.constructors:
                if id(receiver) not in self._entries:
                    self._variable_numbers.note_constructed(receiver, frame)
            else:
                try:
                    number = self._entries[id(receiver)][RECEIVER]
                except KeyError:
                    number = self._variable_numbers.receiver(receiver)
        thread = self._local.thread
        steps = self._steps
        steps.append((thread.number, ENTER, number, site))
        if thread.methods_left:
            thread.methods_left -= 1
            thread.actor.methods.append(self._functions.name(site))
        if len(steps) > self._max_steps:
            self._flush()

    def leave(self, site: int) -> None:
        self._steps.append((self._local.number, LEAVE, 0, site))

    def block(self, site: int) -> None:
        steps = self._steps
        steps.append((self._local.number, BLOCK, 0, site))
        if len(steps) > self._max_steps:
            self._flush()
