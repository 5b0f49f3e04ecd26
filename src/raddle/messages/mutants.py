"""Mutants: copies of a message-passing program with one defect each."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from raddle.messages.defects import Defect
from raddle.messages.message_defects import MESSAGE_OPERATORS
from raddle.messages.program_text import Edit, ProgramText
from raddle.messages.statement_defects import STATEMENT_OPERATORS

OPERATORS = {**STATEMENT_OPERATORS, **MESSAGE_OPERATORS}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A program with one defect."""

    defect: Defect
    line: int
    column: int
    before: str  # the source that was replaced
    after: str
    source: str  # the whole program

    def __str__(self) -> str:
        after = self.after.replace("\n", " ")
        return f"line {self.line}: {self.before.splitlines()[0]} -> {after}"


def mutants(source: str, defects: Iterable[Defect] = tuple(Defect)) -> list[Mutant]:
    """Return all mutants of a program, in the order of the kinds of defect and of the source.

    Mutants that do not compile, or that are equal to the program or to another mutant, are left out.

    >>> program = "data = comm.recv(source=1)\\nif data > 2:\\n    print(data)\\n"
    >>> for mutant in mutants(program, [Defect.ANY_SOURCE, Defect.PREDICATE]): print(mutant)
    line 1: 1 -> MPI.ANY_SOURCE
    line 2: data > 2 -> data >= 2
    line 2: data > 2 -> data < 2
    line 2: data > 2 -> not (data > 2)
    """
    text = ProgramText.parse(source)
    seen = {ast.dump(text.tree)}
    found = []
    for defect in sorted(defects):
        for edit in sorted(OPERATORS[defect](text), key=lambda edit: edit.start):
            mutant = _mutant(text, defect, edit, seen)
            if mutant is not None:
                found.append(mutant)
    return found


def _mutant(text: ProgramText, defect: Defect, edit: Edit, seen: set[str]) -> Mutant | None:
    changed = text.apply(edit)
    try:
        shape = ast.dump(ast.parse(changed))
        compile(changed, "<mutant>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    if shape in seen:
        return None
    seen.add(shape)
    line, column = text.position(edit.start)
    return Mutant(defect, line, column, text.source[edit.start : edit.end], edit.text, changed)


def sample(candidates: Iterable[Mutant], wanted: int, seed: int) -> Iterator[Mutant]:
    """Yield some of the mutants, spread over the kinds of defect as evenly as possible.

    >>> chosen = list(sample(mutants("x = 1 + 2\\ny = x - 3\\n"), 4, seed=1))
    >>> len(chosen), len({mutant.defect for mutant in chosen})
    (4, 3)
    """
    random = Random(seed)
    by_defect: dict[Defect, list[Mutant]] = {}
    for mutant in candidates:
        by_defect.setdefault(mutant.defect, []).append(mutant)
    for group in by_defect.values():
        random.shuffle(group)
    while wanted > 0 and any(by_defect.values()):
        for group in by_defect.values():
            if group and wanted > 0:
                wanted -= 1
                yield group.pop()
