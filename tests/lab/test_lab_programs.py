"""The five test cases: right without preemption, wrong in some interleavings, as the paper describes them."""

from __future__ import annotations

import pytest

pytest.importorskip("scipy")

from raddle_lab.cases import CASES, Case, Population

import raddle
from raddle.entities import AbstractObject, AbstractVariable, Entities

pytestmark = pytest.mark.slow

HOW_THEY_FAIL = {
    "philosophers": "deadlock",
    "airlines": "assertion",
    "crawler": "exception",
    "ftp": "exception",
    "broker": "exception",
}


def ends(case: Case, *, executions: int, seed: int = 1, scheduler: str = "random"):
    for sample in raddle.measure(
        case.scenario,
        criteria="sync",
        executions=executions,
        seed=seed,
        scheduler=scheduler,
        source=[case.module.__name__],
    ):
        yield sample.outcome.kind


@pytest.mark.parametrize("name", CASES)
def test_without_preemption_all_is_well(name: str) -> None:
    assert list(ends(CASES[name], executions=1, scheduler="sequential")) == ["passed"]


@pytest.mark.parametrize("name", [name for name in CASES if name != "crawler"])
def test_some_interleaving_fails(name: str) -> None:
    assert next(end for end in ends(CASES[name], executions=300) if end != "passed") == HOW_THEY_FAIL[name]


def test_the_crawler_hardly_ever_fails() -> None:
    """Its bug needs a worker kept from its last step while the supervisor takes several; see its description."""
    case = CASES["crawler"]
    assert set(ends(case, executions=60)) == {"passed"}
    # Random schedules show it in one of 1,400 executions; priorities that change seldom, in one of 100.
    assert next(end for end in ends(case, executions=500, scheduler="pct:depth=3") if end != "passed") == "exception"


def test_the_cases_have_the_threads_of_the_paper() -> None:
    started = {name: next(iter(casts(CASES[name]))).actors for name in ("philosophers", "airlines")}
    assert started == {"philosophers": 1 + 6, "airlines": 1 + 2 + 4}


def casts(case: Case):
    for sample in raddle.measure(case.scenario, criteria="sync", executions=1, source=[case.module.__name__]):
        yield sample.entities


@pytest.mark.parametrize(
    ("name", "nested"),
    [("philosophers", True), ("airlines", False), ("crawler", True), ("ftp", False), ("broker", True)],
)
def test_where_locks_are_nested(name: str, nested: bool) -> None:
    """GoodLock finds nothing in the airlines and the FTP server, as in Table 3."""
    case = CASES[name]
    samples = raddle.measure(case.scenario, criteria="goodlock", executions=5, source=[case.module.__name__])
    assert any(sample.covered["goodlock"] for sample in samples) == nested


def test_a_population_by_hand() -> None:
    entities = Entities()
    for name in ("x", "y"):  # two variables of one object
        entities.add_variable(AbstractVariable("m.py:Fork", "m.py:9", name), 1)
    entities.add_variable(AbstractVariable("m.py:Fork", "m.py:9", "x"), 2)  # another fork, made at the same place
    entities.add_variable(AbstractVariable("m.py:Fork", "m.py:12", "x"), 3)  # and one made elsewhere
    # An object with an attribute of its own class and one of a base class, and a generator, which does not count.
    entities.add_variable(AbstractVariable("m.py:Fork", "m.py:15", "x", "m.py:Spoon"), 4)
    entities.add_variable(AbstractVariable("m.py:Spoon", "m.py:15", "y"), 4)
    entities.add_variable(AbstractVariable("generator", "", "generator[]"), 5)
    entities.iterators.add(5)
    entities.add_resource(AbstractObject("Lock", "m.py:3"))
    for kind, methods in (("main", []), ("Eater", ["a"] * 12), ("Eater", ["a"] * 10 + ["b"]), ("Eater", ["c"])):
        actor = entities.add_actor(kind)
        for method in methods:
            entities.entered(actor, method)
    population = Population()
    for _ in range(11):  # of which ten count
        population.add(entities)
    row = population.row(classes=2, error_ratio=0.5)
    # Objects: three forks, a spoon and a lock, ten times; types Fork, Spoon and Lock; abstract: forks of two places,
    # the spoon and the lock.
    assert (row.objects_real, row.objects_type, row.objects_abstract) == (50, 3, 4)
    # Threads: four, ten times; types main and Eater. The first ten methods tell a...a from c, twenty also from a..ab.
    assert (row.threads_real, row.threads_type, row.threads_abstract_10, row.threads_abstract_20) == (40, 2, 3, 4)


def test_classes_are_counted() -> None:
    assert CASES["philosophers"].classes() == 2  # Fork and Philosopher
