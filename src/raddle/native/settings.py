"""The settings of a native run, which child processes read as JSON from an environment variable."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from raddle.criterion_settings import PINV_OCCURRENCES, CriterionSettings
from raddle.entities import METHODS
from raddle.instrument import Selection
from raddle.native.ids.names import VariableNames
from raddle.native.noise import Noise
from raddle.native.stream import NullSink, Sink
from raddle.native.watch import Watch
from raddle.origin import Command, Origin


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of `raddle run`; paths are absolute.

    >>> Settings.from_json(Settings(root="/home/me/shop").as_json()).root
    '/home/me/shop'
    """

    program: str = ""  # the program as shown in reports
    sources: tuple[str, ...] = ()  # modules, files and folders to instrument; empty for the whole project
    root: str = "."  # the folder of the project
    named_from: str = ""  # the folder to which file names in reports are relative
    noise: tuple[str, ...] = ()
    seed: int = 1
    criteria: tuple[str, ...] = ()
    thread_methods: int = METHODS  # number of a thread's first methods that distinguish it from other threads
    pinv_occurrences: int = PINV_OCCURRENCES
    data_file: str | None = None
    family: str = ""  # the folder that the processes of the run share
    first: int = 0  # id of the process that started the run

    def as_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Settings:
        fields: dict[str, Any] = json.loads(text)
        for name, value in fields.items():
            fields[name] = tuple(value) if isinstance(value, list) else value
        return cls(**fields)

    def make_watch(self) -> Watch:
        """Create a watch with these settings."""
        return Watch(
            Selection(sources=self.sources, root=self.root),
            self._make_sink,
            noises=[Noise.parse(text) for text in self.noise],
            seed=self.seed,
            blocks="blocks" in self.criteria,
            methods=self.thread_methods,
            root=self.named_from,
        )

    def _make_sink(self, names: VariableNames) -> Sink:
        """Create the sink that measures coverage and stores the result."""
        if not self.criteria:
            return NullSink()
        from raddle.native.measuring_sink import MeasuringSink  # imported late: criteria are slow to import
        from raddle.native.process_group import ProcessGroup

        family = ProcessGroup(self.family, self.first)
        return MeasuringSink(
            names,
            criteria=self.criteria,
            data_file=self.data_file,
            origin=str(Origin(Command.RUN, self.program)),
            family=family,
            settings=CriterionSettings(pinv_occurrences=self.pinv_occurrences),
        )
