"""Locks that were asked for: what `sync` and `goodlock` cover if a thread does not get one, or has it already."""

from measured_programs import FOLDER, program

import raddle


def lines_of(name):
    """The line of each comment, by its text."""
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    return {line.partition("# ")[2]: number for number, line in enumerate(text.splitlines(), 1) if "# " in line}


def samples(name, criterion, **options):
    module = program(name)
    return list(raddle.measure(module.scenario, criteria=criterion, source=[module.__file__], **options))


def by_line(name, keys, table):
    names = {number: text for text, number in lines_of(name).items()}
    return {(names.get(table[site].line, ""), situation) for site, situation in keys}


# The lock: `plain` can be blocked by `try` and `timed` and block `timed`; `try` never waits, so it is only visited and
# blocking; `timed` can be all three. The re-entrant lock belongs to one thread: `outer` and `inner` are visited.
SITUATIONS = {
    ("plain", "visited"), ("plain", "blocked"), ("plain", "blocking"),
    ("try", "visited"), ("try", "blocking"),
    ("timed", "visited"), ("timed", "blocked"), ("timed", "blocking"),
    ("outer", "visited"), ("inner", "visited"),
}  # fmt: skip


def test_every_situation():
    module = program("syncs")
    result = raddle.explore(
        module.scenario, criteria="sync", scheduler="exhaustive", until="exhausted", source=[module.__file__]
    )
    assert by_line("syncs", result.record.tally.covered["sync"], result.record.sites) == SITUATIONS
    assert (result.criteria["sync"]["total"], result.criteria["sync"]["total_kind"]) == (len(SITUATIONS), "exact")


def test_every_execution_visits_every_acquire():
    # 5 calls, whether `try` and `timed` get the lock or not.
    for sample in samples("syncs", "sync", executions=50):
        assert len({key for key in sample.covered["sync"] if key[1] == "visited"}) == 5


def test_a_deadlock_covers_both_orders_of_the_locks():
    # The orders are covered in every execution that runs both threads: in those that pass, and in the deadlock, where
    # neither thread gets its second lock.
    kinds = set()
    for sample in samples("crossed", "goodlock", executions=100):
        kinds.add(sample.outcome.kind)
        assert len(sample.covered["goodlock"]) == 2
    assert kinds == {"passed", "deadlock"}
