"""Programs and traces for the criteria of Lu, Jiang and Zhou, and names of accesses straight from the definition."""

from __future__ import annotations

from collections import Counter

from raddle.entities import AbstractVariable, make_entities

SITE = 70_000


def variable(name):
    return AbstractVariable("m.py:C", "m.py:1", name)


def watch(criterion, entities, steps, *, chunks=()):
    """What an execution covers; `chunks` are the numbers of steps after which is asked in between."""
    criterion.begin(entities)
    collected = []
    rest = list(steps)
    for length in chunks:
        criterion.feed(rest[:length])
        rest = rest[length:]
        collected.append(criterion.collect(final=False))
    criterion.feed(iter(rest))
    collected.append(criterion.collect(final=True))
    keys = set().union(*collected)
    assert sum(map(len, collected)) == len(keys), "a key was given out twice in one execution"
    return keys


# --- straight-line programs: by thread, a list of (kind, variable) ---


def interleavings(program):
    """Every order of the threads' accesses, as lists of (thread, index)."""

    def extend(done):
        ended = True
        for thread, line in enumerate(program):
            if done[thread] < len(line):
                ended = False
                index = done[thread]
                for rest in extend((*done[:thread], index + 1, *done[thread + 1 :])):
                    yield [(thread, index), *rest]
        if ended:
            yield []

    return list(extend(tuple(0 for _ in program)))


def program_cast(program):
    names = sorted({name for line in program for _, name in line})
    return make_entities(variables=[variable(name) for name in names])


def program_steps(program, order):
    """Thread 0 starts threads 1, 2, ..., which do what the program says; each access has a site of its own."""
    names = sorted({name for line in program for _, name in line})
    steps = [(0, "start", thread + 1, SITE) for thread in range(len(program))]
    for thread, index in order:
        kind, name = program[thread][index]
        steps.append((thread + 1, kind, names.index(name), SITE + 100 * (thread + 1) + index))
    return steps


def random_program(random, *, threads, accesses, names):
    return [
        [(random.choice(["read", "write"]), random.choice(names)) for _ in range(random.randint(1, accesses))]
        for _ in range(threads)
    ]


# --- random traces: branches, loops, threads that nobody started, variables that look alike ---

LIKE = ["x", "x", "y", "z"]  # variables 0 and 1 are two objects made in the same place


def random_steps(random, *, length=24):
    """Steps of up to five threads; 4 is never seen started, 3 is started by 1 or 2, perhaps after it has begun."""
    steps = [(0, "start", 1, SITE), (0, "start", 2, SITE)]
    threads = random.choice([[0, 1], [1, 2], [1, 2, 3], [0, 1, 2, 3, 4]])
    while len(steps) < length:
        thread = random.choice(threads)
        for _ in range(random.choice([1, 1, 2, 3])):
            kind = random.choice(["read", "read", "write", "write", "acquire", "begin"])
            steps.append((thread, kind, random.randrange(len(LIKE)), SITE + random.choice([0, 1, 2])))
    if random.random() < 0.9:
        steps.insert(random.randrange(2, len(steps)), (random.choice([1, 2]), "start", 3, SITE))
    return steps


def like_cast():
    return make_entities(variables=[variable(name) for name in LIKE])


def labels(steps):
    """What each thread is called, from all starts of the execution."""
    named = {0: "T0"}
    for thread, kind, _, _ in steps:
        if kind in ("read", "write") and thread not in named:
            named[thread] = _label(thread, steps, named)
    return named


def _label(thread, steps, named):
    started = Counter()
    for starter, kind, target, _ in steps:
        if kind == "start":
            started[starter] += 1
            if target == thread:
                parent = named[starter] if starter in named else _label(starter, steps, named)
                return f"T{started[starter]}" if parent == "T0" else f"{parent}.{started[starter]}"
    return f"T?{sum(label.startswith('T?') for label in named.values()) + 1}"


def named_accesses(steps, occurrences):
    """All accesses to shared variables, in order: (variable number, thread, name)."""
    called = labels(steps)
    accesses = []
    for place, step in enumerate(steps):
        thread, kind, number, site = step
        if kind in ("read", "write"):
            touching = {other[0] for other in steps if other[1] in ("read", "write") and other[2] == number}
            occurrence = min(occurrences, steps[: place + 1].count(step))
            if len(touching) > 1:
                accesses.append((number, thread, (called[thread], kind, site, occurrence)))
    return accesses


def compare_on_random_traces(random, make_criterion, reference, *, traces):
    """One criterion object watches all traces: nothing of one may show in another."""
    criteria = {occurrences: make_criterion(occurrences=occurrences) for occurrences in (1, 2, 16)}
    covered = {occurrences: set() for occurrences in criteria}
    for _ in range(traces):
        steps = random_steps(random, length=random.choice([4, 12, 24]))
        chunks = [random.randrange(1, 8) for _ in range(random.choice([0, 0, 1, 3]))]
        occurrences = random.choice(list(criteria))
        found = watch(criteria[occurrences], like_cast(), steps, chunks=chunks)
        assert found == reference(named_accesses(steps, occurrences)), (steps, occurrences)
        covered[occurrences] |= found
    return criteria, covered
