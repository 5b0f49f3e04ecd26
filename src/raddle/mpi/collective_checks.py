"""Checks that all ranks enter the same collective operations with matching arguments."""

from __future__ import annotations

from raddle.mpi.call_place import at
from raddle.mpi.collective_call import CollectiveCall, Entry
from raddle.mpi.misuse import MisuseError
from raddle.outcome import OutcomeKind


def check_entry(call: CollectiveCall, rank: int, entry: Entry) -> None:
    """Raise `MisuseError` if the entry of a rank does not fit those of the ranks that entered the call earlier."""
    for other_rank, other in call.entries.items():
        if other.name != entry.name:
            raise MisuseError(
                OutcomeKind.COLLECTIVE_ORDER,
                f"R{rank} calls {entry.name}{at(entry.called)} "
                f"where R{other_rank} calls {other.name}{at(other.called)}: "
                "all ranks of a communicator must call the same collective operations in the same order",
                tuple(sorted((entry.name, other.name))),
            )
        for what, value, other_value in _differences(entry, other):
            raise MisuseError(
                OutcomeKind.COLLECTIVE_ARGUMENT,
                f"R{rank} calls {entry.name} with {what} {value}{at(entry.called)}, "
                f"and R{other_rank} with {what} {other_value}{at(other.called)}",
                (entry.name, what),
            )


def _differences(entry: Entry, other: Entry) -> list[tuple[str, object, object]]:
    """Return the arguments that differ, each with its two values."""
    if entry.root != other.root:
        return [("root", f"R{entry.root}", f"R{other.root}")]
    theirs = dict(other.arguments)
    return [(what, value, theirs[what]) for what, value in entry.arguments if what in theirs and theirs[what] != value]
