"""The step limit: ends executions that run too long, that the user interrupts, or that exceed a deadline."""

from __future__ import annotations

from raddle.outcome import Outcome, OutcomeKind
from raddle.place import Place
from raddle.wording import count

SAMPLE = 1_200  # number of final steps whose lines are recorded, to report which lines an endless loop repeats


class StepLimit:
    """The maximum number of steps of an execution.

    `requested` is the limit that the user set, which messages show. The actual limit is `factor` times as high.
    """

    def __init__(self, requested: int, *, factor: int = 1) -> None:
        self._requested = requested
        self.max_steps = requested * factor
        self.interrupted = False  # True once the user has pressed Ctrl-C, and in all later executions
        self.expired = False  # True once the deadline has passed during this execution
        self._unsampled = max(0, self.max_steps - SAMPLE)  # number of steps before lines are recorded
        self._sample: set[tuple[str, Place | None]] = set()

    @property
    def stopped(self) -> bool:
        """Whether the execution must end regardless of its number of steps."""
        return self.interrupted or self.expired

    def begin(self) -> int:
        """Begin an execution; return the number of steps after which `reached` must be called."""
        self.expired = False
        self._sample.clear()
        return self._unsampled

    def reached(self, label: str, place: Place | None, steps: int) -> Outcome | None:
        """Record that a participant has reached a place; return the outcome if the execution must end now."""
        if self.stopped:
            return Outcome(OutcomeKind.INTERRUPTED, place.phrase if place else "")
        self._sample.add((label, place))
        if steps <= self.max_steps:
            return None
        lines = sorted(f"{label} {place.phrase}" for label, place in self._sample if place)
        return Outcome(
            OutcomeKind.STEP_LIMIT,
            f"the execution did not end within {count(self._requested, 'step')}: a livelock or a spinning loop",
            label,
            (OutcomeKind.STEP_LIMIT,),
            ("The last steps repeated these lines:", *(f"  {line}" for line in lines)) if lines else (),
        )
