"""The data file returns what was stored, accumulates runs, and drops coverage of changed sources."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import replace
from random import Random

import pytest
from stored_records import LOG, SHOP, number, random_record, site, sites

from raddle.errors import UsageError
from raddle.instrument.rewrite import site_base
from raddle.instrument.running_source import ASSERTIONS
from raddle.pruning_facts import LockDiscipline, OwnerFacts, PruningFacts
from raddle.record import Record
from raddle.site import INDEX_BITS, Site
from raddle.static_model import Accesses, StaticModel
from raddle.store import NoDataError, add, check, forget_notes, read
from raddle.store.schema import APPLICATION, SCHEMA, VERSION
from raddle.tally import Covered, Tally
from raddle.warning import ReportedWarning


def tally_of(*executions):
    """Return a tally of executions, each given as {criterion: keys}."""
    tally = Tally()
    for number_, covered in enumerate(executions, start=1):
        for criterion, keys in covered.items():
            tally.add(number_, criterion, keys)
    return tally


def record(*executions, **more):
    mode = more.pop("mode", "native")
    return Record(
        origin="run app.py",
        mode=mode,
        tally=tally_of(*executions),
        sites=more.pop("sites", {}),
        paths=more.pop("paths", {}),
        **more,
    )


@pytest.fixture
def file(tmp_path):
    return tmp_path / "data"


def test_reading_returns_everything_that_was_stored(file):
    key = (number(LOG, 1), ("log.py:C", "app.py:12", "é"), (True, ("x", 3)))
    given = Record(
        origin="explore log.py::scenario",
        mode="controlled",
        tally=tally_of({"map": [key], "sync": []}),
        sites=sites(LOG),
        paths={"log.py": "/home/me/log.py"},
        model=StaticModel(
            {
                ("log.py:C", "x"): Accesses(frozenset({1}), frozenset({2, 3}), frozenset({3})),
                ("log.py", "y"): Accesses(),
            },
            {"log.py:C": {"add": number(LOG, 0)}},
            frozenset({number(LOG, 2)}),
        ),
        facts=PruningFacts({"log.py:C": OwnerFacts.make([("x", 1), ("x", 2)], (2,), LockDiscipline(seen=3))}),
        exact=frozenset({"map"}),
        warnings=(ReportedWarning("data-race", "C.x", (number(LOG, 1), number(LOG, 0)), "no lock"),),
        findings=({"kind": "assertion", "message": "no", "steps": []},),
        notes=("something",),
    )
    assert add(file, given) == ()
    contents = read(file)
    assert contents.tally.covered == given.tally.covered
    assert contents.tally.executions == 1
    assert contents.sites == given.sites
    assert contents.paths == given.paths
    assert contents.model == given.model
    assert contents.facts == given.facts
    assert contents.exact == given.exact
    assert contents.warnings == given.warnings
    assert contents.findings == given.findings
    assert contents.notes == given.notes
    (run,) = contents.runs
    assert (run.origin, run.mode, run.executions, run.before) == ("explore log.py::scenario", "controlled", 1, 0)
    assert run.criteria == {"map", "sync"}
    assert run.files == {("log.py", LOG)}


def test_execution_numbers_continue_across_runs(file):
    add(file, record({"map": [(1,)]}, {"map": [(1,), (2,)]}))
    add(file, record({"map": [(2,)]}, {"map": [(3,)]}, {"map": [(1,)]}))
    tally = read(file).tally
    # The executions of the second run have the numbers 3, 4 and 5.
    assert tally.executions == 5
    assert tally.covered["map"] == {(1,): Covered(3, 1), (2,): Covered(2, 2), (3,): Covered(1, 4)}
    assert tally.growth["map"] == [(1, 1), (2, 2), (4, 3)]


def test_executions_count_only_for_the_criteria_that_were_measured(file):
    add(file, record({"map": [(1,)], "sync": [(1,)]}, {"map": [], "sync": []}))
    add(file, record({"map": []}, {"map": [(2,)]}, {"map": []}))
    contents = read(file)
    assert (contents.executions("map"), contents.executions("sync")) == (5, 2)
    # `map` last covered something new in the fourth of its five executions, and `sync` in the first of its two.
    assert (contents.since_new("map"), contents.since_new("sync")) == (1, 1)
    assert contents.executions("avio") == 0


def test_a_total_is_exact_if_it_was_exact_in_all_runs(file):
    add(file, record({"map": [(1,)], "sync": [(1,)]}, exact=frozenset({"map", "sync"})))
    assert read(file).exact == {"map", "sync"}
    add(file, replace(record({"map": [(1,)]}), origin="run other.py"))
    assert read(file).exact == {"sync"}


def explored(*executions, exact=(), digests=(LOG,), **more):
    given = record(*executions, mode="controlled", sites=sites(*digests), exact=frozenset(exact))
    return replace(given, **{"origin": "explore log.py::scenario", **more})


def test_an_exact_total_stays_exact_if_the_same_scenario_covers_nothing_new(file):
    add(file, explored({"map": [(1,), (2,)], "sync": [(1,)]}, exact={"map", "sync"}))
    add(file, explored({"map": [(1,)]}, {"map": [(2,)]}))
    assert read(file).exact == {"map", "sync"}


def test_a_total_is_no_longer_exact_if_a_later_run_covers_something_new(file):
    add(file, explored({"map": [(1,)], "sync": [(1,)]}, exact={"map", "sync"}))
    add(file, explored({"map": [(1,)], "sync": [(1,)]}, {"map": [(2,)], "sync": [(1,)]}))
    assert read(file).exact == {"sync"}


@pytest.mark.parametrize(
    "other",
    [{"origin": "explore log.py::other"}, {"mode": "native"}, {"digests": (LOG, SHOP)}],
    ids=["another scenario", "another mode", "more source"],
)
def test_a_total_is_not_exact_if_a_different_run_was_not_exhausted(file, other):
    add(file, explored({"map": [(1,)]}, exact={"map"}))
    add(file, explored({"map": [(1,)]}, **other))
    assert read(file).exact == set()


def test_a_total_is_not_exact_if_an_earlier_run_covered_more(file):
    add(file, explored({"map": [(1,), (2,)]}))
    add(file, explored({"map": [(1,)]}, exact={"map"}))
    assert read(file).exact == set()


def test_equal_warnings_findings_and_notes_are_stored_once(file):
    warning = ReportedWarning("data-race", "C.x", (1, 2))
    finding = {"kind": "assertion", "message": "no", "thread": "T0", "schedule": "T0; T1.", "execution": 3}
    for execution in (3, 5):
        add(
            file,
            record({"map": []}, warnings=(warning,), findings=({**finding, "execution": execution},), notes=("n",)),
        )
    contents = read(file)
    assert (contents.warnings, contents.findings, contents.notes) == ((warning,), (finding,), ("n",))


def test_file_names_with_surrogates_are_stored_escaped(file):
    label = "caf\udce9.py"
    there = {number(LOG, 0): Site(label, 1, 0, "read", "x", "f", switchable=True)}
    add(file, record({"map": [(label, number(LOG, 0))]}, sites=there, paths={label: f"/{label}"}))
    contents = read(file)
    assert contents.tally.covered["map"] == {(label, number(LOG, 0)): Covered(1, 1)}
    assert contents.paths == {"caf\\udce9.py": "/caf\\udce9.py"}


def test_random_records_add_up(file):
    random = Random(3)
    records = [random_record(random) for _ in range(40)]
    covered, executions = {}, 0
    for given in records:  # by definition: the number of executions that covered the key, and the first of them
        for name, keys in given.tally.covered.items():
            for key, seen in keys.items():
                times, first = covered.get((name, key), (0, executions + seen.first))
                covered[name, key] = (times + seen.executions, first)
        executions += given.tally.executions
        add(file, given)
    stored = read(file).tally
    assert stored.executions == executions
    assert {
        (name, key): (seen.executions, seen.first)
        for name, keys in stored.covered.items()
        for key, seen in keys.items()
    } == covered
    assert read(file).model == sum((given.model for given in records), StaticModel())
    assert read(file).facts == sum((given.facts for given in records), PruningFacts())


# -- changed sources ------------------------------------------------------------------------------------


def two_files(log=LOG):
    there = {
        **{number(log, index): site(log, index, label="log.py") for index in range(3)},
        **{number(SHOP, index): site(SHOP, index) for index in range(3)},
    }
    return {"sites": there, "paths": {"log.py": "/nowhere/log.py", "shop/cart.py": "/nowhere/cart.py"}}


def about_log(log=LOG):
    """Return one item of each kind that can be stored about log.py."""
    here = number(log, 1)
    return {
        "facts": PruningFacts({"cart.py:Cart": OwnerFacts.make([("x", here)], (0,), LockDiscipline(seen=1))}),
        "model": StaticModel(
            {("log.py:C", "x"): Accesses(frozenset({here}))}, {"log.py:C": {"add": here}}, frozenset({here})
        ),
        "warnings": (ReportedWarning("data-race", "C.x", (here, number(SHOP, 1))),),
        "findings": ({"kind": "assertion", "message": "no", "steps": [{"file": "log.py", "line": 3}]},),
    }


def test_measurements_in_a_changed_source_are_dropped(file):
    """The criterion is unknown to raddle, so its keys can have any parts."""
    new = LOG + 1
    elsewhere = (number(SHOP, 0), "x")
    keys = [(number(LOG, 1), "x"), (number(SHOP, 0), ("log.py:C", "", "x")), (("Lock", "log.py:12"),), elsewhere]
    add(file, record({"zebra": keys}, **two_files(), **about_log()))
    notes = add(file, record({"zebra": [(number(new, 1), "x")]}, **two_files(log=new)))
    assert notes == ("log.py has changed: its earlier coverage is dropped",)
    contents = read(file)
    assert contents.notes == notes
    assert contents.tally.covered["zebra"] == {elsewhere: Covered(1, 1), (number(new, 1), "x"): Covered(1, 2)}
    assert contents.tally.executions == 2
    assert {n >> INDEX_BITS for n in contents.sites} == {new, SHOP}
    assert (contents.model, contents.warnings, contents.findings, contents.facts) == (
        StaticModel(),
        (),
        (),
        PruningFacts(),
    )


def test_a_requirement_is_dropped_if_any_of_its_parts_is_stale(file):
    here, there, dropped = number(SHOP, 0), number(SHOP, 1), number(LOG, 1)
    kept = {
        "concur-pairs": (here, there, True),
        "du-pairs": (here, 0, ("shop/cart.py:C", "", "x")),
        "hbpair": (here, there, ""),
        "method-pairs": ("shop/cart.py:C", "add", "total"),
        "pinv": (("shop/cart.py:C", "", "x"), ("T1", "read", here, 1), ("T1", "read", here, 2), "none"),
    }
    stale = {
        "concur-pairs": (here, dropped, True),
        "du-pairs": (here, 0, ("log.py:C", "", "x")),
        "hbpair": (here, there, ("Lock", "log.py:12")),
        "method-pairs": ("log.py:C", "add", "total"),
        "pinv": (("shop/cart.py:C", "", "x"), ("T1", "read", here, 1), ("T1", "read", dropped, 1), "none"),
    }
    add(file, record({name: [kept[name], stale[name]] for name in kept}, **two_files()))
    add(file, record({"map": []}, **two_files(log=LOG + 1)))
    covered = read(file).tally.covered
    assert {name: list(covered[name]) for name in kept} == {name: [key] for name, key in kept.items()}


def test_an_unchanged_source_drops_nothing(file):
    for _ in range(2):
        assert add(file, record({"map": [(number(LOG, 1),)]}, **two_files(), **about_log())) == ()
    contents = read(file)
    assert len(contents.warnings) == len(contents.findings) == len(contents.model.variables) == 1
    assert list(contents.facts.owners) == ["cart.py:Cart"]


def add_source(file, path, text, *form):
    """Store a record in which the only site of a source was covered; return the site's number and the notes."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    base = site_base("log.py", text, *form)
    there = {base: Site("log.py", 1, 0, "write", "x", "<module>", switchable=True)}
    return base, add(file, record({"blocks": [(base,)]}, sites=there, paths={"log.py": str(path)}))


def test_a_record_without_sites_does_not_count_as_a_source_change(file):
    kept = (number(LOG, 1),)
    add(file, record({"map": [kept]}, sites=sites(LOG), paths={"log.py": "/nowhere/log.py"}))
    assert add(file, record({"map": [kept]}, paths={"log.py": "/nowhere/log.py"})) == ()
    assert read(file).tally.covered["map"] == {kept: Covered(2, 1)}
    assert add(file, record({"map": [kept]}, sites=sites(LOG), paths={"log.py": "/nowhere/log.py"})) == ()
    assert read(file).paths == {"log.py": "/nowhere/log.py"}


def test_two_files_with_the_same_name_are_kept_separately(tmp_path):
    (tmp_path / "project").mkdir()
    file = tmp_path / "project" / ".raddle"
    one, other = tmp_path / "a" / "log.py", tmp_path / "b" / "log.py"
    first, _ = add_source(file, one, "x = 1\n")
    second, notes = add_source(file, other, "x = 2\n")
    assert notes == ()
    assert set(read(file).tally.covered["blocks"]) == {(first,), (second,)}
    third, notes = add_source(file, one, "x = 3\n")
    assert notes == ("log.py has changed: its earlier coverage is dropped",)
    assert set(read(file).tally.covered["blocks"]) == {(second,), (third,)}


def test_in_a_copy_of_the_project_a_changed_source_drops_coverage(tmp_path):
    """A checkout was copied with its data file, and a source was changed in the copy. Both sources still exist."""
    old, new = tmp_path / "old" / "log.py", tmp_path / "new" / "log.py"
    file = tmp_path / "new" / ".raddle"
    file.parent.mkdir()
    add_source(file, old, "x = 1\n")
    second, notes = add_source(file, new, "x = 2\n")
    assert notes == ("log.py has changed: its earlier coverage is dropped",)
    assert list(read(file).tally.covered["blocks"]) == [(second,)]


def test_a_source_instrumented_in_another_form_is_not_counted_twice(file, tmp_path):
    add_source(file, tmp_path / "log.py", "x = 1\n")
    base, notes = add_source(file, tmp_path / "log.py", "x = 1\n", ASSERTIONS)
    assert notes == (
        "log.py is now instrumented in a different form (with or without pytest): its earlier coverage is dropped",
    )
    assert list(read(file).tally.covered["blocks"]) == [(base,)]


def test_a_source_under_another_name_is_not_counted_twice(file, tmp_path):
    """A source gets another name if, for example, raddle now recognizes the project root but did not before."""
    add_source(file, tmp_path / "log.py", "x = 1\n")
    base = site_base("src/log.py", "x = 1\n")
    there = {base: Site("src/log.py", 1, 0, "write", "x", "<module>", switchable=True)}
    notes = add(file, record({"blocks": [(base,)]}, sites=there, paths={"src/log.py": str(tmp_path / "log.py")}))
    assert notes == ("log.py is now called src/log.py: coverage measured under the old name is dropped",)
    assert list(read(file).tally.covered["blocks"]) == [(base,)]


def test_notes_about_dropped_coverage_stay_until_the_next_run(file, tmp_path):
    add_source(file, tmp_path / "log.py", "x = 1\n")
    forget_notes(file)  # a run with two processes begins
    _, notes = add_source(file, tmp_path / "log.py", "x = 2\n")
    add_source(file, tmp_path / "log.py", "x = 2\n")
    assert read(file).notes == notes
    assert len(notes) == 1
    forget_notes(file)
    assert read(file).notes == ()


def test_an_exploration_removes_earlier_notes_about_dropped_coverage(file):
    add(file, record({"map": []}, **two_files(), notes=("something else",)))
    add(file, record({"map": []}, **two_files(log=LOG + 1)))
    assert len(read(file).notes) == 2
    add(file, record({"map": []}, **two_files(log=LOG + 1), mode="controlled"))
    assert read(file).notes == ("something else",)


def test_forgetting_notes_creates_no_file(file):
    forget_notes(file)
    assert not file.exists()


IN_SHOP = {"map": [(number(SHOP, 0),)], "sync": [(number(SHOP, 0),)]}


def test_a_source_change_makes_earlier_exact_totals_inexact(file):
    before = record(IN_SHOP, **two_files(), exact=frozenset({"map", "sync"}))
    after = record({"map": []}, **two_files(log=LOG + 1), exact=frozenset({"map"}))
    add(file, before)
    add(file, replace(before, origin="run other.py"))
    assert read(file).exact == {"map", "sync"}
    add(file, after)
    # The new record of `run app.py` makes only `map` exact, and `run other.py` was not repeated.
    assert read(file).exact == set()


def test_an_exhausted_run_after_a_source_change_makes_totals_exact(file):
    add(file, record(IN_SHOP, **two_files()))
    add(file, record({"map": []}, **two_files(log=LOG + 1), exact=frozenset({"map"})))
    assert read(file).exact == {"map"}


def test_a_run_is_removed_if_a_source_change_drops_all_its_coverage(file):
    here = {"sites": sites(LOG), "paths": {"log.py": "/nowhere/log.py"}}
    add(file, record({"blocks": [(number(LOG, 0),)], "sync": []}, {"blocks": []}, **here))
    new = {"sites": {number(LOG + 1, 0): site(LOG + 1, 0, label="log.py")}, "paths": {"log.py": "/nowhere/log.py"}}
    add(file, record({"blocks": [(number(LOG + 1, 0),)]}, {"blocks": []}, {"blocks": []}, **new))
    contents = read(file)
    assert contents.criteria == ("blocks",)
    assert (contents.executions("blocks"), contents.since_new("blocks")) == (3, 2)
    # The old run has left no trace: the new run's executions are numbered 1 to 3.
    assert contents.tally.covered["blocks"] == {(number(LOG + 1, 0),): Covered(1, 1)}
    assert [(run.before, run.executions) for run in contents.runs] == [(0, 3)]


def test_execution_numbers_stay_unique_if_a_run_in_the_middle_is_removed(file):
    add(file, record({"map": [(number(SHOP, 0),)]}, sites=sites(SHOP)))
    in_log = {"sites": sites(LOG), "paths": {"log.py": "/nowhere/log.py"}}
    add(file, record({"sync": [(number(LOG, 0),)]}, **in_log))
    add(file, record({"map": [(number(SHOP, 1),)]}, sites=sites(SHOP)))
    new = {number(LOG + 1, 0): site(LOG + 1, 0, label="log.py")}
    add(file, record({"map": [(number(LOG + 1, 0),)]}, sites=new, paths={"log.py": "/nowhere/log.py"}))
    contents = read(file)
    assert [(run.before, run.executions) for run in contents.runs] == [(0, 1), (2, 1), (3, 1)]
    assert [seen.first for _, seen in sorted(contents.tally.covered["map"].items())] == [1, 3, 4]
    assert (contents.executions("map"), contents.since_new("map")) == (3, 0)


# -- files that cannot be used ---------------------------------------------------------------------------


def error_of(action, *arguments):
    with pytest.raises(UsageError) as caught:
        action(*arguments)
    return caught.value


def test_reading_a_missing_file_raises_no_data(file):
    assert isinstance(error_of(read, file), NoDataError)
    assert error_of(read, file).slug == "no-data"
    assert not file.exists()


def test_an_empty_file_is_accepted_as_a_new_data_file(file):
    check(file)
    file.touch()
    check(file)
    assert error_of(read, file).slug == "no-data"
    add(file, record({"map": [(1,)]}))
    assert read(file).tally.counts() == {"map": 1}


@pytest.mark.parametrize("content", [b"x", b"hello\n", b"# a script\n" * 400, b"SQLite format 3\0" + b"?" * 2000])
def test_a_file_that_is_not_a_database_is_rejected_and_unchanged(file, content):
    file.write_bytes(content)
    for action in (read, check, lambda path: add(path, record({"map": []}))):
        assert error_of(action, file).slug == "not-a-data-file"
    assert file.read_bytes() == content


@pytest.mark.parametrize("statement", ["create table coverage_schema (version)", "pragma user_version = 7"])
def test_a_database_of_another_application_is_rejected_and_unchanged(file, statement):
    with sqlite3.connect(file) as database:
        database.execute(statement)
    database.close()
    content = file.read_bytes()
    for action in (read, lambda path: add(path, record({"map": []}))):
        assert error_of(action, file).slug == "not-a-data-file"
    assert file.read_bytes() == content


@pytest.mark.parametrize(("version", "advice"), [(VERSION - 1, "measure again"), (VERSION + 1, "upgrade raddle")])
def test_a_data_file_of_another_version_is_rejected_with_advice(file, version, advice):
    database = sqlite3.connect(file)
    database.executescript(f"create table run (x); pragma application_id={APPLICATION}; pragma user_version={version}")
    database.close()
    for action in (read, lambda path: add(path, record({"map": []}))):
        error = error_of(action, file)
        assert error.slug == "data-file-version"
        assert f"version {version}" in str(error)
        assert advice in str(error)


def without_bases(file, given):
    """Store a record in a file of a version of raddle whose `map` did not pair own with inherited variables."""
    add(file, given)
    with sqlite3.connect(file) as database:
        database.execute("drop table base")
    database.close()


def test_a_data_file_without_base_classes_is_read_but_not_exact_for_map(file):
    key = (3, "log.py:C", "x", "", number(LOG, 1), number(LOG, 1))
    without_bases(file, explored({"map": [key], "sync": [(1,)]}, exact={"map", "sync"}))
    content = file.read_bytes()
    contents = read(file)
    assert list(contents.tally.covered["map"]) == [key]  # requirements of one class have the same keys as before
    assert contents.exact == {"sync"}
    assert contents.model.bases == {}
    assert file.read_bytes() == content


def test_adding_to_a_data_file_without_base_classes_adds_them(file):
    without_bases(file, explored({"map": [(1,)], "sync": [(1,)]}, exact={"map", "sync"}))
    bases = {"log.py:C": frozenset({"log.py:B"})}
    add(file, explored({"map": [(1,)], "sync": [(1,)]}, model=StaticModel(bases=bases), origin="other"))
    contents = read(file)
    assert contents.model.bases == bases
    assert contents.executions("map") == 2
    assert [sorted(run.exact) for run in contents.runs] == [["sync"], []]


def test_base_classes_in_a_changed_source_are_dropped(file):
    bases = {
        "log.py:C": frozenset({"shop/cart.py:A"}),
        "shop/cart.py:D": frozenset({"log.py:B", "shop/cart.py:A"}),
    }
    add(file, record({"map": []}, **two_files(), model=StaticModel(bases=bases)))
    add(file, record({"map": []}, **two_files(log=LOG + 1)))
    assert read(file).model.bases == {"shop/cart.py:D": frozenset({"shop/cart.py:A"})}


def test_a_folder_is_rejected_as_a_data_file(tmp_path):
    for action in (read, lambda path: add(path, record({"map": []}))):
        error = error_of(action, tmp_path)
        assert error.slug == "data-file-unreadable"
        assert "it is a folder" in str(error)


def test_a_data_file_in_a_missing_folder_is_rejected(tmp_path):
    error = error_of(add, tmp_path / "no" / "data", record({"map": []}))
    assert error.slug == "data-file-unreadable"
    assert "there is no folder" in str(error)


@pytest.mark.parametrize(
    "change", ["update requirement set key = '[1'", "drop table site", "update facts set value = '{'"]
)
def test_a_damaged_data_file_is_rejected(file, change):
    add(file, record({"map": [(1,)]}))
    database = sqlite3.connect(file)
    database.execute(change)
    database.commit()
    database.close()
    error = error_of(read, file)
    assert error.slug == "data-file-unreadable"
    assert "damaged" in str(error)


def test_adding_to_a_locked_data_file_fails_after_the_timeout(file):
    add(file, record({"map": [(1,)]}))
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("begin exclusive")
    with pytest.raises(UsageError, match="was locked by another process") as caught:
        add(file, record({"map": [(2,)]}), busy_seconds=0.01)
    assert caught.value.slug == "data-file-busy"
    other.execute("rollback")
    other.close()
    assert read(file).tally.counts() == {"map": 1}


def test_several_threads_of_one_process_can_add_records(file):
    def add_some():
        for _ in range(3):
            add(file, record({"map": [(1,)]}))

    threads = [threading.Thread(target=add_some) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read(file).tally.covered["map"] == {(1,): Covered(9, 1)}


def test_reading_does_not_change_the_data_file(file):
    add(file, record({"map": [(1,)]}))
    content = file.read_bytes()
    read(file)
    assert file.read_bytes() == content
    assert sorted(file.parent.iterdir()) == [file]


def test_every_column_has_a_comment():
    columns = [line for line in SCHEMA.splitlines() if line.startswith("    ") and not line.lstrip().startswith("--")]
    assert columns
    for column in columns:
        assert "  -- " in column or column.split()[0] in ("primary", "unique"), column
