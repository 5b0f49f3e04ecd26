"""Observers: they are notified of what happens in an execution, and decide nothing.

An observer overrides the methods it needs; the engine calls no others. One that raises an exception is dropped, and the
execution continues. `Engine.run` raises the error at the end, so that an error in raddle never looks like a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from raddle.engine.carrier import Carrier
from raddle.engine.participant import Participant
from raddle.engine.variables import Variable
from raddle.operation import Kind
from raddle.place import Place

if TYPE_CHECKING:
    from raddle.engine.engine import Engine


class Observer:
    """The base of all observers: ignores everything."""

    def begin(self, engine: Engine) -> None:
        """Begin an execution."""

    def began(self, me: Carrier) -> None:
        """Note that a participant is about to take its first step."""

    def decided(self, me: Carrier) -> None:
        """Note that the scheduler has chosen a participant."""

    def arrived(self, me: Carrier, *, point: bool, blocked: bool) -> None:
        """Note that a participant has come to an operation, which is a scheduling point or not, and may block."""

    def preempted(self, me: Carrier) -> None:
        """Note that another participant runs now, although this one was enabled."""

    def passed(self, me: Carrier, *, point: bool) -> None:
        """Note that a participant goes on to do what it had come to."""

    def blocked(self, me: Carrier) -> None:
        """Note that a participant has come to an operation that it must wait for."""

    def happened(self, me: Carrier, kind: Kind, target: Any, value: object = None) -> None:
        """Note an operation on a resource or a participant, after the fact."""

    def noted(self, me: Carrier, kind: Kind, target: Any) -> None:
        """Note what only criteria are interested in: a resource was made, a queue's mutex taken, a task begun."""

    def accessed(self, me: Carrier, kind: Kind, variable: Variable, site: int, value: object) -> None:
        """Note an access to a variable, after the fact."""

    def entered(self, me: Carrier, site: int) -> None:
        """Note that a function's body begins."""

    def left(self, me: Carrier, site: int) -> None:
        """Note that a function's body ends."""

    def passed_block(self, me: Carrier, site: int) -> None:
        """Note that a basic block begins."""

    def reopened(self, me: Carrier, site: int) -> None:
        """Note that CPython with the GIL could have stopped the participant before an access at this site."""

    def did(self, participant: Participant, footprint: Any) -> None:
        """Note what a step touched that could not be known before it was taken."""

    def started(self, me: Carrier, other: Carrier) -> None:
        """Note that a participant has started another one."""

    def time_passed(self, waiting: Sequence[Carrier]) -> None:
        """Note that time passed, as no participant could go on; `waiting` are those that were live."""

    def ending(self, waiting: Sequence[Carrier], *, cut_short: bool) -> None:
        """End the execution; `waiting` were about to do something. `cut_short`: it ended before its end."""

    def place(self, carrier: Carrier) -> Place | None:
        """Return the line where a participant stands; None if this observer does not know."""
        return None


_HOOKS = (
    "arrived", "began", "blocked", "decided", "passed", "preempted", "happened", "noted", "accessed", "entered", "left",
    "did", "passed_block", "reopened", "started", "time_passed", "ending", "place",
)  # fmt: skip


class Observers:
    """The observers of an engine: for each method, those that override it."""

    __slots__ = ("_members", "errors", *_HOOKS)

    def __init__(self, members: Sequence[Observer] = ()) -> None:
        self._members = list(members)
        self.errors: list[Exception] = []
        self._sort()

    def _sort(self) -> None:
        for name in _HOOKS:
            overriding = [o for o in self._members if getattr(type(o), name) is not getattr(Observer, name)]
            setattr(self, name, tuple([getattr(observer, name) for observer in overriding]))

    arrived: tuple[Callable[..., None], ...]
    began: tuple[Callable[..., None], ...]
    blocked: tuple[Callable[..., None], ...]
    decided: tuple[Callable[..., None], ...]
    passed: tuple[Callable[..., None], ...]
    preempted: tuple[Callable[..., None], ...]
    happened: tuple[Callable[..., None], ...]
    noted: tuple[Callable[..., None], ...]
    accessed: tuple[Callable[..., None], ...]
    entered: tuple[Callable[..., None], ...]
    left: tuple[Callable[..., None], ...]
    passed_block: tuple[Callable[..., None], ...]
    reopened: tuple[Callable[..., None], ...]
    started: tuple[Callable[..., None], ...]
    time_passed: tuple[Callable[..., None], ...]
    did: tuple[Callable[..., None], ...]
    ending: tuple[Callable[..., None], ...]
    place: tuple[Callable[..., Place | None], ...]

    def begin(self, engine: Engine) -> None:
        """Begin an execution."""
        for observer in self._members:
            observer.begin(engine)

    def notify(self, hooks: Sequence[Callable[..., None]], *args: Any, **details: Any) -> None:
        """Call the observers; drop one that fails."""
        for hook in hooks:
            try:
                hook(*args, **details)
            except Exception as error:
                self.drop(hook, error)

    def drop(self, hook: Callable[..., None], error: Exception) -> None:
        """Call an observer no more, one of whose methods raised an exception."""
        self.errors.append(error)
        self._members = [one for one in self._members if one is not hook.__self__]  # type: ignore[attr-defined]
        self._sort()
