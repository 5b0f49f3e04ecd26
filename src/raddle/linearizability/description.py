"""Describes a violation: a sentence that says what went wrong, and a table of the legal outcomes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from raddle.inspection import qualname_of, stored_fields
from raddle.linearizability.call_names import call_name
from raddle.linearizability.comparison import SHARED_FORM, Comparable, Forms, Repeated, Unordered, without_identities
from raddle.linearizability.concurrent_calls import ConcurrentCalls
from raddle.linearizability.history import OBSERVERS, Ending, EndingKind, History, Position
from raddle.linearizability.judgment import Oracle, Violation
from raddle.linearizability.legal import LegalHistories

MAX_LINES = 12  # maximum number of legal outcomes that a table shows
LONGEST_VALUE = 60  # maximum number of characters of a value
LONGEST_NEEDED = 1_000  # the same if values differ only after more characters
MAX_DEPTH = 2  # objects nested more deeply are shown without their attributes
_NUMBERED = re.compile(r"<[\w.<>]+ \d+>")


@dataclass(frozen=True, slots=True)
class _Detail:
    """How much the lines of a table say."""

    identities: bool  # whether they say which mutable values are the same object
    longest: int = LONGEST_VALUE


_EQUAL = _Detail(identities=True)  # for lines that are equal with any detail
_DETAILS = (_Detail(identities=False), _EQUAL, _Detail(identities=True, longest=LONGEST_NEEDED))


@dataclass(frozen=True, slots=True)
class CallNames:
    """The names of the calls of a test.

    >>> CallNames.of(ConcurrentCalls(list, [[len], [repr]])).threads
    (('len()',), ('repr()',))
    """

    threads: tuple[tuple[str, ...], ...]
    observers: tuple[str, ...] = ()
    invariants: tuple[str, ...] = ()

    def at(self, position: Position) -> str:
        """Return the name of a call or an observer."""
        row, index = position
        return self.observers[index] if row == OBSERVERS else self.threads[row][index]

    @classmethod
    def of(cls, calls: ConcurrentCalls) -> CallNames:
        """Return the names of the calls, which must not be instrumented yet."""
        return cls(
            tuple(tuple(map(call_name, thread)) for thread in calls.threads),
            tuple(map(call_name, calls.observers)),
            tuple(map(call_name, calls.invariants)),
        )


def sentence(violation: Violation, legal: LegalHistories, names: CallNames) -> str:
    """Return a sentence that says what went wrong."""
    calls = list(map(names.at, violation.calls))
    match violation.oracle:
        case Oracle.EXCEPTIONS:
            raised = violation.exception.removeprefix("builtins.").rpartition(".")[2]
            if violation.is_in_own_thread:
                return f"a thread that the calls start raised {raised}, which it does in no order of whole calls"
            if violation.is_observed:
                return f"{calls[0]} raised {raised} afterwards, which it does after no order of whole calls"
            return f"{calls[0]} raised {raised}, which no order of whole calls does"
        case Oracle.HANGS:
            return f"{_enumerated(calls)} never ended, which happens in no order of whole calls"
        case Oracle.INVARIANTS:
            broken = [names.invariants[number] for number in violation.history.broken]
            verb, pronoun, holds = ("does", "it", "holds") if len(broken) == 1 else ("do", "they", "hold")
            return f"{_enumerated(broken)} {verb} not hold, although {pronoun} {holds} after every order of whole calls"
        case Oracle.RESULTS:
            made = _enumerated([name for thread in names.threads for name in thread])
            return f"the results of {made} are {_none_of(legal, 'results')} that whole calls give"
        case Oracle.STATE:
            what = "the results and the final state" if any(map(len, violation.history.threads)) else "the final state"
            return f"{what} are {_none_of(legal, 'state')} that whole calls give"


def _none_of(legal: LegalHistories, what: str) -> str:
    distinct: list[object] = []
    for history in legal.histories:
        if (compared := _compared(history, what)) not in distinct:
            distinct.append(compared)
    return "not those" if len(distinct) == 1 else f"none of the {len(distinct)}"


def _compared(history: History, what: str) -> object:
    return history.threads if what == "results" else (history.threads, history.observed)


def _enumerated(names: Sequence[str]) -> str:
    """Return the names as an enumeration.

    >>> _enumerated(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def table(violation: Violation, legal: LegalHistories, names: CallNames) -> str:
    """Return the legal outcomes, one per line, and the outcome of the execution.

    Lines about unequal objects can be equal. Then another line says which results differ. The lines say which mutable
    values are the same object, and contain long values completely, only if they are equal otherwise.
    """
    with_state = violation.oracle is Oracle.STATE or violation.is_observed
    line, lines = _lines(violation, legal, names, with_state)
    shown = lines[:MAX_LINES]
    if len(lines) > MAX_LINES:
        shown.append(f"... and {len(lines) - MAX_LINES} more")
    return "\n".join(
        [
            "whole calls give" + (" one of these:" if len(lines) > 1 else ":"),
            *(f"  {line}" for line in shown),
            "this execution gave:",
            f"  {line}",
            *_remarks(violation, legal, names, with_state, [*shown, line]),
        ]
    )


def _lines(violation: Violation, legal: LegalHistories, names: CallNames, with_state: bool) -> tuple[str, list[str]]:
    """Return the line of the execution and the distinct lines of the legal histories."""
    for detail in _DETAILS:
        line = _line(violation.history, legal, names, with_state, detail)
        lines = list(dict.fromkeys(_line(history, legal, names, with_state, detail) for history in legal.histories))
        if line not in lines:
            return line, lines
    line = _line(violation.history, legal, names, with_state, _EQUAL)
    return line, list(dict.fromkeys(_line(one, legal, names, with_state, _EQUAL) for one in legal.histories))


def _remarks(
    violation: Violation, legal: LegalHistories, names: CallNames, with_state: bool, shown: Sequence[str]
) -> Iterator[str]:
    """Yield lines that explain how objects differ."""
    if any(_NUMBERED.search(line) for line in shown):
        yield "(objects with the same number are the same object, others are different objects)"
    line = shown[-1]
    for history in legal.histories:
        if _line(history, legal, names, with_state, _EQUAL) == line:
            rows = [*zip(history.threads, violation.history.threads, names.threads, strict=True)]
            if with_state:
                rows.append((history.observed, violation.history.observed, names.observers))
            unequal = [name for row in rows for one, other, name in zip(*row, strict=True) if one != other]
            if unequal:
                yield f"(the lines are equal, but {_enumerated(unequal)} returned an object that is not equal)"
            return


def _line(history: History, legal: LegalHistories, names: CallNames, with_state: bool, detail: _Detail) -> str:
    calls = [
        _call(name, ending, (number, index) in legal.volatile, detail)
        for number, (endings, row) in enumerate(zip(history.threads, names.threads, strict=True))
        for index, (ending, name) in enumerate(zip(endings, row, strict=True))
    ]
    text = ", ".join(calls)
    if with_state and history.observed:
        seen = zip(names.observers, history.observed, strict=True)
        text += "; then " + ", ".join(
            _call(name, ending, (OBSERVERS, index) in legal.volatile, detail)
            for index, (name, ending) in enumerate(seen)
        )
    if history.escaped:
        raised = _enumerated([name.rpartition(".")[2] for name in history.escaped])
        text += f"; a thread that they start raises {raised}"
    return text


def _call(name: str, ending: Ending, volatile: bool, detail: _Detail) -> str:
    match ending.kind:
        case EndingKind.RETURNED:
            form = ending.value if detail.identities else without_identities(ending.value)
            return f"{name} -> {'(varies)' if volatile else value_text(form, longest=detail.longest)}"
        case EndingKind.RAISED:
            return f"{name} raises {str(ending.value).rpartition('.')[2]}"
        case EndingKind.PENDING:
            return f"{name} never ends"
        case EndingKind.NOT_MADE:
            return f"{name} is not made"


def value_text(form: Any, *, longest: int = LONGEST_VALUE) -> str:
    """Return a comparable form as readers would write the value.

    >>> value_text(("list", 1, ("tuple", "a"), ("object", "Node", 2)))
    "[1, ('a',), <Node 2>]"
    """
    text = _text(form, 0)
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def _text(form: Any, depth: int) -> str:
    if isinstance(form, Comparable):
        return _object_text(form.value, depth)
    if isinstance(form, Repeated):
        return f"{_text(form.form, depth)} (the same object)"
    if not isinstance(form, tuple):
        return repr(form)
    if form == SHARED_FORM:
        return "the shared object"
    match form:
        case ("object", name, number):
            return f"<{name} {number}>" if number else f"<{name}>"
        case ("exception" | "name", name):
            return str(name)
        case ("method", name, _):
            return str(name)
        case ("set", Unordered() as unordered):
            return f"{{{_items(unordered.items, depth)}}}" if unordered.items else "set()"
        case ("dict", Unordered() as unordered):
            pairs = (f"{_text(key, depth)}: {_text(value, depth)}" for key, value in unordered.items)
            return "{" + ", ".join(pairs) + "}"
        case ("tuple", *items):
            return f"({_items(items, depth)}{',' if len(items) == 1 else ''})"
        case ("list" | "view", *items):
            return f"[{_items(items, depth)}]"
        case ("deque" | "bytearray" as name, *items):
            return f"{name}([{_items(items, depth)}])"
        case (name, *items):
            return f"{name}({_items(items, depth)})"
    return repr(form)


def _items(items: Sequence[Any], depth: int) -> str:
    return ", ".join(_text(item, depth) for item in items)


def _object_text(value: object, depth: int) -> str:
    """Return the attributes of an object whose class defines `__eq__`, without running its code."""
    name = qualname_of(type(value))
    fields = stored_fields(value)
    if not fields or depth >= MAX_DEPTH:
        return f"<{name}>"
    return f"{name}({', '.join(f'{key}={_text(Forms().of(field), depth + 1)}' for key, field in fields.items())})"
