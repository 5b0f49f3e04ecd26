"""Coverage of `sync` and `goodlock` by lock requests that fail, block or are reentrant."""

from measured_programs import FOLDER, program

import raddle


def lines_of(name):
    """Map the text of each comment in the program to the comment's line number."""
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    return {line.partition("# ")[2]: number for number, line in enumerate(text.splitlines(), 1) if "# " in line}


def samples(name, criterion, **options):
    module = program(name)
    return list(raddle.measure(module.scenario, criteria=criterion, source=[module.__file__], **options))


def by_line(name, keys, table):
    names = {number: text for text, number in lines_of(name).items()}
    return {(names.get(table[site].line, ""), situation) for site, situation in keys}


# `try` and `timed` can block `plain`, and `plain` can block `timed`. `try` never waits, so it is only visited and
# blocking. `timed` can be visited, blocked and blocking. Only one thread uses the reentrant lock, so `outer` and
# `inner` are only visited.
SITUATIONS = {
    ("plain", "visited"), ("plain", "blocked"), ("plain", "blocking"),
    ("try", "visited"), ("try", "blocking"),
    ("timed", "visited"), ("timed", "blocked"), ("timed", "blocking"),
    ("outer", "visited"), ("inner", "visited"),
}  # fmt: skip


def test_an_exhaustive_search_covers_every_situation():
    module = program("syncs")
    result = raddle.explore(
        module.scenario, criteria="sync", scheduler="exhaustive", until="exhausted", source=[module.__file__]
    )
    assert by_line("syncs", result.record.tally.covered["sync"], result.record.sites) == SITUATIONS
    assert (result.criteria["sync"]["total"], result.criteria["sync"]["total_kind"]) == (len(SITUATIONS), "exact")


def test_every_execution_visits_every_acquire():
    # There are 5 acquire calls. All of them count, whether or not `try` and `timed` get the lock.
    for sample in samples("syncs", "sync", executions=50):
        assert len({key for key in sample.covered["sync"] if key[1] == "visited"}) == 5


def test_a_deadlock_covers_both_orders_of_the_locks():
    # Every execution covers both orders. That includes the deadlock, in which neither thread gets its second lock.
    kinds = set()
    for sample in samples("crossed", "goodlock", executions=100):
        kinds.add(sample.outcome.kind)
        assert len(sample.covered["goodlock"]) == 2
    assert kinds == {"passed", "deadlock"}
