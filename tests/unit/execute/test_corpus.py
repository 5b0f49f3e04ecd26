"""The corpus: executions that covered something new are stored, and the next run replays them first."""

from __future__ import annotations

import sys
import textwrap

import pytest

import raddle
from raddle.cli.target import load_scenario
from raddle.store import read

PROGRAM = """
    import threading

    class Counter:
        def __init__(self):
            self.value = 0

        def add(self):
            value = self.value
            self.value = value + 1

        def reset(self):
            self.value = 0

    def scenario():
        counter = Counter()
        threads = [threading.Thread(target=body) for body in (counter.add, counter.reset, counter.add)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
"""


@pytest.fixture
def program(tmp_path):
    file = tmp_path / f"kept_{tmp_path.name}.py"  # a different module name in each test
    file.write_text(textwrap.dedent(PROGRAM))
    return file


def explore(program, data_file, **options):
    scenario = load_scenario(f"{program}::scenario")
    return raddle.explore(scenario, data_file=data_file, source=[str(program)], **options)


def test_a_later_run_reaches_the_coverage_of_the_first_by_replaying_the_corpus(program, tmp_path):
    data_file = tmp_path / "data"
    first = explore(program, data_file, executions=100, until="budget")
    corpus = read(data_file).corpus
    assert len(corpus) > 1
    assert sum(kept.newly_covered for kept in corpus) == sum(map(len, first.tally.covered.values()))
    second = explore(program, data_file, executions=len(corpus), until="budget")
    assert {name: set(keys) for name, keys in second.tally.covered.items()} == {
        name: set(keys) for name, keys in first.tally.covered.items()
    }
    assert any("started with" in note for note in second.notes)
    assert len(read(data_file).corpus) == len(corpus)  # nothing new was covered, so nothing is added


def test_stored_schedules_replay_without_a_failure(program, tmp_path):
    explore(program, tmp_path / "data", executions=50, until="budget")
    scenario = load_scenario(f"{program}::scenario")
    texts = [kept.schedule for kept in read(tmp_path / "data").corpus]
    assert all(texts)
    for text in texts:
        assert raddle.replay(scenario, text, source=[str(program)]) is None


def test_schedules_of_changed_code_are_dropped_with_a_note(program, tmp_path):
    data_file = tmp_path / "data"
    explore(program, data_file, executions=50, until="budget")
    former = {site for kept in read(data_file).corpus for site in kept.sites}
    before = len(read(data_file).corpus)
    program.write_text(program.read_text().replace("value + 1", "1 + value"))
    del sys.modules[program.stem]
    result = explore(program, data_file, executions=50, until="budget")
    assert before > 1
    assert f"dropped {before} stored schedules because the code has changed" in result.notes
    assert not any("started with" in note for note in result.notes)
    sites = {site for kept in read(data_file).corpus for site in kept.sites}
    assert sites
    assert not sites & former


def test_the_corpus_is_not_replayed_if_it_is_disabled(program, tmp_path):
    data_file = tmp_path / "data"
    explore(program, data_file, executions=20, until="budget")
    result = explore(program, data_file, executions=20, until="budget", corpus=False)
    assert result.notes == ()


def test_execution_numbers_continue_across_runs_so_that_witnesses_are_found(program, tmp_path):
    data_file = tmp_path / "data"
    explore(program, data_file, executions=60, until="budget", corpus=False, criteria="sync")
    explore(program, data_file, executions=60, until="budget", corpus=False, criteria="map")
    contents = read(data_file)
    numbers = {kept.number for kept in contents.corpus}
    assert {seen.first for seen in contents.tally.covered["map"].values()} <= numbers
