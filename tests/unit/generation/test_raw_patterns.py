from itertools import combinations
from random import Random

from raddle.criteria.patterns import PATTERNS, Part
from raddle.entities import AbstractVariable, make_entities
from raddle.generation.binding import _SITES, FILE, add_sites, is_test_site
from raddle.generation.raw_patterns import RawPattern, is_countable, patterns_in
from raddle.site import SiteTable

NAMES = [("log.py:Log", "x"), ("log.py:Log", "y"), ("log.py:Log", "z")]
ENTITIES = make_entities(variables=[AbstractVariable(owner, "", name) for owner, name in NAMES])
NUMBERS = {pattern.parts: number for number, pattern in PATTERNS.items()}


def by_definition(steps):
    """Match every subsequence of two to four steps with Table I."""
    found = set()
    for length in (2, 3, 4):
        for chosen in combinations(steps, length):
            thread, _, x, _ = chosen[0]
            y = next((step[2] for step in chosen if step[2] != x), None)
            if len({step[0] for step in chosen}) == 2 and {step[2] for step in chosen} <= {x, y}:
                parts = tuple(Part("A" if s[0] == thread else "B", s[1], "x" if s[2] == x else "y") for s in chosen)
                if parts in NUMBERS:
                    other = ("", "") if y is None else NAMES[y]
                    found.add(RawPattern(NUMBERS[parts], NAMES[x], other, tuple(step[3] for step in chosen)))
    return found


def test_patterns_are_those_of_table_one():
    random = Random(1)
    for _ in range(60):
        steps = [
            (
                random.choice((1, 2, 3)),
                random.choice(("read", "write")),
                random.randrange(3),
                random.randrange(70001, 70006),
            )
            for _ in range(9)
        ]
        assert patterns_in(steps, ENTITIES) == by_definition(steps)


def test_all_seventeen_numbers_occur():
    for number, pattern in PATTERNS.items():
        steps = [
            ("AB".index(part.thread) + 1, part.kind, "xy".index(part.variable), 70001 + place)
            for place, part in enumerate(pattern.parts)
        ]
        # The longest pattern that these steps contain is the pattern itself, under its own number.
        found = {p.number for p in patterns_in(steps, ENTITIES) if len(p.sites) == len(steps)}
        assert found == {number}


def test_a_thread_can_be_required():
    steps = [(1, "read", 0, 70001), (2, "write", 0, 70002), (3, "read", 0, 70003)]
    # Thread 1 reads before thread 2 writes (1); thread 3 reads afterwards (2) and has no pattern with thread 1.
    assert {p.number for p in patterns_in(steps, ENTITIES)} == {1, 2}
    assert {p.number for p in patterns_in(steps, ENTITIES, thread=3)} == {2}


def test_only_accesses_of_the_class_by_started_threads_count():
    table = SiteTable()
    add_sites(table)
    test_site = next(iter(table))
    assert is_test_site(test_site)
    assert len(table) == len(_SITES)
    assert table[test_site].file == FILE
    assert is_countable((1, "read", 0, 70001))
    assert not is_countable((0, "read", 0, 70001))  # the thread that prepares the object
    assert not is_countable((1, "read", 0, test_site))
    assert not is_countable((1, "read", 0, 0))  # code without probes
    assert not is_countable((1, "acquire", 0, 70001))
