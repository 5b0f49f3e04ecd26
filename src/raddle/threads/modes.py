"""Access modes and needs of thread operations.

Takes and gives of one resource commute when both are enabled: the k-th take needs the k-th give, regardless of the
order of the other operations. So gives of one resource are ordered among themselves, and so are takes. A take's need
for a give is not a conflict. It determines which operation enables which (see `raddle.threads.resource_levels`).
"""

from __future__ import annotations

from raddle.schedulers.dependence import conflict_table

(READ, WRITE, TAKE, GIVE, PUT, GET, DONE, ALL_DONE, SET, CLEAR, ARRIVE, PASS, CHANGE) = range(13)

CONFLICTS = conflict_table(13, {
    (READ, READ),
    (TAKE, GIVE),
    (PUT, GET),  # on a first-in, first-out queue
    (DONE, DONE), (DONE, PUT), (DONE, GET), (DONE, READ),
    (ALL_DONE, ALL_DONE), (ALL_DONE, GET), (ALL_DONE, READ),
    # A set ends a thread's wait even if the set comes before the thread arrives, unless a clear comes in between.
    (ARRIVE, ARRIVE), (ARRIVE, SET), (ARRIVE, READ),
    (CHANGE, CHANGE),
    *((PASS, mode) for mode in range(13)),
})  # fmt: skip

# Needs: what an operation may have to wait for. A need of 0 means that the operation never blocks.
FREE, ITEM, ROOM, NOTIFIED, IS_SET, ENDED, NO_TASKS, MUTEX, SHUT = range(1, 10)
