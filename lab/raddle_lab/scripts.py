"""Runs a user's whole program with noise, each execution in its own `raddle run` process.

`raddle run` measures the coverage. Unlike in `raddle_lab.noisy`, accesses to variables without conflicting accesses
count too. Objects and threads are not counted, because they cease to exist when the process ends.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from raddle.api import Sample
from raddle.entities import Entities
from raddle.outcome import Outcome, OutcomeKind
from raddle.tuning.command_runs import CommandRuns
from raddle.tuning.configurations import Configuration
from raddle_lab.cases import Case


def scripted(
    case: Case, *, criteria: Sequence[str], executions: int, seed: int, noise: Sequence[str], thread_methods: int
) -> Iterator[Sample]:
    """Run executions with the given noise, each with a different seed, and yield the requirements that each covered."""
    noises = [part for text in noise for part in ("--noise", text)]
    with TemporaryDirectory(prefix="raddle-lab-") as folder:
        runs = CommandRuns(
            shlex.split(case.target),
            executions=1,
            criteria=criteria,
            data_file=str(Path(folder) / "data"),
            source=case.source,
            arguments=(*noises, "--thread-methods", str(thread_methods)),
        )
        for number in range(1, executions + 1):
            measured = runs(Configuration("noise", "", seed + number - 1), None)
            if measured.ended:
                raise KeyboardInterrupt
            kind = OutcomeKind.EXCEPTION if measured.failed else OutcomeKind.PASSED
            covered = {name: frozenset(measured.tally.covered.get(name, ())) for name in criteria}
            yield Sample(number, Outcome(kind), covered, Entities())
