"""The options of a run, as the user has given them, and the command that repeats the run for one class."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from raddle.errors import UsageError
from raddle.generation.exporting import DEFAULT_FOLDER, TestFolder, checked_folder, shown_path
from raddle.generation.expressions import Imported
from raddle.generation.factory import Factory
from raddle.generation.generation_options import DEFAULT_SECONDS, GenerationOptions
from raddle.generation.oracle_names import ORACLES, PRIVATE, names_in, oracles_of
from raddle.generation.pytest_paths import import_root
from raddle.inspection import module_of, qualname_of
from raddle.site import INSTALLED


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of `raddle.generate`, which describes them."""

    method: str = "portfolio"
    seconds: float | None = None
    seed: int = 1
    out: str | os.PathLike[str] | None = None
    methods: Sequence[str] = ()
    exclude: Sequence[str] = ()
    oracle: str | Sequence[str] = ORACLES
    learn: str | None = None
    factory: str | None = None
    workers: int | None = None
    keep_coverage_tests: bool = False
    max_tests: int | None = None

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise UsageError("bad-workers", f"workers must be at least 1, not {self.workers}")

    def folder(self) -> TestFolder:
        """Return the folder for the tests."""
        path = Path(DEFAULT_FOLDER if self.out is None else checked_folder(self.out))
        return TestFolder(path, is_written=self.out is not None)

    def for_search(self, factory: Factory) -> GenerationOptions:
        """Return the options of the search for bugs."""
        default = DEFAULT_SECONDS if self.max_tests is None else float("inf")
        return GenerationOptions(
            self.method,
            default if self.seconds is None else self.seconds,
            self.seed,
            tuple(self.methods),
            tuple(self.exclude),
            oracles_of(names_in(self.oracle)),
            private=PRIVATE in names_in(self.oracle),
            max_tests=self.max_tests,
            factory=factory,
        )

    def command(self, cls: type, name: Imported) -> str:
        """Return the command that generates the same tests of a class in the same folder.

        >>> import queue
        >>> options = RunOptions(seed=2, factory="factory.py", methods=["get*", "put*"], workers=1)
        >>> options.command(queue.Queue, Imported("queue", "Queue"))
        "raddle generate queue:Queue --seed 2 --methods 'get*,put*' --with factory.py"
        """
        options = [part for option in self._changed() for part in option]
        return shlex.join(["raddle", "generate", _target(cls, name), *options])

    def _changed(self) -> Iterator[tuple[str, str]]:
        """Yield the options on which the tests depend, with their values, unless they have their defaults."""
        if self.method != "portfolio":
            yield "--method", self.method
        if self.seed != 1:
            yield "--seed", str(self.seed)
        for option, patterns in (("--methods", self.methods), ("--exclude", self.exclude)):
            if patterns:
                yield option, ",".join(patterns)
        if (oracles := names_in(self.oracle)) != ORACLES:
            yield "--oracle", ",".join(oracles)
        if self.learn is not None:
            yield "--learn", self.learn
        if self.factory is not None:
            yield "--with", self.factory
        if self.out is not None and os.path.normpath(self.out) != DEFAULT_FOLDER:
            yield "--out", shown_path(Path(self.out))
        # A limit on tests replaces the default time limit, which could end the search earlier.
        if self.max_tests is not None:
            yield "--max-tests", str(self.max_tests)
        # A shorter search finds nothing that a search for the default time would not find in the same way.
        elif self.seconds is not None and self.seconds > DEFAULT_SECONDS:
            yield "--seconds", f"{self.seconds:g}"
        # Each process has its own seed, so a single one makes other tests. 1 is the default.
        if self.workers is not None and self.workers > 1:
            yield "--workers", str(self.workers)


def _target(cls: type, name: Imported) -> str:
    """Return the name of a class for a command: with its module, or with its file if it is in a folder like `src`."""
    module = sys.modules.get(module_of(cls))
    root, here = import_root(module_of(cls)), Path.cwd().resolve()
    if root is None or root == here or here not in root.parents or INSTALLED & set(root.parts):
        return f"{name.module}:{name.name}"
    file = Path(str(getattr(module, "__file__", "")))
    return f"{shown_path(file)}:{qualname_of(cls)}"
