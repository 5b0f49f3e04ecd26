"""Scenarios with the usual patterns of parallel programs, and programs that do not end."""

from __future__ import annotations

from typing import Any

from raddle.mpi.library.status import Status
from raddle.outcome import OutcomeKind
from raddle_lab.message_scenarios.scenario import MessageScenario

TASKS = 4
WORK, STOP = 1, 2


def task_pool(comm: Any) -> None:
    if comm.rank == 0:
        _master(comm, stops=comm.size - 1)
    else:
        _worker(comm)


def task_pool_lost_stop(comm: Any) -> None:
    """Stop one worker fewer than there are."""
    if comm.rank == 0:
        _master(comm, stops=comm.size - 2)
    else:
        _worker(comm)


def _master(comm: Any, *, stops: int) -> None:
    """Hand out tasks to the workers that ask; then stop the next workers that ask."""
    status, results = Status(), []
    for task in range(TASKS):
        results.append(comm.recv(status=status))
        comm.send(task, dest=status.Get_source(), tag=WORK)
    for _ in range(comm.size - 1):
        results.append(comm.recv(status=status))
        if stops:
            comm.send(None, dest=status.Get_source(), tag=STOP)
            stops -= 1
    assert sorted(one for one in results if one is not None) == [task * task for task in range(TASKS)]


def _worker(comm: Any) -> None:
    status, result = Status(), None
    while True:
        comm.send(result, dest=0)
        task = comm.recv(source=0, status=status)
        if status.Get_tag() == STOP:
            return
        result = task * task


def task_pool_early_stop(comm: Any) -> None:
    """Count one answer too few."""
    if comm.rank == 0:
        print(sum(comm.recv() for _ in range(comm.size - 2)))
    else:
        comm.bsend(10**comm.rank, dest=0)


def livelock_polite(comm: Any) -> None:
    """Let the other rank go first, forever."""
    while True:
        comm.sendrecv("after you", dest=1 - comm.rank, source=1 - comm.rank)


def gather_in_order(comm: Any) -> None:
    if comm.rank == 0:
        print([comm.recv(source=source) for source in range(1, comm.size)])
    else:
        comm.send(comm.rank, dest=0)


SCENARIOS = (
    MessageScenario(task_pool, 3),
    MessageScenario(task_pool_lost_stop, 3, finds=OutcomeKind.NO_SENDER),
    MessageScenario(task_pool_early_stop, 4, finds=OutcomeKind.DIFFERENT_RESULTS),
    MessageScenario(livelock_polite, 2, finds=OutcomeKind.STEP_LIMIT),
    MessageScenario(gather_in_order, 4, sequences=1),
)
