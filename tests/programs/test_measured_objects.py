"""Objects and locks are named by their class and by the line that creates them, in controlled and native executions.

In the programs, a comment `# makes Class` marks each line that creates a shared object or a lock.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import shelf

from processes import run
from raddle.criteria import criterion_class, shape_of
from raddle.criteria.sentences import Sentences
from raddle.entities import AbstractObject, AbstractVariable
from raddle.requirement import Role
from raddle.store import read
from raddle.store.contents import Contents

CRITERIA = "du-pairs,hbpair*"
PROGRAMS = ("absdata", "absobj")
MODES = {"controlled": ("explore", "::scenario"), "native": ("run", "")}


def measured(name: str, mode: str, folder: Path) -> Contents:
    command, function = MODES[mode]
    data = folder / "data"
    path = shelf.HERE / "measured" / f"{name}.py"
    options = ["--data-file", str(data), "--criteria", CRITERIA]
    limit = ["--executions", "50"] if mode == "controlled" else []
    run([sys.executable, "-m", "raddle", command, *options, *limit, f"{path}{function}"], cwd=folder, check=True)
    return read(data)


def named(contents: Contents, criterion: str, role: Role) -> set[Any]:
    shape = shape_of(criterion)
    return {found for key in contents.tally.covered[criterion] for found in shape.find(key, role)}


def expected(name: str) -> list[tuple[str, int]]:
    lines = (shelf.HERE / "measured" / f"{name}.py").read_text().split("\n")
    return sorted(
        (kind, number) for number, line in enumerate(lines, 1) for kind in line.partition("# makes")[2].split()
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_objects_and_locks_are_named_by_class_and_line(name: str, mode: str, tmp_path: Path) -> None:
    contents = measured(name, mode, tmp_path)
    variables = {AbstractVariable(*parts) for parts in named(contents, "du-pairs", Role.VARIABLE)}
    objects = [(str(variable).removesuffix(".n"), line_of(variable)) for variable in variables if variable.name == "n"]
    locks = [
        (lock.type, line_of(lock))
        for lock in (AbstractObject(*parts) for parts in named(contents, "hbpair*", Role.RESOURCE))
    ]
    assert sorted([*objects, *(lock for lock in locks if lock[0] == "Lock")]) == expected(name)


def line_of(named: AbstractVariable | AbstractObject) -> int:
    return int(named.created.rpartition(":")[2] or 0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_two_requirements_read_the_same(name: str, mode: str, tmp_path: Path) -> None:
    contents = measured(name, mode, tmp_path)
    for criterion in CRITERIA.split(","):
        covered = contents.tally.covered[criterion]
        sentences = Sentences(criterion_class(criterion)(), contents.sites, among=covered)
        assert set(Counter(map(sentences.explain, covered)).values()) == {1}
