"""GoldiLocks: its rules by hand, and all of it against happens-before and against the paper's own way."""

from __future__ import annotations

import random

from raddle.analysis.goldilocks import CHECKS, Goldilocks
from raddle.analysis.locksets import HeldLocks
from raddle.step import GIVES, TAKES

X = 40  # a variable
NO_LOCKS = frozenset()


class Watch:
    """Feeds steps to the analysis, and gives the verdicts on accesses."""

    def __init__(self):
        self.goldilocks = Goldilocks()
        self.held = HeldLocks()

    def step(self, thread, kind, target):
        analysis = self.goldilocks
        if kind in ("read", "write"):
            return analysis.access(thread, target, write=kind == "write", held=self.held.by(thread))
        if kind in GIVES:
            analysis.gives(thread, target)
        elif kind in TAKES:
            analysis.takes(thread, target)
        elif kind == "start":
            analysis.starts(thread, target)
        elif kind == "join":
            analysis.joins(thread, target)
        if kind == "acquire":
            self.held.acquired(thread, target)
        elif kind == "release":
            self.held.released(thread, target)
        return None

    def lockset(self, *steps, thread=1):
        """The lockset of a write of the thread to X, after these steps."""
        self.step(thread, "write", X)
        for step in steps:
            self.step(*step)
        _, _, moment = self.step(thread, "read", X)
        resources, threads = self.goldilocks.lockset(thread, moment)
        return {*resources, *(f"T{number}" for number in threads)}


def verdicts(*steps):
    """What decided, for each access."""
    watch = Watch()
    return [verdict[0] for step in steps if (verdict := watch.step(*step)) is not None]


# -- the rules, one by one ------------------------------------------------------------------------------


def test_a_lockset_begins_with_the_thread_itself():
    assert Watch().lockset() == {"T1"}


def test_a_thread_in_it_that_gives_adds_the_resource():
    for kind in sorted(GIVES):
        assert Watch().lockset((1, kind, 7)) == {"T1", 7}
        assert Watch().lockset((2, kind, 7)) == {"T1"}  # thread 2 is not in it


def test_a_thread_that_takes_from_a_resource_in_it_is_added():
    for kind in sorted(TAKES):
        assert Watch().lockset((1, "release", 7), (2, kind, 7)) == {"T1", 7, "T2"}
        assert Watch().lockset((1, "release", 7), (2, kind, 8)) == {"T1", 7}
        assert Watch().lockset((2, kind, 7), (1, "release", 7)) == {"T1", 7}  # too early


def test_starting_and_joining_pass_it_on():
    assert Watch().lockset((1, "start", 2)) == {"T1", "T2"}
    assert Watch().lockset((3, "start", 2)) == {"T1"}
    assert Watch().lockset((2, "join", 1)) == {"T1", "T2"}
    assert Watch().lockset((1, "join", 2)) == {"T1"}
    assert Watch().lockset((1, "start", 2), (3, "join", 2)) == {"T1", "T2", "T3"}


def test_what_was_given_before_the_access_is_not_in_it():
    watch = Watch()
    watch.step(1, "release", 7)
    assert watch.lockset((2, "acquire", 7)) == {"T1"}


def test_the_example_of_the_paper():
    # Figure 3 of the CACM version (Elmas, Qadeer, Tasiran, 2010): thread 1 makes an object and publishes it under
    # La, thread 2 moves it from there to where Lb guards it, thread 3 changes it under Lb, and then, when it has it
    # for itself, without any lock.
    la, lb = 7, 8
    watch = Watch()
    publish = [(1, "acquire", la), (1, "release", la)]
    move = [(2, "acquire", la), (2, "release", la), (2, "acquire", lb), (2, "release", lb)]
    assert watch.lockset(*publish) == {"T1", la}
    assert Watch().lockset(*publish, *move) == {"T1", la, "T2", lb}
    assert Watch().lockset(*publish, *move, (3, "acquire", lb)) == {"T1", la, "T2", lb, "T3"}
    use = [(3, "acquire", lb), (3, "write", X), (3, "release", lb), (3, "write", X)]
    assert verdicts((1, "write", X), *publish, *move, *use) == ["first", "lockset", "same thread"]
    assert verdicts((1, "write", X), *publish, (3, "acquire", lb), (3, "write", X)) == ["first", "race"]


# -- what decides ---------------------------------------------------------------------------------------


def test_same_thread():
    assert verdicts((1, "write", X), (1, "read", X), (1, "write", X)) == ["first", "same thread", "same thread"]


def test_same_lock():
    guarded = [(1, "acquire", 7), (1, "write", X), (1, "release", 7), (2, "acquire", 7)]
    assert verdicts(*guarded, (2, "write", X)) == ["first", "same lock"]
    # In between thread 2 let the lock go: what is held at the access counts.
    assert verdicts(*guarded, (2, "release", 7), (2, "write", X)) == ["first", "two threads"]


def test_the_same_lock_does_not_help_if_somebody_else_released_it():
    # Thread 1 still believes to hold the lock that thread 3, which knows nothing of thread 1, gave away.
    steps = [(1, "acquire", 7), (1, "write", X), (3, "release", 7), (2, "acquire", 7), (2, "write", X)]
    assert verdicts(*steps) == ["first", "race"]


def test_two_threads():
    assert verdicts((1, "write", X), (1, "put", 7), (2, "get", 7), (2, "read", X)) == ["first", "two threads"]
    assert verdicts((1, "write", X), (1, "start", 2), (2, "read", X)) == ["first", "two threads"]
    assert verdicts((1, "write", X), (2, "join", 1), (2, "read", X)) == ["first", "two threads"]
    # A third thread that the one starts and the other joins, as a queue would be.
    assert verdicts((1, "write", X), (1, "start", 3), (2, "join", 3), (2, "read", X)) == ["first", "two threads"]
    # That thread 3 had the lock in between does not matter, 1 and 2 have handed it over nevertheless.
    between = [(1, "release", 7), (3, "acquire", 7), (3, "release", 7), (2, "acquire", 7)]
    assert verdicts((1, "write", X), *between, (2, "read", X)) == ["first", "two threads"]


def test_lockset_where_others_passed_it_on():
    relay = [(1, "put", 7), (3, "get", 7), (3, "put", 8), (2, "get", 8)]
    assert verdicts((1, "write", X), *relay, (2, "read", X)) == ["first", "lockset"]


def test_race():
    assert verdicts((1, "write", X), (2, "read", X)) == ["first", "race"]
    assert verdicts((1, "read", X), (2, "write", X)) == ["first", "race"]
    assert verdicts((1, "write", X), (2, "write", X)) == ["first", "race"]


def test_reads_do_not_conflict():
    assert verdicts((1, "read", X), (2, "read", X)) == ["first", "first"]


def test_a_write_is_compared_with_every_reader():
    # Readers 1 and 2 both hand over to 3, or only one of them does.
    reads = [(1, "read", X), (2, "read", X)]
    both = [(1, "put", 7), (2, "put", 7), (3, "get", 7), (3, "write", X)]
    assert verdicts(*reads, *both) == ["first", "first", "two threads"]
    assert verdicts(*reads, (1, "put", 7), (3, "get", 7), (3, "write", X)) == ["first", "first", "race"]


def test_the_hardest_comparison_is_told_and_the_latest_of_those():
    watch = Watch()
    for step in [(1, "read", X), (2, "read", X), (4, "read", X), (4, "put", 7), (3, "get", 7)]:
        watch.step(*step)
    # Readers 1 and 2 race with the write, reader 4 does not; 2 came after 1, as the second access: moment 1.
    assert watch.step(3, "write", X) == ("race", 2, 1)


def test_resources_of_a_kind_are_one_element():
    goldilocks = Goldilocks(lambda resource: resource % 2)
    goldilocks.access(1, X, write=True, held=NO_LOCKS)
    for resource in (3, 5, 6):
        goldilocks.gives(1, resource)
    goldilocks.takes(2, 4)  # nobody gave to this one, although to another of its kind
    _, thread, moment = goldilocks.access(2, X, write=False, held=NO_LOCKS)
    assert goldilocks.lockset(thread, moment) == ([1, 0], [1])


# -- against the definitions ----------------------------------------------------------------------------


def random_trace(choose, length):
    """What threads can do: locks exclude, who waits for an event, a semaphore or a message waits for somebody."""
    threads = choose.randrange(2, 5)
    alive, ended, unborn = {0}, set(), list(range(1, threads))
    holder, counts, steps = {}, {}, []
    unsynchronized = choose.choice([0.35, 0.7])
    while len(steps) < length:
        thread = choose.choice(sorted(alive))
        if choose.random() < unsynchronized:
            steps.append((thread, choose.choice(["read", "read", "write"]), 40 + choose.randrange(2)))
            continue
        what = choose.choice(
            ["lock", "lock", "lock", "put", "get", "set", "wait-set", "start", "join", "end", "foreign"]
        )
        if what == "lock":
            lock = choose.choice([1, 2])
            if holder.get(lock) == thread:
                del holder[lock]
                steps.append((thread, "release", lock))
            elif lock not in holder:
                holder[lock] = thread
                steps.append((thread, "acquire", lock))
        elif what == "foreign" and holder and choose.random() < 0.2:
            lock = choose.choice(sorted(holder))
            del holder[lock]
            steps.append((thread, "release", lock))
        elif what in ("put", "set"):
            resource = choose.choice([5, 6]) if what == "put" else 7
            counts[resource] = counts.get(resource, 0) + 1
            steps.append((thread, what, resource))
        elif what == "get" and any(counts.get(queue) for queue in (5, 6)):
            queue = choose.choice([queue for queue in (5, 6) if counts.get(queue)])
            counts[queue] -= 1
            steps.append((thread, "get", queue))
        elif what == "wait-set" and counts.get(7):
            steps.append((thread, "wait-set", 7))
        elif what == "start" and unborn:
            alive.add(unborn[0])
            steps.append((thread, "start", unborn.pop(0)))
        elif what == "join" and ended:
            steps.append((thread, "join", choose.choice(sorted(ended))))
        elif what == "end" and len(alive) > 1 and thread not in holder.values() and choose.random() < 0.1:
            alive.discard(thread)
            ended.add(thread)
    return steps


def happens_before(steps):
    """By step: the set of those before it, as bits. Straight from the meaning of steps."""
    before = []
    for index, (thread, kind, target) in enumerate(steps):
        mask = 0
        for earlier in range(index):
            other, what, resource = steps[earlier]
            gave = kind in TAKES and what in GIVES and resource == target
            started = what == "start" and resource == thread
            joined = kind == "join" and other == target
            if other == thread or gave or started or joined:
                mask |= before[earlier] | 1 << earlier
        before.append(mask)
    return before


def conflicts(steps, index):
    """The accesses that one is compared with: the last write and, for a write, later reads, the last of each thread."""
    _, kind, variable = steps[index]
    earlier = [i for i in range(index) if steps[i][1] in ("read", "write") and steps[i][2] == variable]
    writes = [i for i in earlier if steps[i][1] == "write"]
    last = writes[-1:]
    if kind == "read":
        return last
    reads = {steps[i][0]: i for i in earlier if not last or i > last[0]}
    return [*last, *reads.values()]


def traces(number, *, length=36, seed=1):
    choose = random.Random(seed)
    for _ in range(number):
        yield random_trace(choose, length)


def is_access(step):
    return step[1] in ("read", "write")


def test_race_is_what_happens_before_does_not_order():
    races = 0
    for steps in traces(2000):
        watch, before = Watch(), happens_before(steps)
        raced, unordered = set(), set()
        for index, step in enumerate(steps):
            verdict = watch.step(*step)
            if verdict is None:
                continue
            found = verdict[0] == "race"
            expected = [i for i in conflicts(steps, index) if not before[index] >> i & 1]
            assert found == bool(expected)
            # Until a variable's first race, that is the same as any pair of conflicting accesses.
            if any(
                is_access(steps[i]) and steps[i][2] == step[2] and "write" in (steps[i][1], step[1])
                and not before[index] >> i & 1
                for i in range(index)
            ):  # fmt: skip
                unordered.add(step[2])
            if found:
                raced.add(step[2])
            assert raced == unordered
            races += found
    assert races > 1000


def lockset_by_the_rules(steps, start, end, only=None):
    """The paper's way: walk from an access to another and apply the rules."""
    lockset = {("thread", steps[start][0])}
    for thread, kind, target in steps[start + 1 : end]:
        if only is not None and thread not in only:
            continue
        if kind in GIVES and ("thread", thread) in lockset:
            lockset.add(("resource", target))
        elif kind in TAKES and ("resource", target) in lockset:
            lockset.add(("thread", thread))
        elif kind == "start" and ("thread", thread) in lockset:
            lockset.add(("thread", target))
        elif kind == "join" and ("thread", target) in lockset:
            lockset.add(("thread", thread))
    return lockset


def locks_held(steps, index):
    held = HeldLocks()
    for thread, kind, target in steps[:index]:
        if kind == "acquire":
            held.acquired(thread, target)
        elif kind == "release":
            held.released(thread, target)
    return held.by(steps[index][0])


def compared_by_the_rules(steps, start, end):
    thread, other = steps[end][0], steps[start][0]
    if thread == other:
        return "same thread"
    if ("thread", thread) not in lockset_by_the_rules(steps, start, end):
        return "race"
    if locks_held(steps, start) & locks_held(steps, end):
        return "same lock"
    if ("thread", thread) in lockset_by_the_rules(steps, start, end, only={thread, other}):
        return "two threads"
    return "lockset"


def test_checks_and_locksets_are_those_of_the_paper():
    seen = set()
    for steps in traces(1200, seed=2):
        watch = Watch()
        for index, step in enumerate(steps):
            verdict = watch.step(*step)
            if verdict is None:
                continue
            check, other, moment = verdict
            seen.add(check)
            compared = [(CHECKS.index(compared_by_the_rules(steps, i, index)), i) for i in conflicts(steps, index)]
            if not compared:
                assert check == "first"
                continue
            hardest, decisive = max(compared)
            assert (check, other) == (CHECKS[hardest], steps[decisive][0])
            resources, threads = watch.goldilocks.lockset(other, moment)
            elements = {("resource", one) for one in resources} | {("thread", one) for one in threads}
            assert elements == lockset_by_the_rules(steps, decisive, index)
    assert seen == set(CHECKS)
