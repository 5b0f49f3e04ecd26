"""The metrics of Křena, Letko and Vojnar (RV 2011), computed directly from their definitions without optimization."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Set
from typing import Any

from coverage_events import Event, Execution, is_access

Key = tuple[Any, ...]

GIVES = ("release", "notify", "set", "up", "put", "task-done")
TAKEN_FROM = {
    "acquire": "release",
    "woken": "notify",
    "wait-set": "set",
    "down": "up",
    "get": "put",
    "join-queue": "task-done",
}


# -- variables --------------------------------------------------------------------------------------


def avio(run: Execution) -> Iterator[tuple[Key, Key]]:
    """Yield each pair of consecutive accesses by a thread to a variable, with the last remote access in between."""
    for place, first in run.accesses:
        later = [(at, event) for at, event in run.accesses if at > place and event.target == first.target]
        own = [at for at, event in later if event.thread == first.thread]
        if not own or run.events[own[0]].actor != first.actor:
            continue
        between = [event for at, event in later if at < own[0]]
        if between:
            last, second = between[-1], run.events[own[0]]
            names = (run.variable(first.target), run.thread(first.actor), run.thread(last.actor))
            yield (first.site, second.site, last.site), names


def du_pairs(run: Execution) -> Iterator[tuple[Key, Key]]:
    """Yield each read with the write whose value it returns."""
    for place, read in run.accesses:
        writes = [e for at, e in run.accesses if at < place and e.target == read.target and e.kind == "write"]
        if read.kind == "read" and writes:
            names = run.thread(writes[-1].actor), run.thread(read.actor)
            yield (writes[-1].site, read.site, run.variable(read.target)), names


def eraser(run: Execution) -> Iterator[tuple[Key, Key]]:
    """Yield each access with the state of Eraser's automaton and the candidate locks before the access."""
    for variable in run.shared:
        state, owner, candidates = "virgin", "", frozenset[str]()
        for place, event in run.accesses:
            if event.target != variable:
                continue
            locks = tuple(sorted({run.resource(lock) for lock in candidates}))
            yield (event.site, state, locks), (run.variable(variable), run.thread(event.actor))
            held = frozenset(run.held(place))
            if state == "virgin":
                state, owner = "exclusive", event.thread
            elif state == "exclusive" and event.thread != owner:
                state, owner = "exclusive'", event.thread
            elif state in ("shared", "modified") or (state == "exclusive'" and event.thread != owner):
                candidates = held if state == "exclusive'" else candidates & held
                modified = state == "modified" or event.kind == "write"
                state = "shared" if not modified else "modified" if candidates else "race"


def goldilock(run: Execution) -> Iterator[tuple[Key, Key]]:
    """Yield each access with the check that determined its verdict, and the lockset if that check used one."""
    for place, event in run.accesses:
        check, deciding = _verdict(run, place)
        lockset: list[Key] = []
        if check in ("lockset", "race"):
            for member in _lockset(run, deciding, place, run.events):
                is_thread = member[0] == "thread"
                lockset.append(
                    ("thread", run.thread(member[1])) if is_thread else ("resource", run.resource(member[1]))
                )
        names = run.variable(event.target), run.thread(event.actor)
        yield (event.site, check, tuple(sorted(set(lockset)))), names


CHECKS_IN_ORDER = ("first", "same thread", "same lock", "two threads", "lockset", "race")


def _verdict(run: Execution, place: int) -> tuple[str, int]:
    """Return the last check needed to order all earlier accesses before the one at `place`.

    Also return the index of the earlier access that needed this check.
    """
    event = run.events[place]
    before = [(at, e) for at, e in run.accesses if at < place and e.target == event.target]
    writes = [at for at, e in before if e.kind == "write"]
    rivals = writes[-1:]
    if event.kind == "write":
        reads = {e.thread: at for at, e in before if e.kind == "read" and (not writes or at > writes[-1])}
        rivals += reads.values()
    verdicts = [(CHECKS_IN_ORDER.index(_compared(run, rival, place)), rival) for rival in rivals]
    last, deciding = max(verdicts, default=(0, -1))
    return CHECKS_IN_ORDER[last], deciding


def _compared(run: Execution, rival: int, place: int) -> str:
    """Return the check that orders the access `rival` before the access at `place`, or "race" if none does."""
    one, other = run.events[rival].thread, run.events[place].thread
    if one == other:
        return "same thread"
    if ("thread", other) not in _lockset(run, rival, place, run.events):
        return "race"
    if set(run.held(rival)) & set(run.held(place)):
        return "same lock"
    alone = tuple(event if event.thread in (one, other) else event._replace(kind="none") for event in run.events)
    return "two threads" if ("thread", other) in _lockset(run, rival, place, alone) else "lockset"


def _lockset(run: Execution, rival: int, place: int, events: tuple[Event, ...]) -> set[tuple[str, str]]:
    """Return the lockset of the access `rival` just before the later event at `place`."""
    lockset = {("thread", run.events[rival].thread)}
    for thread, kind, target, *_ in events[rival + 1 : place]:
        if ("thread", thread) in lockset and kind in GIVES:
            lockset.add(("resource", target))
        elif ("thread", thread) in lockset and kind == "start":
            lockset.add(("thread", target))
        elif (("resource", target) in lockset and kind in TAKEN_FROM) or (
            ("thread", target) in lockset and kind == "join"
        ):
            lockset.add(("thread", thread))
    return lockset


# -- synchronization --------------------------------------------------------------------------------


def goodlock(run: Execution) -> Iterator[tuple[Key, Key]]:
    """Yield each request that a thread makes for a lock while it holds another lock."""
    for place, event in enumerate(run.events):
        wanted = event.kind in ("acquire", "failed", "reach") and is_lock(run, event.target)
        held = run.held(place) if wanted else {}
        reentrant = event.target in held and run.resource(event.target)[0] == "RLock"
        for lock, site in held.items():
            if lock != event.target and not reentrant:
                key = (site, event.site, run.resource(lock), run.resource(event.target))
                yield key, (run.thread(event.actor),)


def is_lock(run: Execution, target: str) -> bool:
    return target in run.program.resources and run.resource(target)[0] in ("Lock", "RLock")


def hbpair(run: Execution) -> Iterator[tuple[Key, Key]]:
    """Yield the happens-before pairs through resources, thread starts and joins.

    A taking step is paired with the last giving step on the same resource, if another thread performed that step.
    """
    for place, event in enumerate(run.events):
        if event.kind in TAKEN_FROM:
            wanted = TAKEN_FROM[event.kind], event.target
            givers = [e for e in run.events[:place] if (e.kind, e.target) == wanted]
            if givers and givers[-1].thread != event.thread:
                names = run.thread(givers[-1].actor), run.thread(event.actor)
                yield (givers[-1].site, event.site, run.resource(event.target)), names
        elif event.kind == "start":
            first = [e for e in run.events if e.thread == event.target and e.site and e.kind != "reach"]
            if first:
                yield (event.site, first[0].site, ""), (run.thread(event.actor), run.thread(event.target))
        elif event.kind == "join":
            last = [e for e in run.events if e.thread == event.target and e.site and e.kind != "reach"]
            yield (last[-1].site, event.site, ""), (run.thread(event.target), run.thread(event.actor))


def pool_pairs(run: Execution, covered: Set[Key]) -> Iterator[str]:
    """Yield a message for each happens-before pair through a thread pool that is missing or impossible.

    A task must follow its submission, and its result must follow the task. The log does not say when a worker took a
    task, so a task may also be paired with a later submission that preceded its first step.
    """
    begun = {event.target: place for place, event in enumerate(run.events) if event.kind == "task"}
    first = {e.actor: e.site for e in reversed(run.events) if e.kind == "enter"}
    submitted = {e.site: place for place, e in enumerate(run.events) if e.kind == "submits"}
    sites = {e.target: e.site for e in run.events if e.kind == "submits"}
    results = {
        (first[e.target], e.site, ("Future", f"program.py:{sites[e.target]}")) for e in run.events if e.kind == "result"
    }
    found = {key for key in covered if key[2] and key[2][0] == "Future"}
    for key in sorted(results ^ found):
        yield f"hbpair: {'not ' if key in results else ''}covered: {key}"
    for task, place in begun.items():
        givers = {key[0] for key in covered if key[1] == first[task] and key[2] and key[2][0] == "ThreadPoolExecutor"}
        if not givers or any(submitted[giver] > place for giver in givers):
            yield f"hbpair: the task {task} is paired with submissions at {sorted(givers)}"


MONITORED = (*GIVES, *TAKEN_FROM, "read", "write", "clear", "wait", "start", "join")


def concurrent_pairs(run: Execution) -> Iterator[Key]:
    """Yield each pair of consecutive events that are accesses to shared variables or synchronizations."""
    monitored = [e for e in run.events if e.kind in MONITORED and (not is_access(e) or e.target in run.shared)]
    for one, other in itertools.pairwise(monitored):
        yield one.site, other.site, one.thread != other.thread


VISITED = (
    "acquire", "failed", "inner", "up", "down", "put", "get", "task-done", "join-queue", "set", "clear", "wait-set",
    "wait", "notify",
)  # fmt: skip


def sync(run: Execution) -> Iterator[Key]:
    """Yield the site of each synchronization together with each situation that occurred there."""
    for place, event in enumerate(run.events):
        if event.kind in VISITED:
            yield event.site, "visited"
        if event.kind == "woken":
            yield event.site, "notified"
        if event.kind == "notify":
            waiting = {e.thread for e in run.events[:place] if (e.kind, e.target) == ("wait", event.target)}
            for e in run.events[:place]:
                if e.kind == "wait" and e.target == event.target:
                    waiting.add(e.thread)
                elif e.kind in ("woken", "acquire") and e.thread in waiting:
                    waiting.discard(e.thread)
            yield event.site, "heard" if waiting else "unheard"
        if event.kind == "reach":
            yield from _blocked(run, place)


def doubtful(run: Execution) -> Iterator[Key]:
    """Yield the situations that depend on whether a thread had to wait, if the log does not show this.

    This concerns semaphores, queues and events. The log shows when a thread reached an operation, but not when it tried
    the operation. If the resource was available on arrival and another thread then took it, the thread may or may not
    have waited. An event may have been set after the thread arrived and before it tested the event.
    """
    for place, event in enumerate(run.events):
        if event.kind == "reach" and not is_lock(run, event.target):
            available_on_arrival = _available(run, place, place + 1)
            if available_on_arrival or event.target.startswith("event"):
                yield from _blocked(run, place)


def _blocked(run: Execution, place: int) -> Iterator[Key]:
    """Yield the situations of a thread between its arrival at a synchronization and its next step."""
    thread, _, target, site, *_ = run.events[place]
    own = [at for at, e in enumerate(run.events) if at > place and e.thread == thread]
    past = own[0] if own else len(run.events)
    for moment in range(place + 1, past + 1):
        if is_lock(run, target):
            held_by = {e.thread: run.holding(e.thread, moment) for e in run.events}
            holders = {holder: held[target] for holder, held in held_by.items() if target in held}
            if run.resource(target)[0] == "RLock":
                holders.pop(thread, None)
        else:
            holders = {} if _available(run, place, moment) else {thread: ""}
        if holders:
            yield site, "visited"
            yield site, "blocked"
        for holder, acquired_at in holders.items():
            if holder != thread:
                yield acquired_at, "blocking"


def _available(run: Execution, place: int, moment: int) -> bool:
    """Return whether the semaphore, event or queue that a thread reached at `place` is available at `moment`."""
    target, site = run.events[place].target, run.events[place].site
    kinds = [e.kind for e in run.events[:moment] if e.target == target]
    if target in run.program.permits:
        return run.program.permits[target] + kinds.count("up") > kinds.count("down")
    if target in run.program.room:
        size = kinds.count("put") - kinds.count("get")
        gets = f"{target}.get()" in run.program.text.splitlines()[int(site) - 1]
        return size > 0 if gets else not run.program.room[target] or size < run.program.room[target]
    flags = [kind for kind in kinds if kind in ("set", "clear")]
    return target.endswith(" tasks") or flags[-1:] == ["set"]


def method_pairs(run: Execution) -> Iterator[Key]:
    """Yield each pair of public methods of one object that two threads ran at the same time."""
    for place, event in enumerate(run.events):
        if event.kind != "enter" or " " not in event.target:
            continue
        box, _, function = event.target.partition(" ")
        active: list[tuple[str, str]] = []
        for e in run.events[:place]:
            if e.kind == "enter" and e.target.startswith(f"{box} "):
                active.append((e.thread, e.target))
            elif e.kind == "leave" and (e.thread, e.target) in active:
                active.remove((e.thread, e.target))
        for thread, other in active:
            names = sorted(name.rpartition(".")[2] for name in (function, other))
            if thread != event.thread and not any(name.startswith("_") for name in names):
                yield (f"program.py:{run.program.objects[box].kind}", *names)
