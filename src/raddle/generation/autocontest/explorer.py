"""The interleaving explorer: turns tests into confirmations (section 4.4 of the paper)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial

from raddle.generation.argument_kinds import argument_kinds
from raddle.generation.autocontest.assembled_test import AssembledTest, GeneratedSequence
from raddle.generation.autocontest.confirmation import CallKind, Confirmation, RequirementRecord, confirm
from raddle.generation.autocontest.predict import CallPair, Interleaving, Requirement
from raddle.generation.autocontest.scenarios import ATOMIC_SETS, InterleavingCriterion
from raddle.generation.strategy import Proposal
from raddle.generation.testcase import Call, TestCase


class InterleavingExplorer:
    """Proposes confirmations for the requirements that tests match, test by test."""

    def __init__(
        self, criterion: InterleavingCriterion = ATOMIC_SETS, *, requirements: RequirementRecord | None = None
    ) -> None:
        self.requirements = RequirementRecord() if requirements is None else requirements
        self._criterion = criterion
        self._tests: deque[AssembledTest] = deque()
        self._confirmations: Iterator[Confirmation] = iter(())
        self._numbers: dict[object, int] = {}  # numbers for shapes, calls and traces, because hashing them is slow
        self._explored_pairs: set[tuple[int, int, int]] = set()
        self._impossible: set[tuple[int, int]] = set()  # pairs without feasible requirements
        self._instructions: set[tuple[object, ...]] = (
            set()
        )  # the instructions of interleavings that the first pass tried
        # Maps the state and the numbers of the calls of a confirmation to the requirements that it has tried.
        self._tried: dict[tuple[bytes, int, int], set[Requirement]] = {}
        self._shortest: dict[bytes, tuple[Call, ...]] = {}  # maps each state to the shortest sequence to it

    def add(self, tests: Iterable[AssembledTest]) -> None:
        """Add tests to explore."""
        self._tests.extend(tests)

    def learn_path(self, state: bytes, calls: tuple[Call, ...]) -> None:
        """Learn a sequence that leads to a state."""
        if len(calls) < len(self._shortest.get(state, (*calls, None))):
            self._shortest[state] = calls

    def propose(self) -> Proposal | None:
        """Return the next confirmation with open requirements; None if all tests have been explored."""
        while True:
            for confirmation in self._confirmations:
                if self.requirements.open_in(confirmation):
                    return Proposal(confirmation.test, partial(confirm, confirmation, self.requirements), measured=True)
            if not self._tests:
                return None
            self._confirmations = self._explore(self._tests.popleft())

    def _explore(self, test: AssembledTest) -> Iterator[Confirmation]:
        """Yield the confirmations of a test, those of the most different interleavings first.

        Four passes go through the pairs of calls. The first tries each interleaving of instructions in one calling
        context. The second takes pairs of new shapes, the third takes pairs of shapes with new arguments, and the
        fourth takes pairs of new call traces.
        """
        one, other = self._keys(test.first), self._keys(test.second)
        for number in range(4):
            for first, keys in enumerate(one):
                for second, other_keys in enumerate(other):
                    pair = number, keys[number], other_keys[number]
                    if pair in self._explored_pairs or (keys[1], other_keys[1]) in self._impossible:
                        continue
                    self._explored_pairs.update((pair, (number, pair[2], pair[1])))
                    yield from self.confirmations_of(test, first, second, only_new_instructions=not number)
        self.requirements.explored_tests += 1

    def _keys(self, sequence: GeneratedSequence) -> list[tuple[int, int, int, int]]:
        """Return four numbers for each call, one for each pass.

        They identify its shape with the kinds of its arguments, its shape, its shape with its arguments, and its trace.
        """
        number = self._number
        return [
            (
                number((accesses.shape, argument_kinds(call))),
                number(accesses.shape),
                number((accesses.shape, call)),
                number(recorded.trace),
            )
            for call, recorded, accesses in zip(sequence.calls, sequence.recorded, sequence.accesses, strict=True)
        ]

    def _number(self, value: object) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def confirmations_of(
        self, test: AssembledTest, first: int, second: int, *, only_new_instructions: bool = False
    ) -> Iterator[Confirmation]:
        """Yield the confirmations of two calls: one for each of the two candidate states, unless they are equal."""
        one, other = test.first.accesses[first], test.second.accesses_again[second]
        calls = test.first.calls[first], test.second.calls[second]
        pair = CallPair(one, other)
        predictions = pair.predict(self._criterion)
        self.requirements.predicted |= predictions.feasible.keys() | predictions.pruned
        self.requirements.pruned |= predictions.pruned
        if not predictions.feasible:
            shapes = self._number(one.shape), self._number(other.shape)
            self._impossible.update((shapes, shapes[::-1]))
            return
        interleavings = tuple(predictions.feasible.values())
        if only_new_instructions:
            interleavings = self._with_new_instructions(interleavings, calls)
            if not interleavings:
                return
        states = [
            (test.first.recorded[first].state, test.first.calls[:first]),
            (test.second.recorded_again[second].state, test.second.calls[:second]),
        ]
        for candidate, (state, path) in enumerate(states[: 1 if states[0][0] == states[1][0] else 2]):
            untried = self._untried(interleavings, (state, self._number(calls[0]), self._number(calls[1])))
            if not untried:
                continue
            prefix = (*test.prefix, *self._shortest.get(state, path))
            yield Confirmation(
                TestCase(prefix, ((calls[0],), (calls[1],))),
                candidate,
                untried,
                calls=(CallKind(calls[0], one.shape), CallKind(calls[1], other.shape)),
                sites=pair.sites,
            )

    def _untried(self, interleavings: Iterable[Interleaving], test: tuple[bytes, int, int]) -> tuple[Interleaving, ...]:
        """Return the interleavings that have not been returned before for these two calls in this state."""
        tried = self._tried.setdefault(test, set())
        untried = tuple(one for one in interleavings if one.requirement not in tried)
        tried.update(one.requirement for one in untried)
        return untried

    def _with_new_instructions(
        self, interleavings: Iterable[Interleaving], calls: tuple[Call, Call]
    ) -> tuple[Interleaving, ...]:
        """Return the interleavings whose instructions no earlier call of this method has returned.

        The kinds of a call's arguments count too if the called method itself performs one of the accesses.
        """
        new = []
        for interleaving in interleavings:
            direct = {thread for thread, access in interleaving.order if len(access.context.path) == 1}
            kinds = [argument_kinds(calls[thread]) if thread in direct else None for thread in _roles(interleaving)]
            key = interleaving.requirement.instructions, *kinds
            if key not in self._instructions:
                self._instructions.add(key)
                new.append(interleaving)
        return tuple(new)


def _roles(interleaving: Interleaving) -> tuple[int, int]:
    """Return the outer and the inner thread."""
    outer = interleaving.order[0].thread
    return outer, 1 - outer
