"""What threads are called in every execution of a scenario: by descent.

T0 is the first thread, T2 the second that it started, T2.1 the first that T2 started. A thread that nobody was
seen to start, as where code without probes starts it, is T?1, T?2, by the order of first accesses; that order can
be another in the next execution.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from raddle.labels import child_label

MAX_LABEL_LENGTH = 60  # characters of a label; threads can start each other in a row without end


class Labels:
    """The labels of the threads of one execution.

    >>> labels = Labels()
    >>> for starter, started in [(0, 1), (0, 2), (2, 3)]: labels.start(starter, started)
    >>> [labels.of(thread) for thread in range(5)]
    ['T0', 'T1', 'T2', 'T2.1', None]
    >>> labels.settle([4, 1])
    >>> labels.of(4)
    'T?1'
    """

    def __init__(self) -> None:
        self._labels: dict[int, str] = {0: "T0"}
        self._places: dict[int, tuple[int, int]] = {}  # thread -> who started it, and how many that one had by then
        self._children: dict[int, int] = {}
        self._unknown = 0

    def start(self, starter: int, started: int) -> None:
        """One thread started another. May be told after the other's first accesses."""
        self._children[starter] = self._children.get(starter, 0) + 1
        self._places.setdefault(started, (starter, self._children[starter]))

    def of(self, thread: int) -> str | None:
        """None if the thread, or one that it descends from, was not seen started yet."""
        label = self._labels.get(thread)
        if label is None:
            line = self._line(thread)
            label = self._labels.get(line.pop())
            while line and label is not None:
                child = line.pop()
                label = self._labels[child] = _child(label, self._places[child][1])
        return label

    def settle(self, threads: Iterable[int]) -> None:
        """No more threads will be seen started; these, in this order, need a label."""
        for thread in threads:
            if self.of(thread) is None:
                self._unknown += 1
                self._labels[self._line(thread)[-1]] = f"T?{self._unknown}"

    def _line(self, thread: int) -> list[int]:
        """The thread and those it descends from, up to one that has a label or that nobody started."""
        line = [thread]
        while line[-1] in self._places and line[-1] not in self._labels:
            line.append(self._places[line[-1]][0])
        return line


def _child(parent: str, index: int) -> str:
    label = child_label(parent, index)
    return label if len(label) <= MAX_LABEL_LENGTH else f"T~{blake2b(label.encode(), digest_size=6).hexdigest()}"
