"""Work side by side in several processes, or in this one."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context


@contextmanager
def executor_of(jobs: int) -> Iterator[Executor | None]:
    """For so many processes; None where one is enough."""
    if jobs <= 1:
        yield None
        return
    # Spawned, not forked: raddle patches what it finds, and what it finds should not depend on what ran before.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as executor:
        yield executor


@contextmanager
def quiet_pools() -> Iterator[None]:
    """An execution that is given up ends the threads of its pools, which log that as something critical."""
    logger = logging.getLogger("concurrent.futures")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)
