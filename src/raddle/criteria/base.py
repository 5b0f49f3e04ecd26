"""The interface of a criterion: covered requirements, totals, and explanations of requirements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, ClassVar, Self

from raddle.criterion_settings import CriterionSettings
from raddle.entities import Entities
from raddle.operation import Kind
from raddle.pruning_facts import PruningFacts
from raddle.requirement import Role, Shape
from raddle.site import Site
from raddle.static_model import StaticModel
from raddle.step import Step
from raddle.tally import UNKNOWN, Key, Total

LINEAR = "linear"  # constant time per step and bounded memory
WHOLE = "whole execution"  # linear time; memory grows with the execution


class Criterion(ABC):
    """A coverage criterion; one instance measures one execution after another.

    For each execution, call `begin`, then `feed` any number of times, then `collect(final=True)`. During a long
    execution, `collect` can also be called in between with `final=False`. Such a call omits requirements whose
    actors are not settled yet; a later call returns them.
    """

    name: ClassVar[str]
    family: ClassVar[str]  # "MAP", "Lu et al.", "Křena et al.", "CovCon" or "sequential"
    paper: ClassVar[str]
    shape: ClassVar[Shape]  # the parts of a requirement's key
    summary: ClassVar[str]  # a clause that says when a requirement is covered
    cost: ClassVar[str]  # LINEAR or WHOLE
    late_only: ClassVar[bool] = False  # True if an access counts only when other threads can reach the object
    concerns: ClassVar[frozenset[str] | None] = None  # the kinds of steps that the criterion needs; None means all
    # True if executions with the same partial order of conflicting steps cover the same requirements.
    by_order: ClassVar[bool] = False
    # Operations that must be scheduling points because this criterion depends on exactly when they happen:
    # `operation.UNOBSERVABLE`, and READ for reads that conflict with no write. No thread can observe when these
    # operations happen, so a search for failures does not switch threads there.
    points: ClassVar[frozenset[Kind]] = frozenset()
    total_known: ClassVar[bool] = False  # True if the total is known before the search is exhausted

    @classmethod
    def make(cls, settings: CriterionSettings) -> Self:
        """Return a criterion with these settings; most criteria ignore them."""
        return cls()

    @abstractmethod
    def begin(self, entities: Entities) -> None:
        """Start a new execution and forget the previous one; `entities` grows while steps are fed."""

    @abstractmethod
    def feed(self, steps: Iterable[Step]) -> None:
        """Process steps in the order in which they happened."""

    @abstractmethod
    def collect(self, *, final: bool) -> Set[Key]:
        """Return the requirements covered since the last call; use the result before feeding more steps."""

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:  # noqa: B027 -- optional
        """Drop the state of variables and resources that no later step uses."""

    def cover(self, steps: Sequence[Step], entities: Entities) -> Set[Key]:
        """Return the requirements that a whole execution covers."""
        self.begin(entities)
        self.feed(steps)
        return self.collect(final=True)

    @abstractmethod
    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        """Return the requirement as a clause in the present tense, such as "thread A reads `x` at m.py:4, then ...".

        The clause names threads (A and B), variables, files and lines. Reports print it after "not covered yet:".
        """

    def home(self, key: Key) -> int:
        """Return the site that determines the file under which reports list the requirement; 0 if there is none."""
        return next(self.shape.find(key, Role.SITE), 0)

    def crossings(self, key: Key) -> Iterable[tuple[int, int]]:
        """Return the pairs of sites in the requirement that belong to two different threads.

        There are no such pairs if the requirement is about one thread or does not distinguish threads.
        """
        return ()

    def pattern(self, key: Key) -> str:
        """Return a description of the requirement's access pattern; "" if it has none."""
        return ""

    def extra(self) -> Any:
        """Return additional data that is needed to compute the total later; None if there is none.

        Such data supports `+` and has an `as_json` method for the data file.
        """
        return None

    @classmethod
    def read_extra(cls, data: Any) -> Any:
        """Restore the extra data from its JSON form; return None if the criterion has no extra data."""
        return None

    def restore(self, extra: Any) -> None:  # noqa: B027 -- most criteria have no extra data
        """Start from the data that `extra` returned earlier, in this run or a previous one."""

    def total(self, model: StaticModel, facts: PruningFacts) -> Total:
        """Return the number of requirements, not counting those that the facts rule out."""
        return self.static_total(model)

    def static_total(self, model: StaticModel) -> Total:
        """Return the number of requirements according to the static model alone."""
        return Total(None, UNKNOWN)

    def requirements(self, model: StaticModel, facts: PruningFacts) -> Iterator[Key] | None:
        """Return all requirements that `total` counts, in a fixed order; None if they are not known."""
        return None

    def infeasible(self, key: Key, facts: PruningFacts) -> str | None:
        """Return why these facts make the requirement infeasible; None if it may be feasible."""
        return None
