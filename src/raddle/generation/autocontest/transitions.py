"""Transitions: what a call does in a state. A search asks for those that it needs, and only new ones are executed.

Like the paper, this assumes that calls are deterministic: in equal states, a call has the same trace and leads to equal
states. Moreover, what a call does depends only on the attributes of the shared object that it reads. A call that read
only attributes with the same values before is not executed again if it wrote nothing, or if only its trace is needed.
A search whose rules do not compare states executes every sequence, as in the paper. Otherwise, the measured effect of
the rules would leave out what comparing states saves.
"""

from __future__ import annotations

from collections.abc import Container, Generator, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from raddle.generation.autocontest.fingerprint import ObjectState
from raddle.generation.autocontest.sequence_runner import CallReport, SequenceRunner
from raddle.generation.testcase import Call


class Transition(NamedTuple):
    """A call in a state."""

    state: bytes
    call: int  # index of the call
    only_trace: bool = False  # whether the state after the call does not matter; the report has the one before it


class _Arrival(NamedTuple):
    """How the shortest sequence that was found leads to a state."""

    state: bytes  # the state before the last call
    call: Call | None  # the last call; None if the sequence is empty
    length: int


# A search yields the transitions that it needs. It receives their reports: None for a call that did not end.
Search: TypeAlias = Generator[Transition, CallReport | None, None]


class _Observed:
    """What one call did, by the values of the attributes that it read."""

    def __init__(self) -> None:
        self._reports: dict[tuple[str, ...], dict[tuple[bytes | None, ...], CallReport]] = {}

    def add(self, before: ObjectState, report: CallReport) -> None:
        """Add a report about the call in a state."""
        if report.reads is None:
            return
        names = tuple(sorted(report.reads))
        if all(name in before.attributes for name in names):  # other variables could have any value
            self._reports.setdefault(names, {})[tuple(map(before.attributes.get, names))] = report

    def find(self, before: ObjectState, *, only_trace: bool) -> CallReport | None:
        """Return what the call does in a state; None if that is not known."""
        for names, by_values in self._reports.items():
            report = by_values.get(tuple(map(before.attributes.get, names)))
            if report is not None and (only_trace or not report.writes):
                return replace(report, state=before)
        return None


class Transitions:
    """Observes the transitions that searches need: a visitor of a `SequenceRunner`."""

    def __init__(
        self, runner: SequenceRunner, calls: Sequence[Call], root_state: ObjectState, *, compare_states: bool = True
    ) -> None:
        """Create transitions. Unless `compare_states`, every transition is executed, even in a state seen before."""
        self._compare_states = compare_states
        self._runner = runner
        self._calls = tuple(calls)
        self._reports: dict[tuple[bytes, int], CallReport | None] = {}
        self._traces: dict[tuple[bytes, int], CallReport] = {}  # reports that do not have the state after the call
        self._observed = [_Observed() for _ in calls]
        self._root_state = root_state.fingerprint
        self._states = {self._root_state: root_state}
        self._arrivals: dict[bytes, _Arrival] = {self._root_state: _Arrival(self._root_state, None, 0)}

    def run(self, search: Search) -> None:
        """Run a search to its end."""
        self._search = search
        self._wanted: Transition | None = next(search, None)
        self._skip_known()
        self._runner.visit(self)

    def shortest(self) -> dict[bytes, tuple[Call, ...]]:
        """Map each state to the shortest sequence that was found to lead to it."""
        found: dict[bytes, tuple[Call, ...]] = {self._root_state: ()}
        for state in sorted(self._arrivals, key=lambda state: self._arrivals[state].length):
            start, calls = self._path(state, found)
            found[state] = (*found[start], *calls)
        return found

    def _path(self, state: bytes, known: Container[bytes]) -> tuple[bytes, list[Call]]:
        """Return a state that is known or the first one, and the calls that lead from there to another state."""
        calls: list[Call] = []
        while state not in known and (arrival := self._arrivals[state]).call is not None:
            calls.append(arrival.call)
            state = arrival.state
        return state, calls[::-1]

    def _skip_known(self) -> None:
        """Give the search the reports that are known, up to the next transition that must be executed."""
        while self._wanted is not None and self._compare_states:
            state, call, only_trace = self._wanted
            if (state, call) in self._reports:
                self._give(self._reports[state, call])
            elif only_trace and (state, call) in self._traces:
                self._give(self._traces[state, call])
            elif (report := self._observed[call].find(self._states[state], only_trace=only_trace)) is not None:
                self._give(report)
            else:
                return

    def _give(self, report: CallReport | None) -> None:
        try:
            self._wanted = self._search.send(report)
        except StopIteration:
            self._wanted = None

    # -- the visitor --------------------------------------------------------------------------------

    @property
    def state(self) -> bytes | None:
        return None if self._wanted is None else self._wanted.state

    @property
    def only_trace(self) -> bool:
        return self._next.only_trace

    def path(self, known: Container[bytes]) -> tuple[bytes, Sequence[Call]]:
        return self._path(self._next.state, known)

    def call(self) -> Call:
        return self._calls[self._next.call]

    def learn(self, report: CallReport | None) -> None:
        before, call, _ = self._next
        if report is not None:
            self._observed[call].add(self._states[before], report)
        if report is not None and report.only_trace:
            self._traces[before, call] = report
        else:
            self._reports[before, call] = report
        if report is not None and not report.only_trace:
            after = report.state.fingerprint
            self._states.setdefault(after, report.state)
            length, known = self._arrivals[before].length + 1, self._arrivals.get(after)
            if known is None or (length < known.length and not report.raised):
                self._arrivals[after] = _Arrival(before, self.call(), length)
        self._give(report)
        self._skip_known()

    @property
    def _next(self) -> Transition:
        assert self._wanted is not None
        return self._wanted
