"""A step: the form in which observers are told what a thread did.

Steps are plain tuples, since there are millions of them: (thread, kind, target, site). They come in the order
in which they happened, each after the fact.

* `thread` is a number, 0 for the first thread of the execution.
* `kind` says what `target` counts (see `raddle.entities`):
    - read, write: a variable. Deleting is writing.
    - acquire, release, blocked: a lock. Only the outermost acquire and release of a re-entrant lock are told.
      `blocked` comes before `acquire`, where another thread held the lock when this one came to it. Waiting on
      a condition is release and wait, then woken (if it was notified) and acquire.
    - reenter: a re-entrant lock that the thread has already and acquires once more.
    - failed: a lock, an event, a semaphore or a queue. A call that may fail did: `acquire` returned False, the time of
      a wait ran out, a queue was full or empty. If the thread had to wait first, it was `blocked` before.
    - wait, woken, notify: a condition. set, clear, wait-set: an event (wait-set only where it was set).
    - up, down: a semaphore. put, get, task-done, join-queue: a queue.
    - start, join: the thread started or joined. end: the thread itself.
    - begin, task: the actor (see `raddle.entities`) that the thread is from now on: its own, or a pool's next task.
    - enter, leave: the object whose method it is, 0 where there is none. block: nothing, always 0.
* `site` is a number of the site table; 0 where the code has no probes.
"""

from __future__ import annotations

from typing import TypeAlias

from raddle.operation import BEGIN, END, GIVES, JOIN, START, TAKES, WAIT

Step: TypeAlias = tuple[int, str, int, int]

SYNCHRONIZING = GIVES | TAKES | {START, JOIN, BEGIN, END, WAIT}
