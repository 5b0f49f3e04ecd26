"""Runs controlled executions of a test case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import raddle
from raddle.api import Sample
from raddle_lab.cases import Case


def controlled(
    case: Case, *, criteria: Sequence[str], executions: int, seed: int, thread_methods: int
) -> Iterator[Sample]:
    """Yield executions with randomly chosen interleavings."""
    return raddle.measure(
        case.scenario,
        criteria=criteria,
        executions=executions,
        seed=seed,
        source=case.source,
        thread_methods=thread_methods,
    )
