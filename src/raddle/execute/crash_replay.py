"""Last words: what an execution had done when its process died.

The child that runs it counts its moments where the parent can see them. Should it die, the same is run again in another
child, which stops at the last of these moments, tells what it has done so far, and ends. So as long as nobody dies,
nothing but a number is kept.
"""

from __future__ import annotations

import mmap
import threading
from collections.abc import Callable
from typing import Any

from raddle.engine.carrier import Carrier
from raddle.engine.sharing import Variable
from raddle.observers.story import Watched
from raddle.operation import Kind
from raddle.outcome import Outcome

_LOOK_FURTHER = "`python -X faulthandler` shows where a segmentation fault happens"


class Pulse:
    """Counted by a child, read by its parent."""

    def __init__(self) -> None:
        self._count = memoryview(mmap.mmap(-1, 8)).cast("q")  # shared with children
        self._last = 0
        self.tell: Callable[[str], None] = lambda thread: None  # called at the last moment

    @property
    def count(self) -> int:
        return self._count[0]

    def begin(self, *, last: int = 0) -> None:
        """Count from 0 on; something is to be told at the last, if that is known."""
        self._count[0], self._last = 0, last

    def beat(self, thread: str) -> None:
        """Another moment, in that thread."""
        self._count[0] = count = self._count[0] + 1
        if count == self._last:
            self.tell(thread)


class Mortal(Watched):
    """An execution that is watched, moment by moment: its process may die."""

    pulse: Pulse

    def _carrier(self, run: Callable[[], object], thread: threading.Thread | None) -> Carrier:
        def begin() -> object:
            self.pulse.beat(carrier.label)
            return run()

        carrier = super()._carrier(begin, thread)
        return carrier

    def reach(self, me: Carrier) -> None:
        super().reach(me)
        self.pulse.beat(me.label)

    def accessed(self, me: Carrier, kind: Kind, variable: Variable, site: int, value: object) -> None:
        super().accessed(me, kind, variable, site, value)
        self.pulse.beat(me.label)

    def happened(self, me: Carrier, kind: Kind, target: object, value: object = None) -> None:
        super().happened(me, kind, target, value)
        self.pulse.beat(me.label)

    def entered(self, me: Carrier, site: int) -> None:
        super().entered(me, site)
        self.pulse.beat(me.label)

    def left(self, me: Carrier, site: int) -> None:
        super().left(me, site)
        self.pulse.beat(me.label)


class Choices:
    """A scheduler's choices, counted; and those that led to where it stands now."""

    def __init__(self, pulse: Pulse, choose: Callable[[Any, Any], Any], before: Callable[[], list[int]]) -> None:
        self._pulse = pulse
        self._choose = choose
        self._before = before
        self._last: tuple[int, tuple[int, ...]] = (0, ())  # how many came before, and the last one

    def choose(self, enabled: Any, current: Any) -> Any:
        chosen = self._choose(enabled, current)
        self._last = len(self._before()), ((chosen.index,) if len(enabled) > 1 else ())
        self._pulse.beat(chosen.label)
        return chosen

    @property
    def decisions(self) -> tuple[int, ...]:
        """With the last one, which the controller has not been told yet."""
        count, last = self._last
        return (*self._before()[:count], *last)


def died(how: str) -> str:
    """
    >>> died("exit code 3")
    'the process died (exit code 3)'
    """
    return f"the process died ({how})"


def crash(how: str, thread: str = "") -> Outcome:
    """What becomes of an execution whose process dies, and of the thread that it died in.

    >>> crash("exit code 3", "T1").signature
    ('crash', 'exit code 3')
    """
    details = (_LOOK_FURTHER,) if how.startswith("killed") else ()
    return Outcome("crash", died(how), thread, ("crash", how), details)
