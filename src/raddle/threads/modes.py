"""How operations of threads use what they touch: modes of access, and needs.

Takes and gives of one resource commute where both are possible: the k-th take needs the k-th give, wherever the
others are. So the gives of one resource are ordered among themselves, and so are the takes. That one take needs one
give is not a dependence of operations but a matter of what enables them, see `raddle.threads.resource_levels`.
"""

from __future__ import annotations

from raddle.schedulers.dependence import conflict_table

(READ, WRITE, TAKE, GIVE, PUT, GET, DONE, ALL_DONE, SET, CLEAR, ARRIVE, PASS, CHANGE) = range(13)

CONFLICTS = conflict_table(13, {
    (READ, READ),
    (TAKE, GIVE),
    (PUT, GET),  # of a first-in, first-out queue
    (DONE, DONE), (DONE, PUT), (DONE, GET), (DONE, READ),
    (ALL_DONE, ALL_DONE), (ALL_DONE, GET), (ALL_DONE, READ),
    # A set wakes the waiter whether it comes before or after the arrival, unless a clear lies between them.
    (ARRIVE, ARRIVE), (ARRIVE, SET), (ARRIVE, READ),
    (CHANGE, CHANGE),
    *((PASS, mode) for mode in range(13)),
})  # fmt: skip

# What an operation may have to wait for; 0: nothing.
FREE, ITEM, ROOM, TOLD, IS_SET, ENDED, NO_TASKS, MUTEX, SHUT = range(1, 10)
