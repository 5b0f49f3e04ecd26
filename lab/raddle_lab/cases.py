"""The test cases of Křena's experiment, and counts of the objects and threads in their executions (Table 2)."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from raddle.cli.target import load_scenario
from raddle.entities import Entities
from raddle_lab.published import Abstraction

COUNTED_EXECUTIONS = 10  # number of executions in which objects and threads are counted, as in the paper
FEW, MANY = 10, 20  # maximum numbers of methods in an abstract thread; abstract threads are counted for each maximum


@dataclass(frozen=True, slots=True)
class Case:
    """A program whose executions are measured."""

    name: str
    title: str  # title shown in tables
    target: str  # scenario as named on the command line, or a script with its arguments
    source: tuple[str, ...] = ()  # modules to instrument; if empty, the project that contains the scenario
    share: float = 1.0  # fraction of the requested executions; large programs get fewer, as in the paper

    @property
    def is_script(self) -> bool:
        """Whether the target is run as a script instead of being called."""
        return "::" not in self.target

    @property
    def scenario(self) -> Callable[[], object]:
        """The function that runs the program once."""
        return load_scenario(self.target)

    @property
    def module(self) -> ModuleType:
        """The module that contains the scenario."""
        return sys.modules[self.scenario.__module__]

    def classes(self) -> int:
        """Return the number of classes in the module, or 0 for a script, whose classes are unknown."""
        if self.is_script:
            return 0
        tree = ast.parse(inspect.getsource(self.module))
        return sum(isinstance(node, ast.ClassDef) for node in ast.walk(tree))


def _published(name: str, title: str, *, share: float = 1.0) -> Case:
    """Return one of the paper's test cases."""
    module = f"raddle_lab.programs.{name}"
    return Case(name, title, f"{module}::scenario", (module,), share)


CASES = {
    case.name: case
    for case in (
        _published("philosophers", "Dining phil."),
        _published("airlines", "Airlines"),
        _published("crawler", "Crawler"),
        _published("ftp", "FtpServer"),
        _published("broker", "Request broker", share=0.125),
    )
}


class Population:
    """Counts the objects and threads of the first executions, and their distinct types and abstractions.

    Each object counts once, under its own class, even if base classes set its attributes. Iterators and generators are
    not counted, because they only implement loops.

    >>> from raddle.entities import AbstractObject, make_entities
    >>> population = Population()
    >>> for _ in range(2):
    ...     population.add(make_entities(resources=[AbstractObject("Lock", "a.py:1")], actors=["main", "w"]))
    >>> population.objects_real, len(population.objects), population.threads_real, len(population.threads[10])
    (2, 1, 4, 2)
    """

    def __init__(self) -> None:
        self.executions = 0
        self.objects_real = 0
        self.objects: set[tuple[str, str]] = set()
        self.threads_real = 0
        # Maps a maximum number of methods to the abstract threads, each truncated to that many methods.
        self.threads: dict[int, set[tuple[str, ...]]] = {0: set(), FEW: set(), MANY: set()}

    def add(self, entities: Entities) -> None:
        """Add the entities of an execution. Only the first ten executions are counted."""
        if self.executions >= COUNTED_EXECUTIONS:
            return
        self.executions += 1
        objects = set(entities.groups) - entities.iterators
        self.objects_real += len(objects) + len(entities.resources)
        self.objects |= {
            (variable.type or variable.owner, variable.created)
            for variable, group in zip(entities.variables, entities.groups, strict=True)
            if group in objects
        }
        self.objects |= {(resource.type, resource.created) for resource in entities.resources}
        *_, threads = entities.abstract()
        assert isinstance(threads, tuple)
        self.threads_real += len(threads)
        for most, known in self.threads.items():
            known |= {thread[: most + 1] for thread in threads}

    def row(self, *, classes: int, error_ratio: float) -> Abstraction:
        """Return the counts as a row of Table 2."""
        return Abstraction(
            classes=classes,
            error_ratio=error_ratio,
            objects_real=self.objects_real,
            objects_type=len({kind for kind, _ in self.objects}),
            objects_abstract=len(self.objects),
            threads_real=self.threads_real,
            threads_type=len(self.threads[0]),
            threads_abstract_10=len(self.threads[FEW]),
            threads_abstract_20=len(self.threads[MANY]),
        )
