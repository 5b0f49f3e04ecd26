"""The step limit: ends executions that do not end by themselves, and executions that the user or a deadline ends."""

from __future__ import annotations

from raddle.outcome import Outcome, OutcomeKind
from raddle.place import Place
from raddle.wording import count

SAMPLE = 1_200  # steps looked at before the limit, to tell which lines of more than one participant repeat


class StepLimit:
    """How many steps an execution may have."""

    def __init__(self, asked: int, *, factor: int = 1) -> None:
        self._asked = asked
        self.most = asked * factor
        self.interrupted = False  # by the user, which lasts
        self.expired = False  # the deadline has passed in this execution
        self._free = max(0, self.most - SAMPLE)  # steps that are not looked at
        self._sample: set[tuple[str, Place | None]] = set()

    @property
    def stopped(self) -> bool:
        """Whether the execution has to end, however few steps it had."""
        return self.interrupted or self.expired

    def begin(self) -> int:
        """Begin an execution; return the number of steps after which `reached` has to be called."""
        self.expired = False
        self._sample.clear()
        return self._free

    def reached(self, label: str, place: Place | None, steps: int) -> Outcome | None:
        """Return the outcome of the execution if it has to end now."""
        if self.stopped:
            return Outcome(OutcomeKind.INTERRUPTED, str(place or ""))
        self._sample.add((label, place))
        if steps <= self.most:
            return None
        lines = sorted(f"{label} at {place}" for label, place in self._sample if place)
        return Outcome(
            OutcomeKind.STEP_LIMIT,
            f"the execution did not end within {count(self._asked, 'step')}: a livelock or a loop that spins",
            label,
            (OutcomeKind.STEP_LIMIT,),
            ("The last steps went round these lines:", *(f"  {line}" for line in lines)) if lines else (),
        )
