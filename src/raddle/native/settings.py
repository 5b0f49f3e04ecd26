"""What a run was asked for, in a form that the processes that the program starts can be told."""

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

    program: str = ""  # with its arguments, for people
    sources: tuple[str, ...] = ()
    root: str = "."
    named_from: str = ""  # the folder that files are named from
    noise: tuple[str, ...] = ()
    seed: int = 1
    criteria: tuple[str, ...] = ()
    thread_methods: int = METHODS  # that tell threads apart
    pinv_occurrences: int = PINV_OCCURRENCES
    data_file: str | None = None
    family: str = ""  # the folder that its processes share
    first: int = 0  # the process that was started first

    def as_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Settings:
        fields: dict[str, Any] = json.loads(text)
        for name, value in fields.items():
            fields[name] = tuple(value) if isinstance(value, list) else value
        return cls(**fields)

    def make_watch(self) -> Watch:
        """Return a watch that does what was asked for."""
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
        """Return what measures the criteria and stores the result."""
        if not self.criteria:
            return NullSink()
        from raddle.native.measuring_sink import MeasuringSink  # criteria are slow to import
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
