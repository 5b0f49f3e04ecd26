"""The generator alone: searches for call sequences without exploring the tests that they would be assembled into."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from raddle.generation.autocontest.sequence_runner import SequenceRunner
from raddle.generation.autocontest.sequences import FIRST_LEVEL, Limits, SearchResult, search
from raddle.generation.autocontest.strategy import MAX_FAILED_ITERATIONS, ROUNDS
from raddle.generation.class_search import ClassSearch
from raddle.generation.generation_options import GenerationOptions
from raddle_lab.autocontest.cell import Pruning

UNLIMITED = 10**12


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration of the generator."""

    seconds: float  # how long it took
    at: float  # when it ended, in seconds since the first one began
    result: SearchResult

    @property
    def is_finished(self) -> bool:
        """Whether no limit on the time or on the number of sequences or events ended the search."""
        return self.result.ending.is_complete


@dataclass(slots=True)
class Generated:
    """The iterations of one run."""

    iterations: list[Iteration] = field(default_factory=list)

    @property
    def returned(self) -> list[Iteration]:
        """The iterations that found a sequence."""
        return [one for one in self.iterations if one.result.calls]


class GeneratingSearch(ClassSearch):
    """Runs iterations of the generator until the time is up or consecutive iterations find nothing.

    With `first_only`, only the first iteration runs, without limits other than time, so that all rules are compared
    under the same conditions. Otherwise, the iterations have the limits that AutoConTest uses.
    """

    def __init__(self, cls: type, options: GenerationOptions, *, pruning: Pruning, first_only: bool) -> None:
        super().__init__(cls, options)
        self._pruning = pruning
        self._first_only = first_only
        self._limits = Limits(nodes=UNLIMITED, events=UNLIMITED) if first_only else Limits()
        self.generated = Generated()
        self.saturated = False

    def _search(self) -> None:
        builder = self._builder
        prefix = builder.prefix(max_calls=0)
        if prefix is None:
            return
        runner = SequenceRunner(
            builder.workbench,
            prefix.calls,
            reset=builder.reset,
            folder=builder.folder,
            rounds=ROUNDS,
            global_ids=builder.global_ids,
        )
        iterations, level, failed = self.generated.iterations, FIRST_LEVEL, 0
        covered: frozenset[Any] = frozenset()
        start = self.seconds
        while not self._is_over and not (self._first_only and iterations):
            began = self.seconds
            limits = replace(self._limits, seconds=self._options.seconds - began)
            edges = builder.edges(prefix)
            result = search(runner, edges, covered, rules=self._pruning.rules, limits=limits, level=level)
            if result is None:
                return
            iterations.append(Iteration(self.seconds - began, self.seconds - start, result))
            covered, level = covered | result.gained, result.level
            failed = 0 if result.calls or runner.show_more_rounds() else failed + 1
            if failed == MAX_FAILED_ITERATIONS:
                self.saturated = True
                return
