"""Observers: objects that the engine notifies of events in an execution. They make no decisions.

An observer overrides the methods it needs, and the engine calls no others. An observer that raises an exception is
dropped and the execution continues. `Engine.run` raises the error at the end, so that an error in raddle never looks
like a finding.
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
    """The base class of all observers. By default, its methods do nothing."""

    def begin(self, engine: Engine) -> None:
        """Prepare for a new execution."""

    def began(self, me: Carrier) -> None:
        """Handle a participant that is about to take its first step."""

    def decided(self, me: Carrier) -> None:
        """Handle the scheduler's choice of a participant."""

    def arrived(self, me: Carrier, *, point: bool, blocked: bool) -> None:
        """Handle a participant that reaches an operation.

        `point` is true if the operation is a scheduling point; `blocked` is true if the participant has to wait there.
        """

    def preempted(self, me: Carrier) -> None:
        """Handle a switch away from a participant that was still enabled."""

    def passed(self, me: Carrier, *, point: bool) -> None:
        """Handle a participant that continues past the operation it had reached."""

    def blocked(self, me: Carrier) -> None:
        """Handle a participant that reaches an operation and has to wait there."""

    def happened(self, me: Carrier, kind: Kind, target: Any, value: object = None) -> None:
        """Record a completed operation on a resource or a participant."""

    def noted(self, me: Carrier, kind: Kind, target: Any) -> None:
        """Record a detail that only criteria use, such as the creation of a resource or the beginning of a task."""

    def accessed(self, me: Carrier, kind: Kind, variable: Variable, site: int, value: object) -> None:
        """Record a completed access to a variable."""

    def entered(self, me: Carrier, site: int) -> None:
        """Record that a function body begins."""

    def left(self, me: Carrier, site: int) -> None:
        """Record that a function body ends."""

    def passed_block(self, me: Carrier, site: int) -> None:
        """Record that a basic block begins."""

    def gil_switch_allowed(self, me: Carrier, site: int) -> None:
        """Record that CPython with the GIL could have switched threads just before an access at this site."""

    def did(self, participant: Participant, footprint: Any) -> None:
        """Record the footprint of a step, in worlds where the footprint is known only after the step."""

    def started(self, me: Carrier, other: Carrier) -> None:
        """Record that a participant has started another one."""

    def time_passed(self, waiting: Sequence[Carrier]) -> None:
        """Handle an advance of virtual time; `waiting` holds the live participants, none of which was enabled."""

    def ending(self, waiting: Sequence[Carrier], *, cut_short: bool) -> None:
        """Handle the end of the execution.

        `waiting` holds the participants with a pending operation. `cut_short` means that the execution was aborted.
        """

    def place(self, carrier: Carrier) -> Place | None:
        """Return the source line that a participant has reached; None if this observer does not record it."""
        return None


_HOOKS = (
    "arrived", "began", "blocked", "decided", "passed", "preempted", "happened", "noted", "accessed", "entered", "left",
    "did", "passed_block", "gil_switch_allowed", "started", "time_passed", "ending", "place",
)  # fmt: skip


class Observers:
    """The observers of an engine: for each method of `Observer`, the observers that override it."""

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
    gil_switch_allowed: tuple[Callable[..., None], ...]
    started: tuple[Callable[..., None], ...]
    time_passed: tuple[Callable[..., None], ...]
    did: tuple[Callable[..., None], ...]
    ending: tuple[Callable[..., None], ...]
    place: tuple[Callable[..., Place | None], ...]

    def begin(self, engine: Engine) -> None:
        """Prepare every observer for a new execution."""
        for observer in self._members:
            observer.begin(engine)

    def notify(self, hooks: Sequence[Callable[..., None]], *args: Any, **details: Any) -> None:
        """Call these observer methods; drop each observer whose method raises an exception."""
        for hook in hooks:
            try:
                hook(*args, **details)
            except Exception as error:
                self.drop(hook, error)

    def drop(self, hook: Callable[..., None], error: Exception) -> None:
        """Stop calling an observer whose method raised an exception."""
        self.errors.append(error)
        self._members = [one for one in self._members if one is not hook.__self__]  # type: ignore[attr-defined]
        self._sort()
