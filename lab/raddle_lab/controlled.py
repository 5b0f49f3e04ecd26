"""Executions of a test case under control."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import raddle
from raddle.api import Sample
from raddle_lab.cases import Case


def controlled(
    case: Case, *, criteria: Sequence[str], executions: int, seed: int, thread_methods: int
) -> Iterator[Sample]:
    """Yield executions, each with an interleaving that is chosen at random."""
    return raddle.measure(
        case.scenario,
        criteria=criteria,
        executions=executions,
        seed=seed,
        source=case.source,
        thread_methods=thread_methods,
    )
