"""What two data files cover differently, also where the source changed in between."""

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

OLD, NEW = 4711, 4712  # digests
FILE = "log.py"


def version(digest, *places, label=FILE):
    """Sites of one source: (line, kind, name, function) each; by (line, kind)."""
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


# Before, `f` reads at 4 and `g` writes at 9. After, three lines were put before both, and `g` reads before it writes.
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
    (one,) = found.criteria
    return one


# -- sites -----------------------------------------------------------------------------------------------


def test_sites_keep_what_they_are():
    same = Correspondence(measured(BEFORE), measured(AFTER))
    assert same.changed == {FILE}
    assert [same.site(old) for old in (READ4, READ5, WRITE9)] == [READ7, READ8, WRITE13]


def test_an_access_that_was_put_before_others_does_not_shift_them():
    """read a, read b, read a: a new read of c comes first, and the b is gone."""
    old = version(OLD, (1, "read", "a", "f"), (2, "read", "b", "f"), (3, "read", "a", "f"))
    new = version(NEW, (1, "read", "c", "f"), (2, "read", "a", "f"), (3, "read", "a", "f"))
    same = Correspondence(measured(old), measured(new))
    base = NEW << INDEX_BITS
    assert [same.site(site) for site in old] == [base + 1, None, base + 2]


def test_functions_may_change_places():
    old = version(OLD, (1, "read", "a", "f"), (5, "read", "a", "g"))
    new = version(NEW, (2, "read", "a", "g"), (7, "read", "a", "f"))
    same = Correspondence(measured(old), measured(new))
    assert [same.site(number(old, *place)) for place in ((1, "read"), (5, "read"))] == [
        number(new, 7, "read"), number(new, 2, "read"),
    ]  # fmt: skip


def test_what_did_not_change_stays():
    other = version(99, (1, "read", "x", "f"), label="cart.py")
    same = Correspondence(measured({**BEFORE, **other}), measured({**AFTER, **other}))
    assert same.changed == {FILE}
    (site,) = other
    assert same.site(site) == site
    key = (1, "log.py:Log", (site, "x"), True)
    assert Requirement(UNKNOWN, key).moved(same.site, same.text) == key


def test_places_of_creation_move_with_the_lines_around_them():
    """Line 4 is line 7 now, line 9 line 13. Line 3 has no site: it moved as line 4 did, and line 10 as line 9."""
    same = Correspondence(measured(BEFORE), measured(AFTER))
    key = (("Lock", "log.py:3"), "log.py:10", "cart.py:3", "log.py:Log")
    assert Requirement(UNKNOWN, key).moved(same.site, same.text) == (
        ("Lock", "log.py:6"), "log.py:14", "cart.py:3", "log.py:Log",
    )  # fmt: skip


def test_the_text_of_lines_decides_where_it_can_be_read(tmp_path):
    """Both reads of `x` are of one kind and name; by their lines, the second one is left and the first is gone."""
    old, new = b"def f():\n    one(x)\n    two(x)\n", b"def f():\n    two(x)\n"
    given = []
    for folder, source, lines in (("a", old, (2, 3)), ("b", new, (2,))):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / FILE
        path.write_bytes(source)
        digest = site_base(FILE, source) >> INDEX_BITS
        sites = version(digest, *[(line, "read", "x", "f") for line in lines])
        given.append(measured(sites, paths={FILE: str(path)}))
    same = Correspondence(*given)
    first, second = given[0].sites
    assert same.site(first) is None
    assert same.site(second) == next(iter(given[1].sites))


@pytest.mark.parametrize("seed", range(30))
def test_alignment(seed):
    """What was only added to or only taken from a sequence without repetitions is found exactly."""
    choose = random.Random(seed)
    whole = choose.sample(range(100), 12)
    part = [one for one in whole if choose.random() < 0.6]
    assert list(align(whole, part, [hash])) == [(one, one) for one in part]
    assert list(align(part, whole, [hash])) == [(one, one) for one in part]


# -- requirements ----------------------------------------------------------------------------------------


def test_the_same_covered_again_after_a_change():
    one = compared(measured(BEFORE, [(READ4, WRITE9)]), measured(AFTER, [(READ7, WRITE13)]))
    assert one.numbers == {GAINED: 0, LOST: 0, GONE: 0, IMPOSSIBLE: 0}
    assert not one.lost


def test_gained_and_lost_are_told_by_the_lines_of_today():
    one = compared(measured(BEFORE, [(READ4, WRITE9)]), measured(AFTER, [(READ12, WRITE13)]))
    assert [(change.what, change.line, change.sentence) for change in one.changes] == [
        ("gained", 12, "newly covered: a read at log.py:12 before a write at log.py:13"),
        ("lost", 7, "no longer covered: a read at log.py:7 before a write at log.py:13"),
    ]
    assert one.lost


def test_what_goes_with_its_code_is_no_loss():
    without = {site: AFTER[site] for site in (READ8, READ12, WRITE13)}  # one read of `f` is left: the other is gone
    one = compared(measured(BEFORE, [(READ4, WRITE9), (READ5, WRITE9)]), measured(without, [(READ8, WRITE13)]))
    # Nothing tells which of the two reads it is: the first one is taken.
    assert one.numbers == {GAINED: 0, LOST: 0, GONE: 1, IMPOSSIBLE: 0}
    (gone,) = one.changes
    assert (
        gone.sentence == "covered before, in code that has been removed: a read at log.py:5 before a write at log.py:9"
    )


def test_a_file_that_was_not_measured_again_is_a_loss():
    """Nobody knows whether it was deleted: it is better to say so."""
    one = compared(measured(BEFORE, [(READ4, WRITE9)]), measured({}))
    assert one.lost
    (change,) = one.changes
    assert (change.what, change.file, change.line) == (LOST, FILE, 4)


def test_methods_that_are_gone():
    """(class, method, method) names no site: whether there are such methods is asked of the model."""
    pairs = [("log.py:Log", "add", "add"), ("log.py:Log", "add", "old")]
    model = StaticModel(methods={"log.py:Log": {"add": READ7, "new": READ12}})
    before = measured(BEFORE, pairs, name="method-pairs")
    (one,) = difference(before, measured(AFTER, name="method-pairs", model=model)).criteria
    assert {change.what: change.sentence.rpartition(" ")[2] for change in one.changes} == {
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
def test_what_a_new_lock_makes_impossible_is_no_loss(reason, what):
    """That the test has lost a thread is one, although no execution of it can have the requirement."""

    class Judged(Pairs):
        def infeasible(self, key, facts):
            return reason

    one = compared(measured(BEFORE, [(READ4, WRITE9)]), measured(AFTER), Judged())
    assert {name: count for name, count in one.numbers.items() if count} == {what: 1}


def test_the_reason_is_worded_as_raddle_does():
    read, write = ("x", READ4), ("x", WRITE9)
    discipline = LockDiscipline(seen=0b11, runs=(0b11, 0b11), guards=(Guard(0, (), "L"),))
    facts = OwnerFacts.make([read, write], (0b11, 0b11), discipline)
    assert module.BY_A_LOCK in RuledOut(facts).why(PATTERNS[7], [read, write, write])


def test_not_all_of_it():
    keys = [(READ7, WRITE13), (READ8, WRITE13), (READ12, WRITE13)]
    one = compared(measured(AFTER), measured(AFTER, keys), limit=2)
    assert one.numbers[GAINED] == 3
    assert [change.line for change in one.changes] == [7, 8]


def test_a_criterion_that_one_of_them_did_not_measure():
    before, after = measured(BEFORE, [(READ4, WRITE9)]), measured(BEFORE, name="sync")
    found = difference(before, after, criteria={"pairs": Pairs()})
    lost, new = sorted(found.criteria, key=lambda one: one.name)
    assert "no longer measured" in lost.remark
    assert lost.lost  # a threshold that nobody measures must not pass
    assert "not measured before" in new.remark
    assert not new.lost
    assert found.lost


def test_whole_orders_are_not_compared_across_a_change():
    key = ("2:abc", (("T1", "read", "Log.th", READ4),))
    (one,) = difference(measured(BEFORE, [key], name="all"), measured(AFTER, name="all")).criteria
    assert one.remark.startswith("not compared")
    (one,) = difference(measured(BEFORE, [key], name="all"), measured(BEFORE, name="all")).criteria
    assert (one.remark, one.numbers[LOST]) == ("", 1)


def test_a_criterion_that_this_version_does_not_know():
    (one,) = difference(measured(BEFORE, [(READ4,)], name="eclipse"), measured(BEFORE, name="eclipse")).criteria
    assert one.changes[0].sentence == f"no longer covered: eclipse ({READ4},)"


def test_findings():
    def found(*messages):
        return measured({}, findings=tuple({"kind": "assertion", "message": message} for message in messages))

    result = difference(found("one", "two"), found("two", "three"), criteria={"pairs": Pairs()})
    assert result.findings == {"new": ("assertion: three",), "no longer": ("assertion: one",)}


def test_nothing_at_all():
    assert difference(Contents(), Contents()).as_json() == {
        "format": "raddle-difference",
        "version": 1,
        "executions": {"before": 0, "after": 0},
        "lost": False,
        "changed_files": [],
        "criteria": {},
        "findings": {"new": [], "no longer": []},
    }
