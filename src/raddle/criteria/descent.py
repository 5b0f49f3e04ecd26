"""Thread labels based on descent; a thread has the same label in every execution of a scenario.

T0 is the first thread, T2 the second thread that T0 started, and T2.1 the first thread that T2 started. Threads whose
start was not recorded, for example because code without probes started them, are labeled T?1, T?2 and so on, in the
order of their first accesses. That order can differ in the next execution.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from raddle.labels import child_label

MAX_LABEL_LENGTH = 60  # characters; without a limit, labels grow with the chain of ancestors


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
        # Maps each started thread to the thread that started it and to its index among that thread's children.
        self._places: dict[int, tuple[int, int]] = {}
        self._children: dict[int, int] = {}
        self._unknown = 0

    def start(self, starter: int, started: int) -> None:
        """Record that one thread started another; the started thread may already have accessed variables."""
        self._children[starter] = self._children.get(starter, 0) + 1
        self._places.setdefault(started, (starter, self._children[starter]))

    def of(self, thread: int) -> str | None:
        """Return the label of a thread; None if its start, or that of an ancestor, has not been recorded yet."""
        label = self._labels.get(thread)
        if label is None:
            line = self._line(thread)
            label = self._labels.get(line.pop())
            while line and label is not None:
                child = line.pop()
                label = self._labels[child] = _child(label, self._places[child][1])
        return label

    def settle(self, threads: Iterable[int]) -> None:
        """Assign labels, in the given order, to those threads that have none because a start was not recorded."""
        for thread in threads:
            if self.of(thread) is None:
                self._unknown += 1
                self._labels[self._line(thread)[-1]] = f"T?{self._unknown}"

    def _line(self, thread: int) -> list[int]:
        """Return the thread and its ancestors, up to the nearest one that has a label or no recorded start."""
        line = [thread]
        while line[-1] in self._places and line[-1] not in self._labels:
            line.append(self._places[line[-1]][0])
        return line


def _child(parent: str, index: int) -> str:
    label = child_label(parent, index)
    return label if len(label) <= MAX_LABEL_LENGTH else f"T~{blake2b(label.encode(), digest_size=6).hexdigest()}"
