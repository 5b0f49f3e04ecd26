"""Swimlanes: a drawing of a finding.

Each thread has a column, time runs downwards, and arrows show data flow and synchronization.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from raddle.event import Event
from raddle.finding import Finding
from raddle.labels import label_sort_key
from raddle.operation import (
    ACCESSES,
    ACQUIRE,
    DELETE,
    END,
    ENTER,
    JOIN,
    LEAVE,
    READ,
    RELEASE,
    START,
    TAKES,
    WAIT,
    WRITE,
    verb_of,
)
from raddle.report import story
from raddle.report.plain import in_one_line, shortened
from raddle.wording import count

MAX_STEPS = 300  # maximum number of rows; only the end of a longer story is shown
LONGEST_CODE, LONGEST_TEXT = 120, 300  # maximum length of a source line, and of any other text of a step
READS, HANDS_OVER, ORDERS = "reads-from", "hand-over", "order"  # kinds of arrow
READS_EARLY = "early"  # kind of arrow for reading a value that was written before the reading thread was started
_READ = "reads what {thread} wrote in step {step}"
_ARROW_TEXTS = {READS: _READ, READS_EARLY: _READ, HANDS_OVER: "handed over by {thread} in step {step}"}
_OMITTED_KINDS = frozenset({ENTER, LEAVE})

# Maps a kind of step to a kind of arrow, and to the kinds of step at which the arrow can start. The arrow starts at the
# last such step on the same object.
_TAKES_FROM: dict[str, tuple[str, tuple[str, ...]]] = {
    **{kind: (HANDS_OVER, (kind.partner,)) for kind in TAKES},
    READ: (READS, (WRITE, DELETE)),
    ACQUIRE: (HANDS_OVER, (RELEASE, WAIT)),
}

Code = Callable[[str, int], str]  # returns a source line, given its file and number


@dataclass(frozen=True, slots=True)
class Cell:
    """A step of a thread."""

    number: int  # number of the step, starting at 1
    thread: int  # index of the thread's column
    place: str  # for example "log.py:9"; "" if unknown
    file: str
    line: int
    code: str
    verb: str
    subject: str
    value: str
    source: int = 0  # number of the step at which this step's arrow starts; 0 if it has no arrow
    arrow: str = ""  # kind of the arrow
    why: str = ""  # description of the arrow


@dataclass(frozen=True, slots=True)
class Stop:
    """A row that shows where an enabled thread was preempted."""

    thread: int  # index of the thread's column
    place: str
    decisive: bool  # True for the last preemption, without which the execution does not fail
    with_gil: bool  # True if CPython with the GIL can switch threads at `place`


@dataclass(frozen=True, slots=True)
class Lanes:
    """The swimlanes of a finding."""

    threads: tuple[str, ...]  # names of the threads, one per column
    rows: tuple[Cell | Stop, ...]
    left_out: int = 0  # number of rows omitted at the beginning

    def text(self) -> str:
        """Return the steps as plain text, for an email or an issue."""
        cells = [row for row in self.rows if isinstance(row, Cell)]
        widths = [
            max((len(text) for text in column), default=0)
            for column in ([self.threads[c.thread] for c in cells], [c.place for c in cells], map(_in_text, cells))
        ]
        lines = [f"... {count(self.left_out, 'earlier step')} ..."] if self.left_out else []
        for row in self.rows:
            thread = self.threads[row.thread]
            if isinstance(row, Stop):
                lines.append(f"----- {thread} is preempted here; its next step: {row.place} -----")
            else:
                three = (thread, row.place, _in_text(row))
                columns = [text.ljust(width) for text, width in zip(three, widths, strict=True)]
                action = f"{row.verb} {row.subject}".rstrip() + (f": {row.value}" if row.value else "")
                lines.append("  ".join([*columns, action]).rstrip())
        return "\n".join(lines)


def _in_text(cell: Cell) -> str:
    """Return the code of a step, shortened as in the story on a terminal."""
    return shortened(cell.code, story.LONGEST_CODE)


def lanes_of(finding: Finding, code: Code) -> Lanes:
    """Return the swimlanes of a finding; `code` returns the source line of a step.

    >>> step = {"file": "c.py", "line": 3, "variable": "C.n", "object": 1}
    >>> steps = [{**step, "thread": "T1", "operation": "write", "value": "5"},
    ...          {**step, "thread": "T2", "operation": "read", "value": "5"}]
    >>> lanes = lanes_of(Finding.from_json({"steps": steps}), lambda file, line: "...")
    >>> lanes.threads, lanes.rows[1].source, lanes.rows[1].why
    (('T1', 'T2'), 1, 'reads what T1 wrote in step 1')
    """
    steps, stops = tuple(finding.trace), finding.preemptions
    threads = tuple(sorted({step.thread for step in steps} | {stop.thread for stop in stops}, key=label_sort_key))
    columns = {name: place for place, name in enumerate(threads)}
    sources = _sources(steps)
    rows: list[Cell | Stop] = []
    number = 0
    for index, step in enumerate([*steps, None]):
        for place, stop in enumerate(stops):
            if stop.before == index:
                decisive = place == len(stops) - 1
                rows.append(Stop(columns[stop.thread], _text(stop.place), decisive, stop.with_gil))
        if step is not None and _is_shown(step):
            number += 1
            rows.append(_cell(step, number, columns, sources.get(index), code))
    return _without_empty_lanes(Lanes(threads, tuple(rows[-MAX_STEPS:]), max(0, len(rows) - MAX_STEPS)))


def _without_empty_lanes(lanes: Lanes) -> Lanes:
    """Remove the columns of threads without a row."""
    busy = sorted({row.thread for row in lanes.rows})
    columns = {thread: column for column, thread in enumerate(busy)}
    rows = tuple(replace(row, thread=columns[row.thread]) for row in lanes.rows)
    return Lanes(tuple(lanes.threads[thread] for thread in busy), rows, lanes.left_out)


def _is_shown(step: Event) -> bool:
    # Steps inside the standard library, such as those of a thread pool, are hidden.
    return step.kind not in _OMITTED_KINDS and (step.file != "stdlib" or step.kind == END)


def _cell(
    step: Event,
    number: int,
    columns: Mapping[str, int],
    source: tuple[int, str, str] | None,
    code: Code,
) -> Cell:
    file, line = step.file, step.line
    from_, arrow, source_thread = source or (0, "", "")
    return Cell(
        number=number,
        thread=columns[step.thread],
        place=_text(f"{file}:{line}") if line else "",
        file=file,
        line=line,
        code=_text(code(file, line).strip(), LONGEST_CODE) if line else "",
        verb=verb_of(_text(step.kind)),
        subject=_text(step.variable),
        value=_text(step.value),
        source=from_,
        arrow=arrow,
        why=_ARROW_TEXTS[arrow].format(thread=source_thread, step=from_) if arrow in _ARROW_TEXTS else "",
    )


def _text(text: str, longest: int = LONGEST_TEXT) -> str:
    """Shorten a text. It is cut before it is escaped, because a value can be very long."""
    return shortened(in_one_line(text[: longest + 1]), longest)


def _sources(steps: Sequence[Event]) -> dict[int, tuple[int, str, str]]:
    """Map the index of a step to its arrow: the source step's number, the kind of arrow, and the source thread.

    Only arrows from one thread to another are included.
    """
    last: dict[tuple[str, object], tuple[int, str]] = {}  # maps (kind, object) to the (number, thread) of the last step
    begun: set[str] = set()
    found: dict[int, tuple[int, str, str]] = {}
    number = 0
    for index, step in enumerate(steps):
        if not _is_shown(step):
            continue
        number += 1
        kind, thread = step.kind, step.thread
        # A message has different names where it is sent and where it is received.
        subject = (step.object, "") if step.object and kind not in ACCESSES else step.datum
        arrow, source_kinds = _TAKES_FROM.get(kind, ("", ()))
        candidates = [last[source, subject] for source in source_kinds if (source, subject) in last]
        if not candidates and kind == JOIN and (END, step.variable) in last:
            candidates, arrow = [last[END, step.variable]], ORDERS
        if not candidates and thread not in begun and (START, thread) in last:
            candidates, arrow = [last[START, thread]], ORDERS
        begun.add(thread)
        if candidates and (latest := max(candidates))[1] != thread:
            early = arrow == READS and latest[0] < last.get((START, thread), (0, ""))[0]
            found[index] = (latest[0], READS_EARLY if early else arrow, latest[1])
        if kind == START:
            last[START, step.variable] = (number, thread)
        elif kind == END:
            last[END, thread] = (number, thread)
        else:
            last[kind, subject] = (number, thread)
    return found
