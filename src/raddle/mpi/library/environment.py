"""The functions of `mpi4py.MPI` that concern the environment: initialization, versions and time."""

from __future__ import annotations

import time
from typing import Any

from raddle.mpi.point_to_point import running

THREAD_SINGLE, THREAD_FUNNELED, THREAD_SERIALIZED, THREAD_MULTIPLE = range(4)
TICK_SECONDS = 1e-6


def _init() -> None:
    """Do nothing: ranks are always initialized."""


def _init_thread(required: int = THREAD_MULTIPLE) -> int:
    """Return the level of thread support: threads within ranks are not controlled."""
    return min(required, THREAD_SERIALIZED)


def _wtime() -> float:
    """Return the virtual time, which advances only when every rank waits."""
    running()
    return time.monotonic()


def _false() -> bool:
    return False


def _true() -> bool:
    return True


ENVIRONMENT: dict[str, Any] = {
    "Init": _init,
    "Finalize": _init,
    "Init_thread": _init_thread,
    "Query_thread": lambda: THREAD_SERIALIZED,
    "Is_initialized": _true,
    "Is_finalized": _false,
    "Is_thread_main": _true,
    "Wtime": _wtime,
    "Wtick": lambda: TICK_SECONDS,
    "Get_processor_name": lambda: "raddle",
    "Get_version": lambda: (4, 0),
    "Get_library_version": lambda: "raddle, simulated MPI",
    "Pcontrol": lambda level: None,
    "THREAD_SINGLE": THREAD_SINGLE,
    "THREAD_FUNNELED": THREAD_FUNNELED,
    "THREAD_SERIALIZED": THREAD_SERIALIZED,
    "THREAD_MULTIPLE": THREAD_MULTIPLE,
}
