"""What a finding must show to be the known bug of a package: the symptoms in a file of predicates.

The predicates are strict. A finding that shows another race of the same class does not match.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Symptom:
    """One way in which a bug shows."""

    kind: str  # "exception", "hang" or "outcome"
    exceptions: tuple[str, ...] = ()  # the classes of which the exception must be one
    functions: tuple[str, ...] = ()  # functions, without their class, one of which raises it or is interrupted
    threads: tuple[tuple[str, ...], ...] = ()  # for each of some threads, patterns of methods; it calls one of them
    text: str = ""  # what the message of the failing test contains

    def fits(self, finding: Mapping[str, Any]) -> bool:
        """Return whether a finding, in the JSON form of `raddle generate`, shows this symptom.

        >>> found = {"kind": "exception", "exception": "KeyError", "threads": [["pop"], ["clear", "pop"]]}
        >>> Symptom("exception", ("KeyError",), threads=(("pop",), ("pop",))).fits(found)
        True
        >>> Symptom("exception", ("KeyError",), threads=(("clear",), ("clear",))).fits(found)
        False
        """
        exception = (finding.get("exception") or "").rpartition(".")[2]
        functions = (finding.get("function") or "").split(".")  # those that enclose it, too
        return (
            finding["kind"] == self.kind
            and (not self.exceptions or exception in self.exceptions)
            and (not self.functions or not set(self.functions).isdisjoint(functions))
            and _called(self.threads, finding["threads"])
            and self.text in f"{finding['message']}\n{finding.get('story') or ''}"
        )


def _called(wanted: Sequence[Sequence[str]], threads: Sequence[Sequence[str]]) -> bool:
    """Return whether different threads call the wanted methods."""
    if not wanted:
        return True
    return any(
        _calls_one(thread, wanted[0]) and _called(wanted[1:], [*threads[:number], *threads[number + 1 :]])
        for number, thread in enumerate(threads)
    )


def _calls_one(thread: Iterable[str], patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(method, pattern) for method in thread for pattern in patterns)


def read_symptoms(path: Path) -> dict[str, tuple[Symptom, ...]]:
    """Read a file of predicates: a table for each bug, or an array of tables if it shows in several ways."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: tuple(_symptoms(name, table)) for name, table in tables.items()}


def _symptoms(name: str, table: Any) -> Iterator[Symptom]:
    for entry in table if isinstance(table, list) else [table]:
        unknown = entry.keys() - {"kind", "exceptions", "functions", "threads", "text"}
        if unknown:
            raise ValueError(f"{name}: unknown keys {', '.join(sorted(unknown))}")
        yield Symptom(
            entry["kind"],
            tuple(entry.get("exceptions", ())),
            tuple(entry.get("functions", ())),
            tuple(map(tuple, entry.get("threads", ()))),
            entry.get("text", ""),
        )
