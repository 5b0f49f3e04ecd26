"""The parallel control flow graph (PCFG): the graphs of all processes, and the sync-edges between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from raddle.pcfg.matching import Elimination, Profile, Side, TransferAt, why_eliminated
from raddle.pcfg.program import Source
from raddle.pcfg.unit import Node, Unit

ITERATIONS = 2  # default number of executions of a node that the criterion all-edges-s* distinguishes


@dataclass(frozen=True, slots=True)
class Options:
    """What a graph depends on, apart from the source."""

    ranks: int
    roles: str | None = None  # such as "master(0) worker(1-3)"; None to find the roles in the source
    profile: Profile = Profile.LITERAL
    iterations: int = ITERATIONS


@dataclass(frozen=True)
class Process:
    """What one rank runs: the unit of its role first, then all functions that this unit may call."""

    rank: int
    role: str
    label: str  # such as "worker 2"
    units: tuple[Unit, ...]
    known: Mapping[str, Mapping[str, int]] = field(default_factory=dict, compare=False, repr=False)  # by unit

    @property
    def nodes(self) -> Iterator[Node]:
        """All nodes of the process."""
        return (node for unit in self.units for node in unit.nodes)

    def transfers(self, side: Side) -> Iterator[TransferAt]:
        """Yield the sends or the receives of the process."""
        for unit in self.units:
            for node in unit.nodes:
                for transfer in node.sends if side is Side.SEND else node.receives:
                    yield TransferAt(self.rank, self.label, node.number, node.line, unit.file, transfer)


@dataclass(frozen=True, slots=True)
class SyncEdge:
    """A send and a receive of two processes that may match."""

    send: TransferAt
    receive: TransferAt


@dataclass(frozen=True)
class Pcfg:
    """A parallel control flow graph. It is a function of the sources and the options."""

    sources: tuple[Source, ...]  # the main file first
    options: Options
    processes: tuple[Process, ...] = field(compare=False, repr=False)  # by rank

    def raw_pairs(self) -> Iterator[SyncEdge]:
        """Yield each send with each receive of another process.

        The transfers of a collective operation form pairs with each other only.
        """
        for sender in self.processes:
            for send in sender.transfers(Side.SEND):
                for receiver in self.processes:
                    if receiver.rank != sender.rank:
                        for receive in receiver.transfers(Side.RECEIVE):
                            if send.transfer.collective == receive.transfer.collective:
                                yield SyncEdge(send, receive)

    def elimination(self, pair: SyncEdge) -> Elimination | None:
        """Return why the profile eliminates a pair; None if the pair is a sync-edge."""
        return why_eliminated(pair.send, pair.receive, self.options.profile, self._known)

    def _known(self, transfer: TransferAt) -> Mapping[str, int]:
        return self._known_by_node.get((transfer.rank, transfer.node), {})

    @cached_property
    def _known_by_node(self) -> Mapping[tuple[int, int], Mapping[str, int]]:
        return {
            (process.rank, node.number): process.known.get(unit.key, {})
            for process in self.processes
            for unit in process.units
            for node in unit.nodes
            if node.sends or node.receives
        }

    @cached_property
    def sync_edges(self) -> tuple[SyncEdge, ...]:
        """The pairs that the profile does not eliminate."""
        return tuple(pair for pair in self.raw_pairs() if self.elimination(pair) is None)

    @cached_property
    def eliminated(self) -> tuple[tuple[SyncEdge, Elimination], ...]:
        """The pairs that the profile eliminates, each with its reason."""
        found = ((pair, self.elimination(pair)) for pair in self.raw_pairs())
        return tuple((pair, reason) for pair, reason in found if reason is not None)

    @property
    def modules(self) -> frozenset[int]:
        """The numbers of the first statements of all files."""
        return frozenset(source.base for source in self.sources)
