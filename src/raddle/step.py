"""A step: one operation of a thread, in the stream that criteria and checks analyze.

Steps are plain tuples, (thread, kind, target, site), because there are millions of them. They are recorded in the order
in which the operations happened, each step after its operation.

* `thread` is a number, 0 for the first thread of the execution.
* `target` is the number of an entity (see `raddle.entities`). `kind` determines which sort of entity:
    - read, write: a variable. A deletion is recorded as a write.
    - acquire, release, blocked: a lock. Only the outermost acquire and release of a re-entrant lock are recorded.
      `blocked` precedes `acquire` if another thread held the lock when this thread tried to acquire it. Waiting on a
      condition is recorded as `release` and `wait`, then `woken` (if the thread was notified) and `acquire`.
    - reenter: a re-entrant lock that the thread holds and acquires again.
    - failed: a lock, an event, a semaphore or a queue. A call was unsuccessful: `acquire` returned False, a wait timed
      out, or a queue was full or empty. If the thread waited first, `blocked` precedes this step.
    - wait, woken, notify: a condition. set, clear, wait-set: an event (`wait-set` only if the event was set).
    - up, down: a semaphore. put, get, task-done, join-queue: a queue.
    - start, join: the thread that is started or joined. end: the thread itself.
    - begin, task: the actor (see `raddle.entities`) that the thread becomes. In a `begin` step, this is the thread's
      own actor; in a `task` step, the next task of a pool.
    - enter, leave: the object whose method is called, 0 if there is none. block: always 0.
    - the name of a structural criterion, such as all-edges-s: an element that the criterion requires. Executions of
      ranks have only such steps, one for each covered element, in the order of the ranks.
* `site` is a number in the site table, 0 for code without probes.
"""

from __future__ import annotations

from typing import TypeAlias

from raddle.operation import BEGIN, END, GIVES, JOIN, START, TAKES, WAIT

Step: TypeAlias = tuple[int, str, int, int]

# Kinds of steps that synchronize threads.
SYNCHRONIZING = GIVES | TAKES | {START, JOIN, BEGIN, END, WAIT}
