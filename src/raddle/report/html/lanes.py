"""Swim-lanes: a finding with a column for each thread, time downwards, and arrows for what went from one to another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from raddle.event import Event
from raddle.finding import Finding
from raddle.labels import label_sort_key
from raddle.operation import ACQUIRE, DELETE, END, ENTER, JOIN, LEAVE, READ, RELEASE, START, TAKES, WAIT, WRITE, verb_of
from raddle.report import story
from raddle.report.plain import in_one_line, shortened

MAX_STEPS = 300  # a story longer than that shows its end
LONGEST_CODE, LONGEST_TEXT = 120, 300  # characters of a line of source, of whatever else a step has
READS, HANDS_OVER, ORDERS = "reads-from", "hand-over", "order"  # kinds of arrow
EARLY = "early"  # reads what was written before the thread was started: no news
_READ = "reads what {thread} wrote in step {step}"
_SAID = {READS: _READ, EARLY: _READ, HANDS_OVER: "got from {thread} in step {step}"}
_UNTOLD = frozenset({ENTER, LEAVE})
_ENDS: dict[str, str] = {END: "ends", JOIN: "has waited for the end of"}

# What gives, and who takes it: a step of the second kind takes from the last step of the first kind at the same thing.
_TAKES_FROM: dict[str, tuple[str, tuple[str, ...]]] = {
    **{kind: (HANDS_OVER, (kind.partner,)) for kind in TAKES},
    READ: (READS, (WRITE, DELETE)),
    ACQUIRE: (HANDS_OVER, (RELEASE, WAIT)),
}

Code = Callable[[str, int], str]  # a line of source, by file and line


@dataclass(frozen=True, slots=True)
class Cell:
    """One step."""

    number: int  # from 1
    thread: int  # its column
    place: str  # "log.py:9", "" where it has none
    file: str
    line: int
    code: str
    verb: str
    subject: str
    value: str
    source: int = 0  # the step that an arrow leads from, 0 if there is none
    arrow: str = ""  # its kind
    why: str = ""  # the arrow in words


@dataclass(frozen=True, slots=True)
class Stop:
    """A thread that could have gone on was stopped here."""

    thread: int
    place: str
    decisive: bool  # the last one: without it, nothing goes wrong
    with_gil: bool


@dataclass(frozen=True, slots=True)
class Lanes:
    """A whole story."""

    threads: tuple[str, ...]
    rows: tuple[Cell | Stop, ...]
    left_out: int = 0  # steps at the beginning

    def text(self) -> str:
        """The same for a mail or a ticket."""
        cells = [row for row in self.rows if isinstance(row, Cell)]
        widths = [
            max((len(text) for text in column), default=0)
            for column in ([self.threads[c.thread] for c in cells], [c.place for c in cells], map(_in_text, cells))
        ]
        lines = [f"... {self.left_out:,} earlier steps ..."] if self.left_out else []
        for row in self.rows:
            thread = self.threads[row.thread]
            if isinstance(row, Stop):
                lines.append(f"----- {thread} is stopped here, before {row.place} -----")
            else:
                three = (thread, row.place, _in_text(row))
                columns = [text.ljust(width) for text, width in zip(three, widths, strict=True)]
                deed = f"{row.verb} {row.subject}".rstrip() + (f": {row.value}" if row.value else "")
                lines.append("  ".join([*columns, deed]).rstrip())
        return "\n".join(lines)


def _in_text(cell: Cell) -> str:
    """Its code as the story on a terminal has it: rows stay short."""
    return shortened(cell.code, story.LONGEST_CODE)


def lanes_of(finding: Finding, code: Code) -> Lanes:
    """Return the story of a finding.

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
        if step is not None and _told(step):
            number += 1
            rows.append(_cell(step, number, columns, sources.get(index), code))
    return _without_empty_lanes(Lanes(threads, tuple(rows[-MAX_STEPS:]), max(0, len(rows) - MAX_STEPS)))


def _without_empty_lanes(lanes: Lanes) -> Lanes:
    """Threads that took none of the steps that are left need no column."""
    busy = sorted({row.thread for row in lanes.rows})
    columns = {thread: column for column, thread in enumerate(busy)}
    rows = tuple(replace(row, thread=columns[row.thread]) for row in lanes.rows)
    return Lanes(tuple(lanes.threads[thread] for thread in busy), rows, lanes.left_out)


def _told(step: Event) -> bool:
    return step.kind not in _UNTOLD and (step.file != "stdlib" or step.kind == END)  # not the insides of a pool


def _cell(
    step: Event,
    number: int,
    columns: Mapping[str, int],
    source: tuple[int, str, str] | None,
    code: Code,
) -> Cell:
    file, line = step.file, step.line
    from_, arrow, giver = source or (0, "", "")
    return Cell(
        number=number,
        thread=columns[step.thread],
        place=_text(f"{file}:{line}") if line else "",
        file=file,
        line=line,
        code=_text(code(file, line).strip(), LONGEST_CODE) if line else "",
        verb=_ENDS.get(step.kind) or verb_of(_text(step.kind)),
        subject=_text(step.variable),
        value=_text(step.value),
        source=from_,
        arrow=arrow,
        why=_SAID[arrow].format(thread=giver, step=from_) if arrow in _SAID else "",
    )


def _text(text: str, longest: int = LONGEST_TEXT) -> str:
    """Of a text that may be a whole file only as much is looked at as is shown."""
    return shortened(in_one_line(text[: longest + 1]), longest)


def _sources(steps: Sequence[Event]) -> dict[int, tuple[int, str, str]]:
    """By index of a step: the number of the step that it takes from, how, and whose that was, if another thread's."""
    last: dict[tuple[str, object], tuple[int, str]] = {}  # by kind and thing: the step's number, and who
    begun: set[str] = set()
    found: dict[int, tuple[int, str, str]] = {}
    number = 0
    for index, step in enumerate(steps):
        if not _told(step):
            continue
        number += 1
        kind, thread, thing = step.kind, step.thread, step.datum
        arrow, givers = _TAKES_FROM.get(kind, ("", ()))
        takes = [last[giver, thing] for giver in givers if (giver, thing) in last]
        if not takes and kind == JOIN and (END, step.variable) in last:
            takes, arrow = [last[END, step.variable]], ORDERS
        if not takes and thread not in begun and (START, thread) in last:
            takes, arrow = [last[START, thread]], ORDERS
        begun.add(thread)
        if takes and (latest := max(takes))[1] != thread:
            early = arrow == READS and latest[0] < last.get((START, thread), (0, ""))[0]
            found[index] = (latest[0], EARLY if early else arrow, latest[1])
        if kind == START:
            last[START, step.variable] = (number, thread)
        elif kind == END:
            last[END, thread] = (number, thread)
        else:
            last[kind, thing] = (number, thread)
    return found
