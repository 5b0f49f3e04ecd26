"""Random records, and a comparison of data files that ignores the order in which runs were added."""

from __future__ import annotations

from random import Random

from raddle.criteria.accesses import ObservedAccesses
from raddle.entities import AbstractVariable
from raddle.pruning_facts import LockDiscipline, OwnerFacts, PruningFacts
from raddle.record import Record
from raddle.site import INDEX_BITS, Site
from raddle.static_model import Accesses, StaticModel
from raddle.tally import Tally
from raddle.warning import ReportedWarning

LOG, SHOP = 4711, 815  # digests of two source files
LABELS = {LOG: "log.py", SHOP: "shop/cart.py"}


def number(digest, index):
    return (digest << INDEX_BITS) + index


def site(digest, index, *, label=None):
    return Site(label or LABELS[digest], 10 + index, 4, "read", f"name{index}", "f", switchable=index % 2 == 0)


def sites(*digests, size=4):
    return {number(digest, index): site(digest, index) for digest in digests or LABELS for index in range(size)}


def random_record(random: Random) -> Record:
    """Return the record of a random run that measures up to three criteria in two source files."""
    known = sites()
    some = sorted(known)
    tally = Tally()
    criteria = random.sample(["map", "sync", "def-use"], random.randint(1, 3))
    for execution in range(1, random.randint(1, 4) + 1):
        for criterion in criteria:
            keys = {
                (random.choice(some), ("log.py:C", "", random.choice("xy")), random.random() < 0.5)
                for _ in range(random.randint(0, 3))
            }
            tally.add(execution, criterion, keys)
    return Record(
        origin=f"run {random.randint(1, 3)}.py",
        mode=random.choice(["native", "controlled"]),
        tally=tally,
        sites=known,
        paths={"log.py": "/home/me/log.py", "shop/cart.py": "/home/me/shop/cart.py"},
        model=random_model(random, some),
        facts=random_facts(random, some),
        exact=frozenset(name for name in criteria if random.random() < 0.7),
        warnings=tuple(
            ReportedWarning("data-race", random.choice(["C.x", "C.y"]), tuple(random.sample(some, 2)))
            for _ in range(random.randint(0, 2))
        ),
        findings=tuple(
            {"kind": "assertion", "message": random.choice("ab"), "thread": "T0", "schedule": "T0.", "steps": []}
            for _ in range(random.randint(0, 2))
        ),
        notes=tuple(random.sample(["one", "two", "three"], random.randint(0, 2))),
        extras={"def-use": random_extra(random, some)} if "def-use" in criteria else {},
    )


def random_model(random: Random, some) -> StaticModel:
    variables = {}
    for name in random.sample("xyz", random.randint(0, 3)):
        touching = random.sample(some, random.randint(0, 5))
        reads = frozenset(
            site for site in touching if site % 2
        )  # depends only on the site number, so a site has the same kind in every run
        guessed = frozenset(random.sample(touching, random.randint(0, len(touching))))
        variables["log.py:C", name] = Accesses(reads, frozenset(touching) - reads, guessed)
    methods = {"log.py:C": {"add": some[0], "total": some[1]}} if random.random() < 0.5 else {}
    blocks = frozenset(random.sample(some, random.randint(0, 3)))
    own = Random(sum(blocks))  # the rest of the record must not depend on the bases
    bases = {"log.py:D": frozenset(own.sample(["log.py:B", "log.py:C"], own.randint(1, 2)))}
    return StaticModel() + StaticModel(variables, methods, blocks, bases if own.random() < 0.5 else {})


def random_facts(random: Random, some) -> PruningFacts:
    accesses = [("x", site) for site in random.sample(some, random.randint(1, 3))]
    before = tuple(random.randrange(1 << len(accesses)) for _ in accesses)
    return PruningFacts() + PruningFacts(
        {"log.py:C": OwnerFacts.make(accesses, before, LockDiscipline(seen=(1 << len(accesses)) - 1))}
    )


def random_extra(random: Random, some):
    variable = AbstractVariable("log.py:C", "", "x")
    accesses = {(variable, ("T1", "read", site, 1)) for site in random.sample(some, random.randint(0, 3))}
    return ObservedAccesses(random.randint(1, 3), accesses)


def without_numbering(contents):
    """Return the parts of a data file that do not depend on the order in which runs were added."""
    return {
        "covered": {
            name: {key: seen.executions for key, seen in keys.items()} for name, keys in contents.tally.covered.items()
        },
        "executions": contents.tally.executions,
        "runs": sorted(
            (run.identity, run.origin, run.mode, run.executions, sorted(run.criteria), sorted(run.exact))
            for run in contents.runs
        ),
        "sites": dict(contents.sites),
        "paths": dict(contents.paths),
        "model": contents.model,
        "facts": contents.facts.as_json(),
        "exact": contents.exact,
        "warnings": set(contents.warnings),
        "findings": sorted(map(repr, contents.findings)),
        "notes": set(contents.notes),
        "extras": dict(contents.extras),
    }
