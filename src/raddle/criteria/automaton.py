"""Finds patterns in short executions with an automaton that is built incrementally.

`Prefixes` finds the same patterns and is designed for long executions. But a search runs thousands of short, similar
executions, so this module caches results. A state is the set of pattern prefixes that have occurred on an object. An
access leads from one state to the next and may complete patterns. If a transition has been taken before, in this
execution or an earlier one, it costs only one lookup.
"""

from __future__ import annotations

from collections.abc import Sequence

from raddle.criteria.patterns import PATTERNS, Part, identify
from raddle.entities import AbstractVariable, Entities
from raddle.operation import ACCESSES
from raddle.step import Step
from raddle.tally import Key

MAX_LETTERS = 10  # maximum number of distinct accesses to an object in one execution; each one adds states
MAX_STATES = 20_000  # maximum number of states per owner

Letter = tuple[int, str, str, int]  # thread, kind, name of the variable, site
Prefix = tuple[Letter, ...]

_NUMBERS = {pattern.parts: number for number, pattern in PATTERNS.items()}
_BEGINNINGS = {parts[:length] for parts in _NUMBERS for length in range(1, len(parts) + 1)}


class TooManyError(Exception):
    """Raised if the automaton has reached `MAX_STATES`."""


class _State:
    __slots__ = ("keys", "next", "prefixes")

    def __init__(self, prefixes: frozenset[Prefix]) -> None:
        self.prefixes = prefixes
        self.keys: frozenset[Key] | None = None  # requirements covered on any path to this state; None until computed
        self.next: dict[Letter, _State] = {}


class Automaton:
    """The automaton for the objects of one owner.

    >>> automaton = Automaton("log.py:Log")
    >>> steps = [(1, "read", "th", 70004), (2, "write", "th", 70009), (1, "read", "th", 70005)]
    >>> [key[0] for key in sorted(automaton.run(steps))]
    [1, 2, 4]
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._first = _State(frozenset())
        self._states = {self._first.prefixes: self._first}

    def run(self, letters: Sequence[Letter]) -> frozenset[Key]:
        """Return the requirements that a sequence of accesses to one object covers."""
        state = self._first
        for letter in letters:
            then = state.next.get(letter)
            if then is None:
                then = state.next[letter] = self._extend(state, letter)
            state = then
        if state.keys is None:  # the prefixes include complete patterns
            state.keys = frozenset([self._key(prefix) for prefix in state.prefixes if _parts(prefix) in _NUMBERS])
        return state.keys

    def _extend(self, state: _State, letter: Letter) -> _State:
        longer = [(*prefix, letter) for prefix in state.prefixes] + [(letter,)]
        new = [prefix for prefix in longer if prefix not in state.prefixes and _parts(prefix) in _BEGINNINGS]
        if not new:
            return state
        prefixes = state.prefixes.union(new)
        then = self._states.get(prefixes)
        if then is None:
            if len(self._states) >= MAX_STATES:
                raise TooManyError
            then = self._states[prefixes] = _State(prefixes)
        return then

    def _key(self, prefix: Prefix) -> Key:
        x = prefix[0][2]
        y = next((letter[2] for letter in prefix if letter[2] != x), "")
        sites = tuple([letter[3] for letter in prefix])
        number, one, other, ordered = identify(_NUMBERS[_parts(prefix)], x, y, sites)
        return (number, self._owner, one, other, *ordered)


def _parts(prefix: Prefix) -> tuple[Part, ...]:
    """Convert accesses to the parts of a pattern; return () if they involve more than two threads or variables."""
    thread, _, name, _ = prefix[0]
    if len({letter[0] for letter in prefix}) > 2 or len({letter[2] for letter in prefix}) > 2:
        return ()
    return tuple([Part("A" if t == thread else "B", k, "x" if n == name else "y") for t, k, n, _ in prefix])


class Automata:
    """The automata of all owners."""

    def __init__(self) -> None:
        self._automata: dict[str, Automaton] = {}
        self._variables: list[AbstractVariable] = []
        self._letters: dict[Step, Letter] = {}  # maps each access to its letter

    def run(self, steps: Sequence[Step], entities: Entities) -> tuple[frozenset[Key], list[Step]]:
        """Return the covered requirements, and the accesses to objects that are too complex for an automaton."""
        groups = entities.groups
        if entities.variables != self._variables:  # rare: variables are usually the same as in the previous execution
            self._variables = list(entities.variables)
            self._letters.clear()
        objects: dict[int, list[Step]] = {}
        for step in steps:
            if step[1] in ACCESSES and step[3]:
                group = groups[step[2]]
                if group in objects:
                    objects[group].append(step)
                else:
                    objects[group] = [step]
        found: frozenset[Key] = frozenset()
        left: list[Step] = []
        for accesses in objects.values():
            keys = self._run_one(accesses)
            if keys is None:
                left += accesses
            else:
                found = found | keys if found else keys
        return found, left

    def _run_one(self, accesses: list[Step]) -> frozenset[Key] | None:
        """Return the requirements that accesses to one object cover; None if they are too complex for an automaton."""
        different = set(accesses)
        targets = {step[2] for step in different}
        owners = {self._variables[target].owner for target in targets}
        simple = len(owners) == 1 and len({self._variables[target].name for target in targets}) == len(targets)
        if not simple or len(different) > MAX_LETTERS:
            return None
        letters = self._letters
        if not different <= letters.keys():
            letters.update({step: (*step[:2], self._variables[step[2]].name, step[3]) for step in different})
        owner = owners.pop()
        automaton = self._automata.get(owner)
        if automaton is None:
            automaton = self._automata[owner] = Automaton(owner)
        try:
            return automaton.run([letters[step] for step in accesses])
        except TooManyError:
            return None
