"""The installation for ranks, and the domain of scenarios with ranks."""

from __future__ import annotations

from dataclasses import dataclass

from raddle.execute.domain import Domain
from raddle.execute.installation import Installation
from raddle.mpi.calculus import MpiCalculus
from raddle.mpi.options import DEFAULT_OPTIONS, MpiOptions
from raddle.mpi.world import MpiWorld


class MpiInstallation(Installation):
    """A context manager that prepares the process for controlled executions with ranks."""

    world: MpiWorld

    def __init__(self, ranks: Ranks) -> None:
        super().__init__(MpiWorld(ranks.size, ranks.options), MpiCalculus(ranks.size))


@dataclass(frozen=True)
class Ranks(Domain):
    """The domain of scenarios with `size` ranks."""

    size: int
    options: MpiOptions = DEFAULT_OPTIONS

    def install(self) -> MpiInstallation:
        return MpiInstallation(self)
