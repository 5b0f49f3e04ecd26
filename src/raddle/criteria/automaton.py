"""Finds patterns in short executions with an automaton that is built incrementally.

`Prefixes` finds the same patterns and is designed for long executions. But a search runs thousands of short, similar
executions, so this module caches results. A state is the set of pattern prefixes that have occurred on an object. An
access leads from one state to the next and may complete patterns. If a transition has been taken before, in this
execution or an earlier one, it costs only one lookup.
"""

from __future__ import annotations

from collections.abc import Sequence

from raddle.criteria.pattern_keys import NO_VARIABLE, key_head
from raddle.criteria.patterns import PATTERNS, Part, identify
from raddle.entities import AbstractVariable, Entities
from raddle.operation import ACCESSES
from raddle.static_model import VariableName
from raddle.step import Step
from raddle.tally import Key
from raddle.variable_scope import VariableScope

MAX_LETTERS = 10  # maximum number of distinct accesses to an object in one execution; each one adds states
MAX_STATES = 20_000  # maximum number of states per automaton

Letter = tuple[int, str, VariableName, int]  # thread, kind, variable, site
Prefix = tuple[int, ...]  # numbers of letters

_NUMBERS = {pattern.parts: number for number, pattern in PATTERNS.items()}
_BEGINNINGS = {parts[:length] for parts in _NUMBERS for length in range(1, len(parts) + 1)}


class TooManyError(Exception):
    """Raised if the automaton has reached `MAX_STATES`."""


class Alphabet:
    """Numbers letters, because transitions are found faster by number.

    >>> alphabet = Alphabet()
    >>> [alphabet.number((thread, "read", ("log.py:Log", "th"), 70004)) for thread in (1, 2, 1)]
    [0, 1, 0]
    """

    def __init__(self) -> None:
        self.letters: list[Letter] = []
        self._numbers: dict[Letter, int] = {}

    def number(self, letter: Letter) -> int:
        """Return the number of a letter; assign one if the letter is new."""
        number = self._numbers.setdefault(letter, len(self.letters))
        if number == len(self.letters):
            self.letters.append(letter)
        return number


class _State:
    __slots__ = ("keys", "next", "prefixes")

    def __init__(self, prefixes: frozenset[Prefix]) -> None:
        self.prefixes = prefixes
        self.keys: frozenset[Key] | None = None  # requirements covered on any path to this state; None until computed
        self.next: dict[int, _State] = {}


class Automaton:
    """The automaton for the objects of one class.

    >>> alphabet, th = Alphabet(), ("log.py:Log", "th")
    >>> steps = [(1, "read", th, 70004), (2, "write", th, 70009), (1, "read", th, 70005)]
    >>> [key[0] for key in sorted(Automaton(alphabet).run([alphabet.number(step) for step in steps]))]
    [1, 2, 4]
    """

    def __init__(self, alphabet: Alphabet) -> None:
        self._letters = alphabet.letters
        self._first = _State(frozenset())
        self._states = {self._first.prefixes: self._first}
        self._known_parts: dict[Prefix, tuple[Part, ...]] = {}  # cache, because states have many prefixes in common

    def run(self, letters: Sequence[int]) -> frozenset[Key]:
        """Return the requirements that a sequence of accesses to one object covers; letters are given by number."""
        state = self._first
        for letter in letters:
            then = state.next.get(letter)
            if then is None:
                then = state.next[letter] = self._extend(state, letter)
            state = then
        if state.keys is None:  # the prefixes include complete patterns
            state.keys = frozenset([self._key(prefix) for prefix in state.prefixes if self._parts(prefix) in _NUMBERS])
        return state.keys

    def _extend(self, state: _State, letter: int) -> _State:
        longer = [(*prefix, letter) for prefix in state.prefixes] + [(letter,)]
        new = [prefix for prefix in longer if prefix not in state.prefixes and self._parts(prefix) in _BEGINNINGS]
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
        letters = [self._letters[number] for number in prefix]
        x = letters[0][2]
        y = next((variable for _, _, variable, _ in letters if variable != x), NO_VARIABLE)
        sites = tuple([site for _, _, _, site in letters])
        number, one, other, ordered = identify(_NUMBERS[self._parts(prefix)], x, y, sites)
        return (*key_head(number, one, other), *ordered)

    def _parts(self, prefix: Prefix) -> tuple[Part, ...]:
        """Convert accesses to the parts of a pattern; return () if they involve more than two threads or variables."""
        parts = self._known_parts.get(prefix)
        if parts is None:
            letters = [self._letters[number] for number in prefix]
            thread, _, x, _ = letters[0]
            parts = tuple([Part("A" if t == thread else "B", k, "x" if v == x else "y") for t, k, v, _ in letters])
            if len({letter[0] for letter in letters}) > 2 or len({letter[2] for letter in letters}) > 2:
                parts = ()
            self._known_parts[prefix] = parts
        return parts


class Automata:
    """The automata of all classes. With a scope, one automaton for all objects in it."""

    def __init__(self, scope: VariableScope | None = None) -> None:
        self._scope = scope
        self._alphabet = Alphabet()
        self._automata: dict[str, Automaton] = {}
        self._variables: list[AbstractVariable] = []
        self._names: list[VariableName] = []  # for each variable, its owner and name
        self._types: list[str] = []  # for each variable, the class of its object
        self._letters: dict[Step, int] = {}  # maps each access to its letter

    def run(self, steps: Sequence[Step], entities: Entities) -> tuple[frozenset[Key], list[Step]]:
        """Return the covered requirements, and the accesses to objects that are too complex for an automaton."""
        groups = entities.groups
        if entities.variables != self._variables:  # rare: variables are usually the same as in the previous execution
            self._variables = list(entities.variables)
            self._names = [(variable.owner, variable.name) for variable in self._variables]
            self._types = [variable.object_type for variable in self._variables]
            self._letters.clear()
        objects: dict[int, list[Step]] = {}
        for step in steps:
            if step[1] in ACCESSES and step[3]:
                group = groups[step[2]]
                if group in objects:
                    objects[group].append(step)
                else:
                    objects[group] = [step]
        if self._scope is not None and len(objects) > 1:
            return self._run_scope([step for step in steps if step[1] in ACCESSES and step[3]], groups)
        found: frozenset[Key] = frozenset()
        left: list[Step] = []
        for accesses in objects.values():
            keys = self._run_one(accesses)
            if keys is None:
                left += accesses
            else:
                found = found | keys if found else keys
        return found, left

    def _run_scope(self, accesses: list[Step], groups: Sequence[int]) -> tuple[frozenset[Key], list[Step]]:
        """Run all objects of a scope together; this is possible if each class occurs with only one object."""
        assert self._scope is not None
        different = set(accesses)
        targets = {step[2] for step in different}
        holders = {(self._names[target][0], groups[target]) for target in targets}
        own = {group for owner, group in holders if owner in self._scope.own}
        simple = len(own) <= 1 and len({owner for owner, _ in holders}) == len(holders) and self._are_distinct(targets)
        keys = self._run_automaton("", accesses, different) if simple else None
        return (frozenset(), accesses) if keys is None else (keys, [])

    def _run_one(self, accesses: list[Step]) -> frozenset[Key] | None:
        """Return the requirements that accesses to one object cover; None if they are too complex for an automaton."""
        different = set(accesses)
        targets = {step[2] for step in different}
        types = {self._types[target] for target in targets}
        if len(types) > 1 or not self._are_distinct(targets):
            return None
        return self._run_automaton(types.pop(), accesses, different)

    def _are_distinct(self, targets: set[int]) -> bool:
        """Return whether no two of these variables have the same name."""
        return len({self._names[target] for target in targets}) == len(targets)

    def _run_automaton(self, name: str, accesses: list[Step], different: set[Step]) -> frozenset[Key] | None:
        if len(different) > MAX_LETTERS:
            return None
        letters = self._letters
        if not different <= letters.keys():
            number, names = self._alphabet.number, self._names
            letters.update({step: number((step[0], step[1], names[step[2]], step[3])) for step in different})
        automaton = self._automata.get(name)
        if automaton is None:
            automaton = self._automata[name] = Automaton(self._alphabet)
        try:
            return automaton.run([letters[step] for step in accesses])
        except TooManyError:
            return None
