"""A simple criterion whose totals can be derived by hand, and the contents of data files with that criterion."""

from __future__ import annotations

from raddle.criteria.base import LINEAR, Criterion
from raddle.requirement import SITE, Shape
from raddle.site import INDEX_BITS, Site
from raddle.static_model import Accesses, StaticModel
from raddle.store.contents import Contents, Run
from raddle.tally import PRUNED, STATIC, Covered, Tally, Total

LOG, CART = 4711, 815  # source digests of log.py and cart.py
READ4, READ5, WRITE9 = ((LOG << INDEX_BITS) + index for index in range(3))
READ7, WRITE8 = ((CART << INDEX_BITS) + index for index in range(2))
SITES = {
    READ4: Site("log.py", 4, 0, "read", "self.th", "f", switchable=True),
    READ5: Site("log.py", 5, 0, "read", "self.th", "f", switchable=True),
    WRITE9: Site("log.py", 9, 0, "write", "self.th", "g", switchable=True),
    READ7: Site("cart.py", 7, 0, "read", "self.n", "f", switchable=True),
    WRITE8: Site("cart.py", 8, 0, "write", "self.n", "g", switchable=True),
}
# th: 2 reads, 1 write; n: 1 read, 1 write. So there are 2·1 + 1·1 = 3 pairs, two of them in log.py.
MODEL = StaticModel(
    {
        ("log.py:Log", "th"): Accesses(frozenset({READ4, READ5}), frozenset({WRITE9})),
        ("cart.py:Cart", "n"): Accesses(frozenset({READ7}), frozenset({WRITE8})),
    }
)


class Pairs(Criterion):
    """One requirement for each pair of a read and a write of the same variable."""

    name, family, paper, shape = "pairs", "none", "none", Shape(SITE, SITE)
    summary, cost, total_known = "a read comes before a write", LINEAR, True

    def __init__(self, *, impossible=()):
        self.impossible = set(impossible)

    def begin(self, entities):
        """Do nothing, because the tests specify the covered requirements directly."""

    def feed(self, steps):
        """Do nothing, because the tests specify the covered requirements directly."""

    def collect(self, *, final):
        return set()

    def explain(self, key, sites):
        read, write = (sites[number] for number in key)
        return f"a read at {read.file}:{read.line} before a write at {write.file}:{write.line}"

    def static_total(self, model):
        return Total(sum(len(some.reads) * len(some.writes) for some in model.variables.values()), STATIC)

    def total(self, model, facts):
        if not self.impossible:
            return self.static_total(model)
        return Total(sum(1 for _ in self.requirements(model, facts)), PRUNED)

    def requirements(self, model, facts):
        for _, some in sorted(model.variables.items(), key=lambda item: item[0]):
            for read in sorted(some.reads):
                for write in sorted(some.writes):
                    if (read, write) not in self.impossible:
                        yield read, write


class Unlisted(Pairs):
    """The same criterion, but its requirements cannot be listed and its total is unknown."""

    def static_total(self, model):
        return Total(None, "unknown")

    def total(self, model, facts):
        return self.static_total(model)

    def requirements(self, model, facts):
        return None


def contents(covered=(), *, executions=1, exact=False, model=MODEL, **more):
    """Return contents with one run that measured `pairs`.

    `covered` is a list of keys, or maps each key to (number of executions, first execution).
    """
    counts = covered if isinstance(covered, dict) else dict.fromkeys(covered, (1, 1))
    measured = frozenset({"pairs"})
    run = Run("a", "run app.py", "native", executions, 0, "", measured, measured if exact else frozenset())
    return Contents(
        runs=(run,),
        tally=Tally() + Tally(executions, {"pairs": {key: Covered(*value) for key, value in counts.items()}}),
        sites=SITES,
        paths={"log.py": "/home/me/log.py"},
        model=model,
        **more,
    )
