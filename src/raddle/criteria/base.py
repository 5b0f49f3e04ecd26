"""The interface of a criterion: what could be covered, what was, and how to say it."""

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

LINEAR = "linear"  # the same for each step, whatever the length of the execution; bounded memory
WHOLE = "whole execution"  # time linear, memory grows with the execution


class Criterion(ABC):
    """Watches executions; one object watches one after the other.

    An execution is `begin`, any number of `feed`, `collect(final=True)`. A long one may be collected from now
    and then with `final=False`: requirements that name actors whose identity is not settled yet are kept back.
    """

    name: ClassVar[str]
    family: ClassVar[str]  # "MAP", "Lu et al.", "Křena et al.", "CovCon"
    paper: ClassVar[str]
    shape: ClassVar[Shape]  # the parts of a requirement's key
    summary: ClassVar[str]  # one sentence: when is a requirement covered?
    cost: ClassVar[str]  # LINEAR or WHOLE
    late_only: ClassVar[bool] = False  # is it about accesses to objects that other threads can know already?
    concerns: ClassVar[frozenset[str] | None] = None  # kinds of step that can make a difference; None: all
    by_order: ClassVar[bool] = False  # do executions of one partial order (of all that conflicts) cover the same?
    # Operations that have to be scheduling points, as it makes a difference to this criterion when exactly they happen:
    # `operation.UNOBSERVABLE`, and READ for reads that conflict with no write. No thread can observe when these happen,
    # so a search for failures leaves them out.
    points: ClassVar[frozenset[Kind]] = frozenset()
    total_known: ClassVar[bool] = False  # can the total be said without exhausting the executions?

    @classmethod
    def make(cls, settings: CriterionSettings) -> Self:
        """Return a criterion with these settings; most have none."""
        return cls()

    @abstractmethod
    def begin(self, entities: Entities) -> None:
        """An execution begins; everything but options is forgotten. The cast grows while steps come."""

    @abstractmethod
    def feed(self, steps: Iterable[Step]) -> None:
        """These steps happened, in this order."""

    @abstractmethod
    def collect(self, *, final: bool) -> Set[Key]:
        """What was covered since the last time this was asked; to be looked at before the execution goes on."""

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:  # noqa: B027 -- need not
        """There will be no more steps about these. Whoever remembers something for each of them drops it here."""

    def cover(self, steps: Sequence[Step], entities: Entities) -> Set[Key]:
        """What a whole execution covers."""
        self.begin(entities)
        self.feed(steps)
        return self.collect(final=True)

    @abstractmethod
    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        """Return the requirement as a clause in the present tense: "thread A reads `x` at m.py:4, then ...".

        It names threads A and B, variables, files and lines. Reports put "not covered yet: " before it.
        """

    def home(self, key: Key) -> int:
        """The site that a requirement is counted under in reports by file; 0 where it has none."""
        return next(self.shape.find(key, Role.SITE), 0)

    def crossings(self, key: Key) -> Iterable[tuple[int, int]]:
        """Return the pairs of sites that two threads were at when they covered the requirement.

        There are none if it is about one thread, or does not say which threads are different ones.
        """
        return ()

    def pattern(self, key: Key) -> str:
        """Return the pattern of accesses that the requirement is an instance of, in words; "" if there is none."""
        return ""

    def extra(self) -> Any:
        """Return what else has to be kept to know the total later; None if nothing.

        It adds with `+`, and has an `as_json` for the data file.
        """
        return None

    @classmethod
    def read_extra(cls, data: Any) -> Any:
        """Return an extra that was stored as JSON; None if the criterion keeps none."""
        return None

    def restore(self, extra: Any) -> None:  # noqa: B027 -- most criteria keep no extra
        """Continue with an `extra`, of this or an earlier run."""

    def total(self, model: StaticModel, facts: PruningFacts) -> Total:
        """How many requirements there are, without those that the facts rule out."""
        return self.static_total(model)

    def static_total(self, model: StaticModel) -> Total:
        """How many requirements there are by the static model alone."""
        return Total(None, UNKNOWN)

    def requirements(self, model: StaticModel, facts: PruningFacts) -> Iterator[Key] | None:
        """All of them that `total` counts, in a fixed order; None where they cannot be known."""
        return None

    def infeasible(self, key: Key, facts: PruningFacts) -> str | None:
        """Return why no execution can cover the requirement, by these facts; None if one can, or if that is unknown."""
        return None
