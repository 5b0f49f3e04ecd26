"""Which lock is meant: lines that say who waits for whom call locks as the steps do, "Lock 2" instead of "Lock".

`raddle.checks.stuck.describe` makes these lines, and knows only the classes. The steps tell who took which lock where,
so a lock is known by its holder and the place; where several locks could be meant, the line stays as it is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from raddle.event import Event
from raddle.operation import ACQUIRE, RELEASE, WAIT

_AWAITED = re.compile(r"(?P<kind>\w+)(?=, held by (?P<holder>T[\d.]+) \(acquired at (?P<place>.+?:\d+)\))")
_HELD = re.compile(r"(?P<kind>\w+) \(acquired at (?P<place>.+?:\d+)\)")
_NOTIFIED = re.compile(r"(?<= waits for a notification of )(?P<kind>\w+)(?= at |;|$)")
_LONGEST = 4_000  # characters of such a line; it is none if it has more

_Holding = tuple[str, str, str]  # thread, class of the lock, place


def with_names(details: Iterable[str], steps: Iterable[Event]) -> tuple[str, ...]:
    """The lines, with names as far as they are certain.

    >>> steps = [Event("T1", "acquire", "Lock 1", 1, "m.py", 20), Event("T2", "acquire", "Lock 2", 2, "m.py", 24)]
    >>> with_names(["T1 waits to acquire Lock, held by T2 (acquired at m.py:24) at m.py:20; "
    ...             "holds Lock (acquired at m.py:20)"], steps)[0]
    'T1 waits to acquire Lock 2, held by T2 (acquired at m.py:24) at m.py:20; holds Lock 1 (acquired at m.py:20)'
    """
    steps = list(steps)
    held = _held(steps)
    last = {step.thread: step for step in steps}
    return tuple(_named(line, held, last) for line in details)


def _held(steps: Iterable[Event]) -> Mapping[_Holding, list[str]]:
    """Locks that are held after all steps, in the order in which they were taken."""
    taken: dict[str, _Holding] = {}
    for step in steps:
        if step.kind in (ACQUIRE, RELEASE):
            taken.pop(step.variable, None)  # waiting for a condition gives its lock away without a release
        if step.kind == ACQUIRE:
            taken[step.variable] = (step.thread, _class_of(step.variable), f"{step.file}:{step.line}")
    held = defaultdict(list)
    for name, holding in taken.items():
        held[holding].append(name)
    return held


def _named(line: str, held: Mapping[_Holding, list[str]], last: Mapping[str, Event]) -> str:
    thread, waits, _ = line.partition(" waits ")
    if not waits or len(line) > _LONGEST:
        return line

    def awaited(match: re.Match[str]) -> str:
        names = held.get((match["holder"], match["kind"], match["place"]), [])
        return names[0] if len(names) == 1 else match["kind"]

    def notified(match: re.Match[str]) -> str:
        step = last.get(thread)
        is_it = step is not None and step.kind == WAIT and _class_of(step.variable) == match["kind"]
        return step.variable if step is not None and is_it else match["kind"]

    waiting, holds, holding = line.partition("; holds ")
    waiting = _NOTIFIED.sub(notified, _AWAITED.sub(awaited, waiting, count=1), count=1)
    return waiting + holds + "".join(_own(holding, thread, held))


def _own(text: str, thread: str, held: Mapping[_Holding, list[str]]) -> Iterator[str]:
    """What a thread holds itself; several locks that it took in one line stand in the order of taking."""
    found = list(_HELD.finditer(text))
    same: dict[_Holding, list[re.Match[str]]] = defaultdict(list)
    for match in found:
        same[thread, match["kind"], match["place"]].append(match)
    end = 0
    for match in found:
        alike = same[thread, match["kind"], match["place"]]
        names: Sequence[str] = held.get((thread, match["kind"], match["place"]), ())
        if len(names) == len(alike):
            yield text[end : match.start()] + names[alike.index(match)]
            end = match.end("kind")
    yield text[end:]


def _class_of(name: str) -> str:
    """
    >>> _class_of("Lock 2")
    'Lock'
    """
    return name.rpartition(" ")[0]
