"""Merging data files in any order loses nothing and counts nothing twice."""

from __future__ import annotations

import shutil
from dataclasses import replace
from random import Random

import pytest
from stored_records import LOG, SHOP, number, random_record, site, sites, without_numbering

from raddle.errors import UsageError
from raddle.instrument.rewrite import site_base
from raddle.record import Record
from raddle.site import INDEX_BITS, Site
from raddle.store import add, combine, read
from raddle.store.contents import Contents, contents_of
from raddle.tally import Covered, Tally


def record(keys, **more):
    tally = Tally()
    tally.add(1, "map", keys)
    return Record(origin="run app.py", mode="native", tally=tally, **{"sites": {}, "paths": {}, **more})


@pytest.mark.parametrize("seed", range(8))
def test_the_result_does_not_depend_on_the_order_and_grouping_of_files(tmp_path, seed):
    random = Random(seed)
    parts = []
    for part in range(4):
        parts.append(tmp_path / f"part{part}")
        for _ in range(random.randint(1, 3)):
            add(parts[part], random_record(random))
    a, b, c, d = parts
    combine(tmp_path / "forwards", parts)
    combine(tmp_path / "backwards", parts[::-1])
    combine(tmp_path / "left", [a, b])
    combine(tmp_path / "right", [d, c])
    combine(tmp_path / "both", [tmp_path / "right", tmp_path / "left"])
    shutil.copy(c, tmp_path / "into")
    combine(tmp_path / "into", [d])
    combine(tmp_path / "into", [b, a])
    results = [without_numbering(read(tmp_path / name)) for name in ("forwards", "backwards", "both", "into")]
    assert results[0] == results[1] == results[2] == results[3]


@pytest.mark.parametrize("seed", range(8))
def test_a_data_file_holds_the_sum_of_the_added_records(tmp_path, seed):
    random = Random(seed)
    records = [random_record(random) for _ in range(5)]
    for given in records:
        add(tmp_path / "data", given)
    stored, summed = read(tmp_path / "data"), sum(map(contents_of, records), Contents())
    for part in ("tally", "facts", "model", "extras", "exact", "findings"):
        assert in_order(getattr(stored, part)) == in_order(getattr(summed, part)), part
    assert set(stored.notes) == set(summed.notes)
    assert len(stored.corpus) == len(summed.corpus)
    numbering = [[(run.before, run.executions) for run in contents.runs] for contents in (stored, summed)]
    assert numbering[0] == numbering[1]


def in_order(part):
    """Sort findings, because a data file does not preserve their order; return other parts unchanged."""
    return sorted(repr(sorted(finding.items())) for finding in part) if isinstance(part, tuple) else part


@pytest.mark.parametrize("seed", range(8))
def test_adding_records_is_associative(seed):
    random = Random(seed)
    a, b, c = (replace(random_record(random), origin="run app.py", mode="native") for _ in range(3))
    assert (a + b) + c == a + (b + c)
    assert Record() + a == a + Record() == replace(a, tally=Tally() + a.tally)  # adding also computes how coverage grew


@pytest.mark.parametrize("seed", range(4))
def test_adding_records_and_combining_files_give_the_same_result(tmp_path, seed):
    records = [random_record(Random(f"{seed} {number}")) for number in range(5)]
    for place, given in enumerate(records):
        add(tmp_path / "one", given)
        add(tmp_path / f"part{place}", given)
    combine(tmp_path / "other", [tmp_path / f"part{place}" for place in range(5)])
    one, other = read(tmp_path / "one"), read(tmp_path / "other")
    assert one.tally == other.tally
    assert [replace(run, identity="", added="") for run in one.runs] == [
        replace(run, identity="", added="") for run in other.runs
    ]
    assert (one.model, one.exact, one.extras, one.sites) == (other.model, other.exact, other.extras, other.sites)


def test_execution_numbers_continue_from_file_to_file(tmp_path):
    for name in "ab":
        for key in (1, 2):
            add(tmp_path / name, record([(key,)]))
    done = combine(tmp_path / "all", [tmp_path / "a", tmp_path / "b"])
    assert (done.runs, done.executions) == (4, 4)
    contents = read(tmp_path / "all")
    assert contents.tally.covered["map"] == {(1,): Covered(2, 1), (2,): Covered(2, 2)}
    assert [run.before for run in contents.runs] == [0, 1, 2, 3]


def test_combining_does_not_change_the_source_files(tmp_path):
    add(tmp_path / "a", record([(1,)]))
    content = (tmp_path / "a").read_bytes()
    combine(tmp_path / "all", [tmp_path / "a"])
    assert (tmp_path / "a").read_bytes() == content


def test_a_file_that_was_already_combined_is_skipped(tmp_path):
    a, target = tmp_path / "a", tmp_path / "all"
    add(a, record([(1,)]))
    combine(target, [a])
    assert combine(target, [a, target]).skipped == (str(target), str(a))
    assert combine(tmp_path / "new", [a, a]).added == (str(a),)
    assert read(target).tally.executions == read(tmp_path / "new").tally.executions == 1


def test_overlapping_files_are_rejected(tmp_path):
    a, target = tmp_path / "a", tmp_path / "all"
    add(a, record([(1,)]))
    combine(target, [a])
    add(a, record([(2,)]))
    before = target.read_bytes()
    with pytest.raises(UsageError, match="counted twice") as caught:
        combine(target, [a])
    assert caught.value.slug == "overlapping-data"
    assert target.read_bytes() == before


def test_files_measured_with_different_sources_are_rejected(tmp_path):
    a, b, c, target = (tmp_path / name for name in ("a", "b", "c", "all"))
    add(a, record([(number(LOG, 1),)], sites=sites(LOG, SHOP)))
    add(b, record([(number(SHOP, 1),)], sites=sites(SHOP)))
    new = LOG + 1
    add(c, record([(number(new, 1),)], sites={number(new, 1): site(new, 1, label="log.py")}))
    combine(target, [b])
    before = target.read_bytes()
    with pytest.raises(UsageError):
        combine(tmp_path / "new", [a, c])
    assert not (tmp_path / "new").exists()
    with pytest.raises(UsageError) as caught:
        combine(target, [a, c])
    assert caught.value.slug == "different-source"
    for named in ("log.py", str(a), str(c)):
        assert named in str(caught.value)
    assert target.read_bytes() == before
    combine(target, [a])
    with pytest.raises(UsageError, match=r"log\.py"):
        combine(target, [c])


def test_the_same_source_at_another_path_is_accepted(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    add(a, record([(number(LOG, 1),)], sites=sites(LOG), paths={"log.py": "/home/me/log.py"}))
    add(b, record([(number(LOG, 1),)], sites=sites(LOG), paths={"log.py": "/home/you/log.py"}))
    combine(a, [b])
    contents = read(a)
    assert contents.tally.covered["map"] == {(number(LOG, 1),): Covered(2, 1)}
    assert contents.paths == {"log.py": "/home/me/log.py"}


def test_two_instrumented_forms_of_one_existing_source_are_accepted(tmp_path):
    path = tmp_path / "log.py"
    path.write_text("x = 1\n")
    for name, form in (("a", ()), ("b", ("assertions rewritten",))):
        base = site_base("log.py", "x = 1\n", *form)
        there = {base: Site("log.py", 1, 0, "write", "x", "<module>", switchable=True)}
        add(tmp_path / name, record([(base,)], sites=there, paths={"log.py": str(path)}))
    combine(tmp_path / "all", [tmp_path / "a", tmp_path / "b"])
    assert len({number >> INDEX_BITS for number in read(tmp_path / "all").sites}) == 2


def test_combining_a_missing_file_raises_no_data(tmp_path):
    with pytest.raises(UsageError) as caught:
        combine(tmp_path / "all", [tmp_path / "nowhere"])
    assert caught.value.slug == "no-data"
    assert not (tmp_path / "all").exists()
