"""Differences in coverage between two data files, even if the source has changed in between."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from fake_criterion import Pairs

from raddle.criteria.patterns import PATTERNS
from raddle.criteria.ruled_out import RuledOut
from raddle.instrument.rewrite import site_base
from raddle.pruning_facts import Guard, LockDiscipline, OwnerFacts
from raddle.report import difference as module
from raddle.report.correspondence import Correspondence, align
from raddle.report.difference import GAINED, GONE, IMPOSSIBLE, LOST, difference
from raddle.requirement import UNKNOWN, Requirement
from raddle.site import INDEX_BITS, Site
from raddle.static_model import StaticModel
from raddle.store.contents import Contents, Run
from raddle.tally import Covered, Tally

OLD, NEW = 4711, 4712  # source digests of the two versions
FILE = "log.py"


def version(digest, *places, label=FILE):
    """Return the sites of one version of a source. Each place is (line, kind, name, function)."""
    sites = {}
    for index, (line, kind, name, function) in enumerate(places):
        sites[(digest << INDEX_BITS) + index] = Site(label, line, 0, kind, name, function, switchable=True)
    return sites


def number(sites, line, kind):
    (found,) = [number for number, site in sites.items() if (site.line, site.kind) == (line, kind)]
    return found


def measured(sites, keys=(), *, name="pairs", executions=1, **more):
    run = Run("", "run app.py", "native", executions, 0, "", frozenset({name}))
    covered = {name: {key: Covered(1, 1) for key in keys}}
    return replace(Contents(runs=(run,), tally=Tally.of(covered, executions=executions), sites=sites), **more)


# In the old version, `f` reads on lines 4 and 5, and `g` writes on line 9. In the new version, three more lines precede
# `f`, and `g` reads before it writes.
BEFORE = version(OLD, (4, "read", "self.th", "f"), (5, "read", "self.th", "f"), (9, "write", "self.th", "g"))
AFTER = version(
    NEW, (7, "read", "self.th", "f"), (8, "read", "self.th", "f"), (12, "read", "self.th", "g"),
    (13, "write", "self.th", "g"),
)  # fmt: skip
READ4, READ5, WRITE9 = (number(BEFORE, *place) for place in ((4, "read"), (5, "read"), (9, "write")))
READ7, READ8, READ12, WRITE13 = (
    number(AFTER, *place) for place in ((7, "read"), (8, "read"), (12, "read"), (13, "write"))
)


def compared(before, after, criterion=None, **options):
    found = difference(before, after, criteria={"pairs": criterion or Pairs()}, **options)
    (compared_criterion,) = found.criteria
    return compared_criterion


# -- sites -----------------------------------------------------------------------------------------------


def test_sites_are_matched_after_lines_were_inserted():
    correspondence = Correspondence(measured(BEFORE), measured(AFTER))
    assert correspondence.changed == {FILE}
    assert [correspondence.site(old) for old in (READ4, READ5, WRITE9)] == [READ7, READ8, WRITE13]


def test_an_inserted_access_does_not_shift_the_others():
    """The reads of `a`, `b` and `a` become reads of `c`, `a` and `a`: `c` was inserted and `b` was removed."""
    old = version(OLD, (1, "read", "a", "f"), (2, "read", "b", "f"), (3, "read", "a", "f"))
    new = version(NEW, (1, "read", "c", "f"), (2, "read", "a", "f"), (3, "read", "a", "f"))
    correspondence = Correspondence(measured(old), measured(new))
    base = NEW << INDEX_BITS
    assert [correspondence.site(site) for site in old] == [base + 1, None, base + 2]


def test_reordered_functions_are_matched_by_name():
    old = version(OLD, (1, "read", "a", "f"), (5, "read", "a", "g"))
    new = version(NEW, (2, "read", "a", "g"), (7, "read", "a", "f"))
    correspondence = Correspondence(measured(old), measured(new))
    assert [correspondence.site(number(old, *place)) for place in ((1, "read"), (5, "read"))] == [
        number(new, 7, "read"), number(new, 2, "read"),
    ]  # fmt: skip


def test_sites_of_unchanged_files_keep_their_numbers():
    other = version(99, (1, "read", "x", "f"), label="cart.py")
    correspondence = Correspondence(measured({**BEFORE, **other}), measured({**AFTER, **other}))
    assert correspondence.changed == {FILE}
    (site,) = other
    assert correspondence.site(site) == site
    key = (1, "log.py:Log", (site, "x"), True)
    assert Requirement(UNKNOWN, key).moved(correspondence.site, correspondence.text) == key


def test_creation_sites_move_with_the_lines_around_them():
    """Line 4 became line 7, and line 9 became line 13. Lines 3 and 10 have no site, so they move with lines 4 and 9."""
    correspondence = Correspondence(measured(BEFORE), measured(AFTER))
    key = (("Lock", "log.py:3"), "log.py:10", "cart.py:3", "log.py:Log")
    assert Requirement(UNKNOWN, key).moved(correspondence.site, correspondence.text) == (
        ("Lock", "log.py:6"), "log.py:14", "cart.py:3", "log.py:Log",
    )  # fmt: skip


def test_source_text_decides_between_similar_accesses(tmp_path):
    """Both reads of `x` have the same kind and name. Their source lines show that the first one was removed."""
    old, new = b"def f():\n    one(x)\n    two(x)\n", b"def f():\n    two(x)\n"
    given = []
    for folder, source, lines in (("a", old, (2, 3)), ("b", new, (2,))):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / FILE
        path.write_bytes(source)
        digest = site_base(FILE, source) >> INDEX_BITS
        sites = version(digest, *[(line, "read", "x", "f") for line in lines])
        given.append(measured(sites, paths={FILE: str(path)}))
    correspondence = Correspondence(*given)
    first, second = given[0].sites
    assert correspondence.site(first) is None
    assert correspondence.site(second) == next(iter(given[1].sites))


@pytest.mark.parametrize("seed", range(30))
def test_alignment_finds_insertions_and_deletions_exactly(seed):
    """All items of a sequence are distinct. In each comparison, items are only removed or only added."""
    choose = random.Random(seed)
    whole = choose.sample(range(100), 12)
    part = [item for item in whole if choose.random() < 0.6]
    assert list(align(whole, part, [hash])) == [(item, item) for item in part]
    assert list(align(part, whole, [hash])) == [(item, item) for item in part]


# -- requirements ----------------------------------------------------------------------------------------


def test_the_same_coverage_after_a_change_is_no_difference():
    compared_criterion = compared(measured(BEFORE, [(READ4, WRITE9)]), measured(AFTER, [(READ7, WRITE13)]))
    assert compared_criterion.numbers == {GAINED: 0, LOST: 0, GONE: 0, IMPOSSIBLE: 0}
    assert not compared_criterion.lost


def test_gained_and_lost_requirements_have_current_line_numbers():
    compared_criterion = compared(measured(BEFORE, [(READ4, WRITE9)]), measured(AFTER, [(READ12, WRITE13)]))
    assert [(change.what, change.line, change.sentence) for change in compared_criterion.changes] == [
        ("gained", 12, "newly covered: a read at log.py:12 before a write at log.py:13"),
        ("lost", 7, "no longer covered: a read at log.py:7 before a write at log.py:13"),
    ]
    assert compared_criterion.lost


def test_requirements_of_removed_code_are_not_lost():
    without = {site: AFTER[site] for site in (READ8, READ12, WRITE13)}  # only one of the two reads in `f` is left
    compared_criterion = compared(
        measured(BEFORE, [(READ4, WRITE9), (READ5, WRITE9)]), measured(without, [(READ8, WRITE13)])
    )
    # Nothing shows which of the two reads is left, so the first one is assumed.
    assert compared_criterion.numbers == {GAINED: 0, LOST: 0, GONE: 1, IMPOSSIBLE: 0}
    (gone,) = compared_criterion.changes
    assert (
        gone.sentence == "covered before, in code that has been removed: a read at log.py:5 before a write at log.py:9"
    )


def test_requirements_of_a_file_not_measured_again_are_lost():
    """The file may still exist, so its requirements are reported as lost."""
    compared_criterion = compared(measured(BEFORE, [(READ4, WRITE9)]), measured({}))
    assert compared_criterion.lost
    (change,) = compared_criterion.changes
    assert (change.what, change.file, change.line) == (LOST, FILE, 4)


def test_pairs_with_a_removed_method_are_gone():
    """The key (class, method, method) has no site, so the model decides whether the methods exist."""
    pairs = [("log.py:Log", "add", "add"), ("log.py:Log", "add", "old")]
    model = StaticModel(methods={"log.py:Log": {"add": READ7, "new": READ12}})
    before = measured(BEFORE, pairs, name="method-pairs")
    (compared_criterion,) = difference(before, measured(AFTER, name="method-pairs", model=model)).criteria
    assert {change.what: change.sentence.rpartition(" ")[2] for change in compared_criterion.changes} == {
        LOST: "`Log.add`",
        GONE: "`Log.old`",
    }


@pytest.mark.parametrize(
    ("reason", "what"),
    [
        ("a lock is held from step 1 to step 2, and step 2 also needs it", IMPOSSIBLE),
        ("thread starts and joins order step 2 before step 1", LOST),
    ],
)
def test_requirements_that_a_new_lock_makes_infeasible_are_not_lost(reason, what):
    """Requirements that thread order makes infeasible count as lost, because the test may have dropped a thread."""

    class Judged(Pairs):
        def infeasible(self, key, facts):
            return reason

    compared_criterion = compared(measured(BEFORE, [(READ4, WRITE9)]), measured(AFTER), Judged())
    assert {name: count for name, count in compared_criterion.numbers.items() if count} == {what: 1}


def test_the_reason_matches_the_wording_of_pruning():
    read, write = ("x", READ4), ("x", WRITE9)
    discipline = LockDiscipline(seen=0b11, runs=(0b11, 0b11), guards=(Guard(0, (), "L"),))
    facts = OwnerFacts.make([read, write], (0b11, 0b11), discipline)
    assert module.BY_A_LOCK in RuledOut(facts).why(PATTERNS[7], [read, write, write])


def test_the_list_of_changes_can_be_limited():
    keys = [(READ7, WRITE13), (READ8, WRITE13), (READ12, WRITE13)]
    compared_criterion = compared(measured(AFTER), measured(AFTER, keys), limit=2)
    assert compared_criterion.numbers[GAINED] == 3
    assert [change.line for change in compared_criterion.changes] == [7, 8]


def test_a_criterion_measured_in_only_one_file_has_a_remark():
    before, after = measured(BEFORE, [(READ4, WRITE9)]), measured(BEFORE, name="sync")
    found = difference(before, after, criteria={"pairs": Pairs()})
    lost, new = sorted(found.criteria, key=lambda criterion: criterion.name)
    assert "no longer measured" in lost.remark
    assert lost.lost  # the requirements of a criterion that is no longer measured count as lost
    assert "not measured before" in new.remark
    assert not new.lost
    assert found.lost


def test_complete_orders_are_not_compared_if_the_source_changed():
    key = ("2:abc", (("T1", "read", "Log.th", READ4),))
    (compared_criterion,) = difference(measured(BEFORE, [key], name="all"), measured(AFTER, name="all")).criteria
    assert compared_criterion.remark.startswith("not compared")
    (compared_criterion,) = difference(measured(BEFORE, [key], name="all"), measured(BEFORE, name="all")).criteria
    assert (compared_criterion.remark, compared_criterion.numbers[LOST]) == ("", 1)


def test_an_unknown_criterion_is_compared():
    (compared_criterion,) = difference(
        measured(BEFORE, [(READ4,)], name="eclipse"), measured(BEFORE, name="eclipse")
    ).criteria
    assert compared_criterion.changes[0].sentence == f"no longer covered: eclipse ({READ4},)"


def test_new_and_missing_findings_are_listed():
    def found(*messages):
        return measured({}, findings=tuple({"kind": "assertion", "message": message} for message in messages))

    result = difference(found("one", "two"), found("two", "three"), criteria={"pairs": Pairs()})
    assert result.findings == {"new": ("assertion: three",), "no longer": ("assertion: one",)}


def test_two_empty_data_files_have_no_difference():
    assert difference(Contents(), Contents()).as_json() == {
        "format": "raddle-difference",
        "version": 1,
        "executions": {"before": 0, "after": 0},
        "lost": False,
        "changed_files": [],
        "criteria": {},
        "findings": {"new": [], "no longer": []},
    }
