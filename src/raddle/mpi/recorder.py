"""Records which elements of the parallel control flow graph an execution covers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from raddle.engine.carrier import Carrier
from raddle.engine.engine import Engine
from raddle.entities import Entities
from raddle.mpi.collective_call import CollectiveCall
from raddle.mpi.exchange import Exchange
from raddle.mpi.message import Message, Receive
from raddle.mpi.node_probe import NodePath
from raddle.mpi.operations import COMPLETE, JOIN_IN, POLL, POST, PROBE, RECV, SEND
from raddle.mpi.world import MpiWorld
from raddle.observers.recorder import Recorder
from raddle.operation import Kind
from raddle.pcfg.coverage import CoverageOfExecutions, Match, transfers_of
from raddle.pcfg.elements import Element
from raddle.pcfg.tracking import Covered, EventKind, PathEvent
from raddle.step import Step
from raddle.tally import Key

MAX_REMEMBERED = 5_000  # maximum number of courses of executions whose elements are remembered

_Items = tuple[int | PathEvent, ...]  # of the path of one rank
# What happened in an execution: the paths of all ranks, and which receives took which messages.
_Course = tuple[tuple[_Items, ...], tuple[Match, ...]]


class _Followed(NamedTuple):
    """What one rank covers, and the steps for that."""

    covered: Covered
    steps: frozenset[Step]


class ElementRecorder(Recorder):
    """Records one step for each element that an execution covers, so equal steps mean equal coverage."""

    def __init__(self, world: MpiWorld, coverage: CoverageOfExecutions) -> None:
        super().__init__()
        self._world = world
        self._coverage = coverage
        self._paths: list[NodePath] = []
        self._exchange: Exchange = world.exchange
        self._completed: dict[CollectiveCall, list[int]] = {}
        # All executions share the numbers of elements, so that their steps can be compared.
        self._numbers: dict[Key, int] = {}
        self._elements: list[Key] = []
        self._known: dict[_Course, tuple[Step, ...]] = {}
        self._followed: dict[tuple[int, _Items], _Followed] = {}

    def begin(self, engine: Engine) -> None:
        self._paths = [NodePath(index) for index in self._coverage.indices]
        self._world.paths = self._paths
        self._exchange = self._world.exchange
        self._completed = {}

    def happened(self, me: Carrier, kind: Kind, target: object, value: object = None) -> None:
        if isinstance(target, Message):
            if kind == SEND:
                self._add(me, EventKind.SENT, (target.source, target.number))
            elif kind in (RECV, PROBE, POLL) and target.receive is not None:
                self._add(me, EventKind.RECEIVED, target.receive.number)
        elif isinstance(target, Receive):
            if kind == POST:
                self._add(me, EventKind.RECEIVED, target.number)
        elif isinstance(target, CollectiveCall):
            if kind == JOIN_IN:
                self._add(me, EventKind.ENTERED, (target.context, target.number, "collective"))
            elif kind == COMPLETE:
                self._completed.setdefault(target, []).append(me.own.number)

    def _add(self, me: Carrier, kind: EventKind, identity: object) -> None:
        self._paths[me.own.number].add(PathEvent(kind, identity))

    def observed(self) -> tuple[tuple[Step, ...], Entities]:
        entities = Entities(letter=self._world.letter)
        for rank in range(self._world.size):
            entities.add_actor(f"rank {rank}")
        entities.elements = self._elements
        matches = self._matches()
        if any(path.tracker is not None for path in self._paths):  # parts of the paths are forgotten
            return self._steps(matches), entities
        course = tuple([tuple(path.items) for path in self._paths]), matches
        steps = self._known.get(course)
        if steps is None:
            steps = self._steps(matches)
            if len(self._known) < MAX_REMEMBERED:
                self._known[course] = steps
        return steps, entities

    def _steps(self, matches: tuple[Match, ...]) -> tuple[Step, ...]:
        followed = [self._follow(rank, path) for rank, path in enumerate(self._paths)]
        processes = [one.covered for one in followed]
        steps = {step for one in followed for step in one.steps}
        for match in matches:
            steps |= self._in_steps(match.receiver, self._coverage.of_match(match, processes))
        return tuple(sorted(steps))

    def _follow(self, rank: int, path: NodePath) -> _Followed:
        """Follow the path of a rank, unless an earlier execution had the same."""
        key = None if path.tracker is not None else (rank, tuple(path.items))
        followed = None if key is None else self._followed.get(key)
        if followed is None:
            covered = path.fold().covered
            followed = _Followed(covered, self._in_steps(rank, self._coverage.of_process(rank, covered)))
            if key is not None and len(self._followed) < MAX_REMEMBERED:
                self._followed[key] = followed
        return followed

    def _in_steps(self, rank: int, elements: Iterable[tuple[Element, Key]]) -> frozenset[Step]:
        return frozenset([(rank, element.value, self._number(key), key[0]) for element, key in elements])

    def _matches(self) -> tuple[Match, ...]:
        matches = [
            Match(message.source, (message.source, message.number), receive.rank, receive.number)
            for receive in self._exchange.receives
            if (message := receive.message) is not None and message.receive is receive
        ]
        for call, completed in self._completed.items():
            identity = (call.context, call.number, "collective")
            entry = next(iter(call.entries.values()))
            members = [rank for rank in call.members if rank in call.entries]
            matches += transfers_of(entry.name, entry.root, members, completed, identity)
        return tuple(matches)

    def _number(self, key: Key) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._elements)
            self._elements.append(key)
        return number
