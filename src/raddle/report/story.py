"""A story: a finding retold for people, step by step, with the places where a thread was stopped."""

from __future__ import annotations

import linecache
from collections.abc import Iterator

from raddle.event import Event
from raddle.finding import FREE_THREADED_ONLY, Finding
from raddle.report.lock_names import with_names
from raddle.report.plain import in_one_line, plain, shortened

MOST_STEPS = 60  # a story longer than that shows its end
LONGEST_CODE = 44  # characters of a line of source
UNTOLD = ("enter", "leave", "join", "end")
VERBS = {
    "is-set": "looks at",
    "try-acquire": "tries to acquire",
    "try-down": "tries to get a permit of",
    "down": "gets a permit of",
    "up": "gives a permit back to",
    "wait-set": "has waited for",
    "woken": "wakes from",
    "wait": "waits for",
    "put": "puts into",
    "get": "gets from",
    "read": "reads",
    "write": "writes",
    "delete": "deletes",
    "acquire": "acquires",
    "release": "releases",
    "notify": "notifies",
    "set": "sets",
    "clear": "clears",
    "start": "starts",
}


def tell(finding: Finding, target: str | None = None, *, replay: str | None = None) -> str:
    """The whole story; `target` is what `raddle replay` calls the scenario, `replay` a command to give instead."""
    lines = [headline(finding), ""]
    steps = list(_steps(finding))
    if steps:
        lines += [*steps, ""]
    if finding.details:
        lines += [*with_names(finding.details, finding.trace), ""]
    if finding.schedule is not None:
        lines.append("replay: " + (replay or replay_command(finding, target)))
    return plain("\n".join(lines)).rstrip()


def headline(finding: Finding) -> str:
    """What happened, to whom, and where it can happen: one line, unless the exception's text has more."""
    who = f" in {finding.thread}" if finding.thread else ""
    where = ""
    if finding.every_order is not None:
        where = f" ({finding.every_order})"
    elif finding.schedule is not None:
        where = "can happen on this interpreter"
        if finding.possible_on == FREE_THREADED_ONLY:
            where = "only on free-threaded builds: this interpreter does not switch there"
        where = f" ({where})"
    first, *more = plain(finding.message).split("\n")
    return plain("\n".join([f"{finding.kind}{who}: {first}{where}", *more]))


def replay_command(finding: Finding, target: str | None) -> str:
    """The one command, or line of Python, that shows the finding again."""
    if target is None:
        return finding.replaying.line(str(finding.schedule))
    return finding.replaying.command(target, str(finding.schedule))


def _steps(finding: Finding) -> Iterator[str]:
    told = {
        id(event) for event in finding.trace.shared() if event.kind not in UNTOLD and event.file != "stdlib"
    }  # the insides of a pool are nobody's news
    rows: list[tuple[str, ...]] = []
    stops = list(finding.preemptions)
    for index, event in enumerate(finding.trace):
        while stops and stops[0].before <= index:
            stop = stops.pop(0)
            rows.append((in_one_line(f"----- {stop.thread} is stopped here, before {stop.place} -----"),))
        if id(event) in told:
            cells = event.thread, f"{event.file}:{event.line}", _code(event, finding), deed(event)
            rows.append(tuple(map(in_one_line, cells)))
    if len(rows) > MOST_STEPS:
        yield f"  ... {len(rows) - MOST_STEPS} earlier steps ..."
        rows = rows[-MOST_STEPS:]
    full = [row for row in rows if len(row) > 1]
    widths = [max((len(row[column]) for row in full), default=0) for column in range(3)]
    for row in rows:
        if len(row) == 1:
            yield f"  {row[0]}"
        else:
            padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
            yield "  " + "  ".join([*padded, row[3]]).rstrip()


def deed(event: Event) -> str:
    """What the thread did: 'reads Counter.value = 0'."""
    verb = VERBS.get(event.kind, event.kind)
    text = f"{verb} {event.variable}".rstrip()
    return f"{text}: {event.value}" if event.value else text


def _code(event: Event, finding: Finding) -> str:
    """The line of source, as far as it fits."""
    line = linecache.getline(finding.paths.get(event.file, event.file), event.line).strip()
    return shortened(in_one_line(line[: LONGEST_CODE + 1]), LONGEST_CODE)
