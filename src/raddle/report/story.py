"""Stories: findings explained step by step, with the places where threads were preempted."""

from __future__ import annotations

import linecache
from collections.abc import Iterator

from raddle.event import Event
from raddle.finding import ANY_MPI, FREE_THREADED_ONLY, THIS_INTERPRETER, WITHOUT_BUFFERING, Finding
from raddle.operation import verb_of
from raddle.report.folding import fold
from raddle.report.lock_names import with_names
from raddle.report.plain import in_one_line, plain, shortened
from raddle.report.rows import Row, rows_of
from raddle.story_length import StoryLength

_POSSIBLE_ON = {
    THIS_INTERPRETER: "can happen on this interpreter",
    FREE_THREADED_ONLY: "only on free-threaded builds: this interpreter does not switch there",
    ANY_MPI: "can happen with every MPI library",
    WITHOUT_BUFFERING: "only if sends wait for their receives, as those of large messages do",
}
LONGEST_CODE = 44  # maximum number of characters of a source line to show


def story_text(
    finding: Finding,
    target: str | None = None,
    *,
    replay: str | None = None,
    length: StoryLength = StoryLength.SHORT,
) -> str:
    """Return the text of a finding, from the headline to the replay command.

    `target` names the scenario in the replay command. `replay`, if given, replaces the whole command.
    """
    lines = [headline(finding), ""]
    steps = list(_steps(finding, length))
    if steps:
        lines += [*steps, ""]
    if finding.details:
        lines += [*details_of(finding), ""]
    if finding.schedule is not None:
        lines.append("replay: " + (replay or replay_command(finding, target)))
    return plain("\n".join(lines)).rstrip()


def details_of(finding: Finding) -> tuple[str, ...]:
    """Return the lines of the traceback, or lines that say which thread waits for which lock."""
    waits = with_names(finding.waits, finding.trace)
    return (*map(str, waits), *finding.details[len(waits) :])


def headline(finding: Finding) -> str:
    """Return the headline: the failure, its thread and whether it can happen on this interpreter.

    It is a single line, unless the exception message has several lines.
    """
    in_thread = f" in {finding.thread}" if finding.thread else ""
    where = ""
    if finding.possible_on == WITHOUT_BUFFERING:  # the most helpful fact about such a failure
        where = f" ({_POSSIBLE_ON[finding.possible_on]})"
    elif finding.every_order is not None:
        where = f" ({finding.every_order})"
    elif finding.schedule is not None:
        where = f" ({_POSSIBLE_ON.get(finding.possible_on, finding.possible_on)})"
    first, *more = plain(finding.message).split("\n")
    return plain("\n".join([f"{finding.kind}{in_thread}: {first}{where}", *more]))


def replay_command(finding: Finding, target: str | None) -> str:
    """Return the command that reproduces a finding, or a line of Python if there is no target."""
    if target is None:
        return finding.replay_options.line(str(finding.schedule))
    return finding.replay_options.command(target, str(finding.schedule))


def _steps(finding: Finding, length: StoryLength) -> Iterator[str]:
    rows = rows_of(finding)
    lines = [
        line if isinstance(line, str) else _cells(line, finding)
        for line in (fold(rows, finding) if length is StoryLength.SHORT else rows)
    ]
    full = [line for line in lines if not isinstance(line, str)]
    widths = [max((len(line[column]) for line in full), default=0) for column in range(3)]
    for line in lines:
        if isinstance(line, str):
            yield f"  {in_one_line(line)}"
        else:
            padded = [cell.ljust(width) for cell, width in zip(line, widths, strict=False)]
            yield "  " + "  ".join([*padded, line[3]]).rstrip()


def _cells(row: Row, finding: Finding) -> tuple[str, ...] | str:
    """Return the columns of a step, or a single text for a preemption."""
    if row.stop is not None:
        return f"----- {row.stop.thread} is preempted here; its next step: {row.stop.place} -----"
    event = row.event
    assert event is not None
    cells = event.thread, f"{event.file}:{event.line}", _code(event, finding), step_text(event)
    return tuple(map(in_one_line, cells))


def step_text(event: Event) -> str:
    """Return the operation of a step, as in 'reads Counter.value: 0'."""
    verb = verb_of(event.kind)
    text = f"{verb} {event.variable}".rstrip()
    return f"{text}: {event.value}" if event.value else text


def _code(event: Event, finding: Finding) -> str:
    """Return the source line of an event, shortened to fit."""
    line = linecache.getline(finding.paths.get(event.file, event.file), event.line).strip()
    return shortened(in_one_line(line[: LONGEST_CODE + 1]), LONGEST_CODE)
