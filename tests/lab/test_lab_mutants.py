"""Mutants with one lock removed: each removal introduces a bug."""

from __future__ import annotations

from pathlib import Path

import pytest
from raddle_lab.mutants import count_locks, imported, subject_names, subject_source, without_lock

import raddle

NESTED = """\
class Safe:

    def both(self):
        with self.lock:
            with self.other_lock:
                self.x = 1
            self.y = 2
        with open("f") as file:
            pass
        with self.lock, self.other_lock:
            pass
        with self.changed:
            pass
"""


def test_only_plain_critical_sections_count() -> None:
    assert count_locks(NESTED) == 2


def test_a_critical_section_is_replaced_by_its_body() -> None:
    assert "    def both(self):\n        with self.other_lock:\n            self.x = 1\n        self.y = 2\n" in (
        without_lock(NESTED, 0)
    )
    assert "        with self.lock:\n            self.x = 1\n            self.y = 2\n" in without_lock(NESTED, 1)


def test_an_unknown_section_number_is_an_index_error() -> None:
    with pytest.raises(IndexError, match="there is no critical section 2: the source has 2, numbered from 0"):
        without_lock(NESTED, 2)


def test_there_are_enough_subjects_and_mutants() -> None:
    assert 10 <= len(subject_names()) <= 20
    assert all(count_locks(subject_source(name)) >= 3 for name in subject_names())


def outcomes(source: str, name: str, folder: Path, *, executions: int):
    with imported(source, name=name, folder=folder) as module:
        yield from (
            sample.outcome
            for sample in raddle.measure(
                module.scenario,
                criteria="goodlock",  # any criterion works; this one adds no scheduling points
                executions=executions,
                source=[module.__name__, "raddle_lab.subjects"],
            )
        )


@pytest.mark.parametrize("name", subject_names())
def test_subjects_are_thread_safe(name: str, tmp_path: Path) -> None:
    kinds = {outcome.kind for outcome in outcomes(subject_source(name), f"{name}_whole", tmp_path, executions=100)}
    assert kinds == {"passed"}


@pytest.mark.parametrize("name", subject_names())
def test_every_lock_is_needed(name: str, tmp_path: Path) -> None:
    source = subject_source(name)
    found = [
        any(o.failed for o in outcomes(without_lock(source, number), f"{name}_{number}", tmp_path, executions=1_000))
        for number in range(count_locks(source))
    ]
    assert found == [True] * len(found)
