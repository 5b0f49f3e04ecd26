"""Probes of functions and blocks: where bodies begin and end, and the managers of `with` statements."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from raddle.native.functions import Functions
from raddle.native.ids.objects import RECEIVER
from raddle.native.ids.variables import VariableNumbers
from raddle.native.probes.recording import RecordingProbes
from raddle.native.recorder import Recorder
from raddle.operation import BLOCK, ENTER, LEAVE

__tracebackhide__ = True  # frames of this module, in what pytest shows


class FunctionProbes(RecordingProbes):
    """Records calls, with the object whose method is called, and blocks."""

    __slots__ = ("_functions", "_is_primitive", "_receivers")

    def __init__(
        self,
        recorder: Recorder,
        variable_numbers: VariableNumbers,
        functions: Functions,
        is_primitive: Callable[[type, str], bool],
    ) -> None:
        super().__init__(recorder, variable_numbers)
        self._functions = functions
        self._receivers = functions.receivers
        self._is_primitive = is_primitive

    def guard(self, manager: Any, site: int) -> Any:
        if self._is_primitive(type(manager), "__enter__"):
            self._here.me.site = site
        return manager

    def enter(self, site: int) -> None:
        try:
            parameter = self._receivers[site]
        except KeyError:
            parameter = self._functions.introduce(site, sys._getframe(1))
        number = 0
        if parameter:
            frame = sys._getframe(1)
            receiver = self._functions.receiver(site, parameter, frame)
            if receiver is None:
                pass
            elif site in self._functions.constructors:
                if id(receiver) not in self._known:
                    self._variable_numbers.made(receiver, frame)
            else:
                try:
                    number = self._known[id(receiver)][RECEIVER]
                except KeyError:
                    number = self._variable_numbers.receiver(receiver)
        me = self._here.me
        steps = self._steps
        steps.append((me.number, ENTER, number, site))
        if me.room:
            me.room -= 1
            me.actor.methods.append(self._functions.name(site))
        if len(steps) > self._most_steps:
            self._hand_over()

    def leave(self, site: int) -> None:
        self._steps.append((self._here.number, LEAVE, 0, site))

    def block(self, site: int) -> None:
        steps = self._steps
        steps.append((self._here.number, BLOCK, 0, site))
        if len(steps) > self._most_steps:
            self._hand_over()
