"""The options of test generation."""

from __future__ import annotations

from dataclasses import dataclass, field

from raddle.errors import UsageError
from raddle.generation.factory import Factory
from raddle.generation.learned_values import LearnedValues
from raddle.linearizability.judgment import Oracle

METHODS = (
    "portfolio", "maptest", "maptest-random", "covcon", "covcon*", "contege", "contege*", "autocontest", "random",
)  # fmt: skip
DEFAULT_SECONDS = 60.0
DEFAULT_ORACLES = frozenset({Oracle.EXCEPTIONS, Oracle.HANGS, Oracle.RESULTS, Oracle.STATE, Oracle.INVARIANTS})


@dataclass(frozen=True, slots=True)
class GenerationOptions:
    """How tests of a class are searched for."""

    method: str = "portfolio"  # one of `METHODS`
    seconds: float = DEFAULT_SECONDS  # time limit for the search and for writing tests
    seed: int = 1
    methods: tuple[str, ...] = ()  # patterns of the methods to call; all if empty
    exclude: tuple[str, ...] = ()  # patterns of methods not to call
    oracles: frozenset[Oracle] = DEFAULT_ORACLES
    private: bool = False  # whether private attributes count as state
    max_tests: int | None = None  # limit on the number of tests, for experiments
    factory: Factory = field(default_factory=Factory)
    learned: LearnedValues = field(default_factory=LearnedValues)

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise UsageError("bad-method", f"method must be one of {', '.join(METHODS)}, not {self.method!r}")
        if not self.seconds > 0:
            raise UsageError("bad-budget", f"seconds must be more than 0, not {self.seconds}")
