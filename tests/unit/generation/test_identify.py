from random import Random

import pytest

from raddle.entities import AbstractVariable, make_entities
from raddle.generation.access_model import Access
from raddle.generation.identify import identify, identify_from_source
from raddle.generation.raw_patterns import Family, patterns_in

ENTITIES = make_entities(variables=[AbstractVariable("log.py:Log", "", name) for name in "xyz"])
TH = make_entities(variables=[AbstractVariable("log.py:Log", "", "th")])


def interleavings(one, other):
    """Return all interleavings of two lists of steps in which no two threads hold a lock at the same time."""

    def extend(steps, left, held):
        if not any(left):
            yield steps
        for index, steps_left in enumerate(left):
            if steps_left:
                step = steps_left[0]
                if step[1] == "acquire" and step[2] in held:
                    continue
                locks = held | {step[2]} if step[1] == "acquire" else held - {step[2]} if step[1] == "release" else held
                rest = [steps_left[1:] if place == index else own for place, own in enumerate(left)]
                yield from extend([*steps, step], rest, locks)

    yield from extend([], [one, other], frozenset())


def random_thread(random, thread, *, locks, size):
    """Return accesses at different sites, some of them within critical sections that are not nested."""
    steps, held = [], None
    for place in range(size):
        if held is not None and random.random() < 0.5:
            steps.append((thread, "release", held, 0))
            held = None
        elif held is None and locks and random.random() < 0.5:
            held = random.randrange(locks)
            steps.append((thread, "acquire", held, 0))
        steps.append((thread, random.choice(("read", "write")), random.randrange(3), 70000 + 100 * thread + place))
    return steps if held is None else [*steps, (thread, "release", held, 0)]


def possible(one, other):
    return {pattern for steps in interleavings(one, other) for pattern in patterns_in(steps, ENTITIES)}


def test_without_locks_the_patterns_are_those_of_all_interleavings():
    random = Random(1)
    for _ in range(40):
        one, other = (random_thread(random, thread, locks=0, size=4) for thread in (1, 2))
        assert set(identify([*one, *other], ENTITIES)) == possible(one, other)


def test_with_one_lock_no_pattern_is_missing_and_those_of_one_variable_are_exact():
    # Between the two steps of A, B can reach its step unless A holds the lock all the time and B's step needs it: B can
    # run everything before its own critical section earlier. So pruning by lock sets is exact for three steps.
    random = Random(2)
    pruned = 0
    for _ in range(30):
        one, other = (random_thread(random, thread, locks=1, size=4) for thread in (1, 2))
        found, real = set(identify([*one, *other], ENTITIES)), possible(one, other)
        assert real <= found
        assert {p for p in found if len(p.sites) < 4} == {p for p in real if len(p.sites) < 4}
        without_locks = [step for step in [*one, *other] if step[1] in ("read", "write")]
        pruned += len(set(identify(without_locks, ENTITIES)) - found)
    assert pruned


def test_with_several_locks_no_pattern_is_missing():
    random = Random(3)
    for _ in range(8):
        one, other = (random_thread(random, thread, locks=2, size=4) for thread in (1, 2))
        assert possible(one, other) <= set(identify([*one, *other], ENTITIES))


def test_the_patterns_of_the_example():
    # Fig. 2: A calls is_as_severe (reads at 4, then at 5), B calls set_threshold (writes at 9). One call of each gives
    # patterns 1 and 2 for both reads, and pattern 4 in program order: (5, 9, 4) needs a second call.
    steps = [(1, "read", 0, 4), (1, "read", 0, 5), (2, "write", 0, 9)]
    assert sorted((p.number, *p.sites) for p in identify(steps, TH)) == [
        (1, 4, 9), (1, 5, 9), (2, 9, 4), (2, 9, 5), (4, 4, 9, 5),
    ]  # fmt: skip


def test_a_thread_that_a_call_starts_is_ordered_by_its_start_and_join():
    # Thread 1 writes (10), starts thread 3, which reads (11), joins it and writes (12): only W at 10 then R at 11 and R
    # at 11 then W at 12 remain, and W R W.
    steps = [
        (1, "write", 0, 10), (1, "start", 3, 0), (3, "read", 0, 11), (3, "end", 3, 0), (1, "join", 3, 0),
        (1, "write", 0, 12),
    ]  # fmt: skip
    assert sorted((p.number, *p.sites) for p in identify(steps, TH)) == [(1, 11, 12), (2, 10, 11), (6, 10, 11, 12)]


def test_a_lock_held_from_one_step_to_the_next_prunes_steps_that_need_it():
    def run(*, needs_lock):
        write = (2, "write", 0, 9)
        return [
            (1, "acquire", 0, 0), (1, "read", 0, 4), (1, "read", 0, 5), (1, "release", 0, 0),
            *([(2, "acquire", 0, 0), write, (2, "release", 0, 0)] if needs_lock else [write]),
        ]  # fmt: skip

    assert 4 in {pattern.number for pattern in identify(run(needs_lock=False), TH)}
    assert {pattern.number for pattern in identify(run(needs_lock=True), TH)} == {1, 2}


def test_only_wanted_patterns_are_returned():
    steps = [(1, "read", 0, 4), (2, "write", 0, 9)]
    assert [p.number for p in identify(steps, TH, lambda pattern: pattern.number == 2)] == [2]


@pytest.mark.parametrize(("number", "expected"), [(1, 2), (2, 2), (3, 1), (4, 4), (5, 2), (6, 2), (7, 2), (8, 1)])
def test_patterns_from_the_source_of_the_class_number_sixteen(number, expected):
    # Both threads may call both methods: 2 reads and 1 write. 2 + 2 + 1 + 4 + 2 + 2 + 2 + 1 = 16 = T_C.
    th = ("log.py:Log", "th")
    accesses = [Access("read", th, 4), Access("read", th, 5), Access("write", th, 9)]
    found = {pattern for pattern in identify_from_source(accesses, accesses) if pattern.number == number}
    assert len(found) == expected


def test_only_patterns_of_one_family():
    # A reads x and y, B writes y and x. Family (15, x, y) is ARx BWy BWx ARy; (15, y, x) needs A to read y first.
    x, y = ("log.py:Log", "x"), ("log.py:Log", "y")
    steps = [(1, "read", 0, 4), (1, "read", 1, 5), (2, "write", 1, 8), (2, "write", 0, 9)]
    found = list(identify(steps, ENTITIES))
    for family in (Family(15, x, y), Family(15, y, x), Family(1, x), Family(1, y), Family(4, x)):
        expected = [pattern for pattern in found if pattern.family == family]
        assert list(identify(steps, ENTITIES, family=family)) == expected
    assert [pattern.sites for pattern in identify(steps, ENTITIES, family=Family(15, x, y))] == [(4, 8, 9, 5)]
    assert list(identify(steps, ENTITIES, family=Family(15, y, x))) == []
