"""GoldiLocks: handwritten tests of its rules, and comparisons with happens-before and the paper's algorithm."""

from __future__ import annotations

import random

from raddle.analysis.goldilocks import CHECKS, Goldilocks
from raddle.analysis.locksets import HeldLocks
from raddle.step import GIVES, TAKES

X = 40  # the number of a variable
NO_LOCKS = frozenset()


class Watch:
    """Feeds steps to the analysis and returns its verdicts on accesses."""

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
        """Return the lockset of a write to X by `thread`, after these steps."""
        self.step(thread, "write", X)
        for step in steps:
            self.step(*step)
        _, _, moment = self.step(thread, "read", X)
        resources, threads = self.goldilocks.lockset(thread, moment)
        return {*resources, *(f"T{number}" for number in threads)}


def verdicts(*steps):
    """Return the deciding check for each access."""
    watch = Watch()
    return [verdict[0] for step in steps if (verdict := watch.step(*step)) is not None]


# -- the rules, one by one ------------------------------------------------------------------------------


def test_a_lockset_begins_with_the_thread_itself():
    assert Watch().lockset() == {"T1"}


def test_a_giving_step_of_a_thread_in_the_lockset_adds_the_resource():
    for kind in sorted(GIVES):
        assert Watch().lockset((1, kind, 7)) == {"T1", 7}
        assert Watch().lockset((2, kind, 7)) == {"T1"}  # thread 2 is not in the lockset


def test_a_thread_that_takes_from_a_resource_in_the_lockset_is_added():
    for kind in sorted(TAKES):
        assert Watch().lockset((1, "release", 7), (2, kind, 7)) == {"T1", 7, "T2"}
        assert Watch().lockset((1, "release", 7), (2, kind, 8)) == {"T1", 7}
        assert Watch().lockset((2, kind, 7), (1, "release", 7)) == {
            "T1",
            7,
        }  # thread 2 took from the resource before the resource was in the lockset


def test_starts_and_joins_add_threads_to_the_lockset():
    assert Watch().lockset((1, "start", 2)) == {"T1", "T2"}
    assert Watch().lockset((3, "start", 2)) == {"T1"}
    assert Watch().lockset((2, "join", 1)) == {"T1", "T2"}
    assert Watch().lockset((1, "join", 2)) == {"T1"}
    assert Watch().lockset((1, "start", 2), (3, "join", 2)) == {"T1", "T2", "T3"}


def test_a_release_before_the_access_does_not_add_the_lock():
    watch = Watch()
    watch.step(1, "release", 7)
    assert watch.lockset((2, "acquire", 7)) == {"T1"}


def test_locksets_and_verdicts_match_the_papers_example():
    # Figure 3 of the CACM version (Elmas, Qadeer, Tasiran, 2010). Thread 1 creates an object and publishes it under La.
    # Thread 2 moves the object to a variable that Lb guards. Thread 3 changes the object under Lb and then, once it
    # owns the object, without any lock.
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


# -- deciding checks -------------------------------------------------------------------------------------


def test_accesses_of_one_thread_are_decided_by_same_thread():
    assert verdicts((1, "write", X), (1, "read", X), (1, "write", X)) == ["first", "same thread", "same thread"]


def test_accesses_under_one_lock_are_decided_by_same_lock():
    guarded = [(1, "acquire", 7), (1, "write", X), (1, "release", 7), (2, "acquire", 7)]
    assert verdicts(*guarded, (2, "write", X)) == ["first", "same lock"]
    # If thread 2 releases the lock before its access, the two accesses have no lock in common.
    assert verdicts(*guarded, (2, "release", 7), (2, "write", X)) == ["first", "two threads"]


def test_a_common_lock_does_not_count_if_another_thread_released_it():
    # Thread 3 releases the lock that thread 1 acquired, but has not synchronized with thread 1.
    steps = [(1, "acquire", 7), (1, "write", X), (3, "release", 7), (2, "acquire", 7), (2, "write", X)]
    assert verdicts(*steps) == ["first", "race"]


def test_direct_synchronization_is_decided_by_two_threads():
    assert verdicts((1, "write", X), (1, "put", 7), (2, "get", 7), (2, "read", X)) == ["first", "two threads"]
    assert verdicts((1, "write", X), (1, "start", 2), (2, "read", X)) == ["first", "two threads"]
    assert verdicts((1, "write", X), (2, "join", 1), (2, "read", X)) == ["first", "two threads"]
    # Thread 1 starts thread 3, and thread 2 joins thread 3. So thread 3 acts like a queue between threads 1 and 2.
    assert verdicts((1, "write", X), (1, "start", 3), (2, "join", 3), (2, "read", X)) == ["first", "two threads"]
    # Thread 3 holds the lock in between, but threads 1 and 2 still synchronize through it.
    between = [(1, "release", 7), (3, "acquire", 7), (3, "release", 7), (2, "acquire", 7)]
    assert verdicts((1, "write", X), *between, (2, "read", X)) == ["first", "two threads"]


def test_synchronization_through_a_third_thread_is_decided_by_lockset():
    relay = [(1, "put", 7), (3, "get", 7), (3, "put", 8), (2, "get", 8)]
    assert verdicts((1, "write", X), *relay, (2, "read", X)) == ["first", "lockset"]


def test_unordered_conflicting_accesses_are_a_race():
    assert verdicts((1, "write", X), (2, "read", X)) == ["first", "race"]
    assert verdicts((1, "read", X), (2, "write", X)) == ["first", "race"]
    assert verdicts((1, "write", X), (2, "write", X)) == ["first", "race"]


def test_reads_do_not_conflict():
    assert verdicts((1, "read", X), (2, "read", X)) == ["first", "first"]


def test_a_write_is_compared_with_the_reads_of_every_thread():
    # Either both readers synchronize with thread 3, or only thread 1 does.
    reads = [(1, "read", X), (2, "read", X)]
    both = [(1, "put", 7), (2, "put", 7), (3, "get", 7), (3, "write", X)]
    assert verdicts(*reads, *both) == ["first", "first", "two threads"]
    assert verdicts(*reads, (1, "put", 7), (3, "get", 7), (3, "write", X)) == ["first", "first", "race"]


def test_the_verdict_is_the_latest_of_the_hardest_comparisons():
    watch = Watch()
    for step in [(1, "read", X), (2, "read", X), (4, "read", X), (4, "put", 7), (3, "get", 7)]:
        watch.step(*step)
    # Readers 1 and 2 race with the write, but reader 4 does not. Of the two racing readers, reader 2 is the later one.
    # Its read is the second access and therefore has moment 1.
    assert watch.step(3, "write", X) == ("race", 2, 1)


def test_resources_mapped_to_one_name_are_one_element_of_the_lockset():
    goldilocks = Goldilocks(lambda resource: resource % 2)
    goldilocks.access(1, X, write=True, held=NO_LOCKS)
    for resource in (3, 5, 6):
        goldilocks.gives(1, resource)
    # Resource 4 has the same name as resource 6, but thread 1 performed no giving step on resource 4.
    goldilocks.takes(2, 4)
    _, thread, moment = goldilocks.access(2, X, write=False, held=NO_LOCKS)
    assert goldilocks.lockset(thread, moment) == ([1, 0], [1])


# -- comparison with the definitions --------------------------------------------------------------------


def random_trace(choose, length):
    """Return a random trace that threads could produce.

    Locks are exclusive. A thread waits for an event or a message only after an earlier step has set the event or sent
    the message.
    """
    threads = choose.randrange(2, 5)
    alive, ended, unstarted = {0}, set(), list(range(1, threads))
    holder, counts, steps = {}, {}, []
    unsynchronized = choose.choice([0.35, 0.7])
    while len(steps) < length:
        thread = choose.choice(sorted(alive))
        if choose.random() < unsynchronized:
            steps.append((thread, choose.choice(["read", "read", "write"]), 40 + choose.randrange(2)))
            continue
        kind = choose.choice(
            ["lock", "lock", "lock", "put", "get", "set", "wait-set", "start", "join", "end", "foreign"]
        )
        if kind == "lock":
            lock = choose.choice([1, 2])
            if holder.get(lock) == thread:
                del holder[lock]
                steps.append((thread, "release", lock))
            elif lock not in holder:
                holder[lock] = thread
                steps.append((thread, "acquire", lock))
        elif kind == "foreign" and holder and choose.random() < 0.2:
            lock = choose.choice(sorted(holder))
            del holder[lock]
            steps.append((thread, "release", lock))
        elif kind in ("put", "set"):
            resource = choose.choice([5, 6]) if kind == "put" else 7
            counts[resource] = counts.get(resource, 0) + 1
            steps.append((thread, kind, resource))
        elif kind == "get" and any(counts.get(queue) for queue in (5, 6)):
            queue = choose.choice([queue for queue in (5, 6) if counts.get(queue)])
            counts[queue] -= 1
            steps.append((thread, "get", queue))
        elif kind == "wait-set" and counts.get(7):
            steps.append((thread, "wait-set", 7))
        elif kind == "start" and unstarted:
            alive.add(unstarted[0])
            steps.append((thread, "start", unstarted.pop(0)))
        elif kind == "join" and ended:
            steps.append((thread, "join", choose.choice(sorted(ended))))
        elif kind == "end" and len(alive) > 1 and thread not in holder.values() and choose.random() < 0.1:
            alive.discard(thread)
            ended.add(thread)
    return steps


def happens_before(steps):
    """Return, for each step, the steps that happen before it, as a bit mask computed from the definition."""
    before = []
    for index, (thread, kind, target) in enumerate(steps):
        mask = 0
        for earlier in range(index):
            other, earlier_kind, resource = steps[earlier]
            gave = kind in TAKES and earlier_kind in GIVES and resource == target
            started = earlier_kind == "start" and resource == thread
            joined = kind == "join" and other == target
            if other == thread or gave or started or joined:
                mask |= before[earlier] | 1 << earlier
        before.append(mask)
    return before


def conflicts(steps, index):
    """Return the accesses with which the access at `index` is compared.

    These are the last write and, if the access is a write, the last read of each thread since then.
    """
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


def test_a_race_is_a_conflict_that_happens_before_does_not_order():
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
            # Up to a variable's first race, this is equivalent to comparing all pairs of conflicting accesses.
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
    """Compute a lockset as the paper does: walk from one access to the other and apply the rules."""
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
    observed_checks = set()
    for steps in traces(1200, seed=2):
        watch = Watch()
        for index, step in enumerate(steps):
            verdict = watch.step(*step)
            if verdict is None:
                continue
            check, other, moment = verdict
            observed_checks.add(check)
            compared = [(CHECKS.index(compared_by_the_rules(steps, i, index)), i) for i in conflicts(steps, index)]
            if not compared:
                assert check == "first"
                continue
            hardest, decisive = max(compared)
            assert (check, other) == (CHECKS[hardest], steps[decisive][0])
            resources, threads = watch.goldilocks.lockset(other, moment)
            elements = {("resource", number) for number in resources} | {("thread", number) for number in threads}
            assert elements == lockset_by_the_rules(steps, decisive, index)
    assert observed_checks == set(CHECKS)
