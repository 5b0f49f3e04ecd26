"""Programs and traces for testing the criteria of Lu, Jiang and Zhou.

`named_accesses` is a reference implementation that names accesses according to the paper's definition.
"""

from __future__ import annotations

from collections import Counter

from raddle.entities import AbstractVariable, make_entities

SITE = 70_000


def variable(name):
    return AbstractVariable("m.py:C", "m.py:1", name)


def watch(criterion, entities, steps, *, chunks=()):
    """Return the keys that an execution covers.

    `chunks` holds the lengths of the batches; `collect` is also called after each batch.
    """
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
    assert sum(map(len, collected)) == len(keys), "a key was collected twice in one execution"
    return keys


# --- straight-line programs: one list of (kind, variable) per thread ---


def interleavings(program):
    """Return every interleaving of the threads' accesses, each as a list of (thread, index)."""

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


def program_entities(program):
    names = sorted({name for line in program for _, name in line})
    return make_entities(variables=[variable(name) for name in names])


def program_steps(program, order):
    """Return the steps of one interleaving of `program`.

    Thread 0 starts threads 1, 2, ..., which perform the accesses. Each access has its own site.
    """
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


# --- random traces: branches, loops, threads without a recorded start, variables with equal descriptions ---

VARIABLE_NAMES = ["x", "x", "y", "z"]  # variables 0 and 1 belong to two objects created at the same line


def random_steps(random, *, length=24):
    """Return random steps of up to five threads.

    The start of thread 4 is not in the trace. Thread 1 or 2 starts thread 3; the start may be recorded after thread 3's
    first step.
    """
    steps = [(0, "start", 1, SITE), (0, "start", 2, SITE)]
    threads = random.choice([[0, 1], [1, 2], [1, 2, 3], [0, 1, 2, 3, 4]])
    while len(steps) < length:
        thread = random.choice(threads)
        for _ in range(random.choice([1, 1, 2, 3])):
            kind = random.choice(["read", "read", "write", "write", "acquire", "begin"])
            steps.append((thread, kind, random.randrange(len(VARIABLE_NAMES)), SITE + random.choice([0, 1, 2])))
    if random.random() < 0.9:
        steps.insert(random.randrange(2, len(steps)), (random.choice([1, 2]), "start", 3, SITE))
    return steps


def random_trace_entities():
    return make_entities(variables=[variable(name) for name in VARIABLE_NAMES])


def labels(steps):
    """Map each thread to its label, based on all starts in the execution."""
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
    """Return all accesses to shared variables, in order, as (variable number, thread, name)."""
    thread_labels = labels(steps)
    accesses = []
    for place, step in enumerate(steps):
        thread, kind, number, site = step
        if kind in ("read", "write"):
            touching = {other[0] for other in steps if other[1] in ("read", "write") and other[2] == number}
            occurrence = min(occurrences, steps[: place + 1].count(step))
            if len(touching) > 1:
                accesses.append((number, thread, (thread_labels[thread], kind, site, occurrence)))
    return accesses


def compare_on_random_traces(random, make_criterion, reference, *, traces):
    """Compare a criterion with a reference on random traces.

    Each criterion instance processes many traces, so state that leaks from one trace into the next is detected.
    """
    criteria = {occurrences: make_criterion(occurrences=occurrences) for occurrences in (1, 2, 16)}
    covered = {occurrences: set() for occurrences in criteria}
    for _ in range(traces):
        steps = random_steps(random, length=random.choice([4, 12, 24]))
        chunks = [random.randrange(1, 8) for _ in range(random.choice([0, 0, 1, 3]))]
        occurrences = random.choice(list(criteria))
        found = watch(criteria[occurrences], random_trace_entities(), steps, chunks=chunks)
        assert found == reference(named_accesses(steps, occurrences)), (steps, occurrences)
        covered[occurrences] |= found
    return criteria, covered
