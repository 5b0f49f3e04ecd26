"""The test cases of Křena's experiment, and what their executions are made of (Table 2)."""

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

LOOKED_AT = 10  # executions whose objects and threads are counted, as in the paper
FEW, MANY = 10, 20  # methods that tell threads apart


@dataclass(frozen=True, slots=True)
class Case:
    """A program whose executions are measured."""

    name: str
    title: str  # in tables
    target: str  # its scenario, as commands name one; or a script with its arguments
    source: tuple[str, ...] = ()  # what to instrument; the project around the scenario where empty
    share: float = 1.0  # of the executions asked for: large programs get fewer, as in the paper

    @property
    def is_script(self) -> bool:
        """Whether it is run as a program, and not called."""
        return "::" not in self.target

    @property
    def scenario(self) -> Callable[[], object]:
        """Run the program once."""
        return load_scenario(self.target)

    @property
    def module(self) -> ModuleType:
        """The module that has the scenario."""
        return sys.modules[self.scenario.__module__]

    def classes(self) -> int:
        """Count the classes of the module; those of a script are not known."""
        if self.is_script:
            return 0
        tree = ast.parse(inspect.getsource(self.module))
        return sum(isinstance(node, ast.ClassDef) for node in ast.walk(tree))


def _published(name: str, title: str, *, share: float = 1.0) -> Case:
    """Return a case that the paper has too."""
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
    """The objects and threads of some executions: the real ones, their types, and what they are abstracted to.

    An object is counted once, as one of its own class, whichever base classes set its attributes. Iterators and
    generators are left out: they are part of how a loop runs.

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
        self.threads: dict[int, set[tuple[str, ...]]] = {0: set(), FEW: set(), MANY: set()}  # by methods looked at

    def add(self, entities: Entities) -> None:
        """One more execution; from the eleventh on nothing is counted."""
        if self.executions >= LOOKED_AT:
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
        """As in the table."""
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
