"""Builds the static model of instrumented code: which sites can access which variables, and which methods exist.

The source shows accesses to globals, closure variables, attributes of `self`, and the contents of containers stored in
any of these. If an attribute of another object is accessed and only one class has an attribute of that name, the model
assumes this class and marks the access as a guess. The remaining accesses are added to the model when they are observed
in executions.
"""

from __future__ import annotations

import linecache
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from raddle.instrument.generated import FIRST_CLASS_SITE
from raddle.instrument.model.census import Access, Census, take_census
from raddle.instrument.model.families import Families
from raddle.instrument.model.owners import class_owner, declaring_owner, method_sites
from raddle.instrument.model.receivers import OF_CLASS, OF_IMPORT, OF_SCOPE
from raddle.instrument.rewrite import site_base
from raddle.instrument.running_source import SITE_BASE_OPTIONS
from raddle.operation import CONTENT
from raddle.site import INDEX_BITS, Site, SiteTable
from raddle.static_model import Accesses, StaticModel, VariableName

__all__ = ["class_owner", "declaring_owner", "method_sites", "observed", "survey", "survey_table"]

MAX_RECENT = 2000  # maximum number of modules whose census is cached

_recent: dict[tuple[int, int], Census] = {}  # by site base (a digest of the source) and number of sites


def survey_table(table: SiteTable) -> StaticModel:
    """Return one model of all modules in the table, except those whose source changed after they were instrumented."""
    return survey(list(_censuses(table)))


def observed(accesses: Iterable[tuple[int, str, str, str]], inherited: Iterable[tuple[str, str]] = ()) -> StaticModel:
    """Return a model of the accesses observed in executions, each given as (site, owner, name, kind).

    `inherited` has pairs of a class and a base class: objects of the class were seen with variables of the base class.
    This model is added to the model built from the source.

    >>> observed([(70001, "m.py:C", "x", "read"), (70002, "m.py:C", "x", "write")]).variables["m.py:C", "x"]
    Accesses(reads=frozenset({70001}), writes=frozenset({70002}), guessed=frozenset())
    """
    reads: dict[VariableName, set[int]] = defaultdict(set)
    writes: dict[VariableName, set[int]] = defaultdict(set)
    for site, owner, name, kind in accesses:
        (reads if kind == "read" else writes)[owner, name].add(site)
    names = sorted(reads.keys() | writes.keys())
    bases: dict[str, set[str]] = defaultdict(set)
    for cls, base in sorted(inherited):
        bases[cls].add(base)
    return StaticModel(
        {name: Accesses(frozenset(reads[name]), frozenset(writes[name])) for name in names},
        bases={cls: frozenset(some) for cls, some in bases.items()},
    )


def survey(censuses: Sequence[Census]) -> StaticModel:
    """Return the model of several modules, whose classes may inherit from each other.

    >>> sites = [Site("m.py", 2, 19, "write", "x", "Cart.add", switchable=True)]
    >>> survey([take_census("class Cart:\\n    def add(self): self.x = 1", sites, file="m.py", base=70000)]).variables
    {('m.py:Cart', 'x'): Accesses(reads=frozenset(), writes=frozenset({70000}), guessed=frozenset())}
    """
    families = Families(censuses)
    collector = _AccessCollector(families, censuses)
    for census in censuses:
        for access in census.accesses:
            collector.add(census, access)
    return StaticModel(
        variables=collector.variables(),
        methods=dict(_methods(families)),
        blocks=frozenset().union(*(census.blocks for census in censuses)),
        bases={owner: frozenset(lineage[1:]) for owner in families.classes if (lineage := families.lineage(owner))[1:]},
        early=frozenset(collector.early),
        names={site: next(iter(names)) for site, names in sorted(collector.names.items()) if len(names) == 1},
        declared={owner: class_census.attributes for owner, class_census in families.classes.items()},
    )


class _AccessCollector:
    """Groups accesses by the variables that they may refer to."""

    def __init__(self, families: Families, censuses: Sequence[Census]) -> None:
        self._families = families
        self._containers = families.containers.union(*(census.containers for census in censuses))
        self._reads: dict[VariableName, set[int]] = defaultdict(set)
        self._writes: dict[VariableName, set[int]] = defaultdict(set)
        self._guessed: dict[VariableName, set[int]] = defaultdict(set)
        self.names: dict[int, set[VariableName]] = defaultdict(set)
        self.early: set[int] = set()

    def add(self, census: Census, access: Access) -> None:
        if access.early:
            self.early.add(access.site)
        attribute = access.name.removesuffix(CONTENT)
        owners, guessed = self._owners(census, access, attribute)
        for owner in owners:
            variable = (owner, access.name)
            if not guessed:
                self.names[access.site].add(variable)
            if access.early or (access.name != attribute and (owner, attribute) not in self._containers):
                continue
            (self._writes if access.writes else self._reads)[variable].add(access.site)
            if guessed:
                self._guessed[variable].add(access.site)

    def _owners(self, census: Census, access: Access, attribute: str) -> tuple[Iterable[str], bool]:
        """Return the possible owners of the accessed variable, and whether they are only a guess."""
        kind, name = access.holder
        if kind == OF_SCOPE:
            return [name], False
        if kind == OF_CLASS:
            return self._of_class(f"{census.file}:{name}", attribute), False
        if kind == OF_IMPORT:
            resolved = self._families.imported(name)
            if resolved is not None:
                return self._of_class(resolved, attribute) if ":" in resolved else [resolved], False
            if not self._families.is_surveyed(name):
                return [], False
        only_owner = self._families.only_owners.get(attribute)
        return ([only_owner] if only_owner is not None and self._families.is_shared(only_owner) else []), True

    def _of_class(self, owner: str, attribute: str) -> Iterable[str]:
        return self._families.owners(owner, attribute) if self._families.is_shared(owner) else ()

    def variables(self) -> dict[VariableName, Accesses]:
        """Return the variables that are written after their initialization; see `CONSTRUCTORS`."""
        return {
            variable: Accesses(
                frozenset(self._reads[variable]), frozenset(self._writes[variable]), frozenset(self._guessed[variable])
            )
            for variable in sorted(self._writes)
        }


def _methods(families: Families) -> Iterator[tuple[str, dict[str, int]]]:
    for owner in families.classes:
        methods = families.methods(owner)
        if methods and not _is_test_case(owner, methods):
            yield owner, methods


def _is_test_case(owner: str, methods: Iterable[str]) -> bool:
    """Return whether this is a test class, whose methods a test runner calls one after the other."""
    name = owner.rpartition(":")[2].rpartition(".")[2]
    has_test_name = name.startswith("Test") or name.endswith(("Test", "Tests", "TestCase"))
    return has_test_name and any(method.startswith("test") for method in methods)


def _censuses(table: SiteTable) -> Iterator[Census]:
    modules: dict[int, list[int]] = defaultdict(list)
    for number in table:
        base = number >> INDEX_BITS << INDEX_BITS
        # Skip generated methods: their accesses are added when they are observed in executions.
        if number < base + FIRST_CLASS_SITE:
            modules[base].append(number)
    for base, numbers in modules.items():
        key = base, len(numbers)
        census = _recent.get(key)
        if census is None:
            sites = [table[number] for number in sorted(numbers)]
            census = _take_census(base, sites, table.path(sites[0].file))
        if census is not None:
            _recent[key] = census
            yield census
    while len(_recent) > MAX_RECENT:
        del _recent[next(iter(_recent))]


def _take_census(base: int, sites: Sequence[Site], path: str) -> Census | None:
    file = sites[0].file
    try:
        source = _read(path)
        if source is None or not any(site_base(file, source, *form) == base for form in SITE_BASE_OPTIONS):
            return None
        return take_census(source, sites, file=file, base=base)
    except (OSError, SyntaxError, ValueError):
        return None


def _read(path: str) -> bytes | None:
    if os.path.isfile(path):
        with open(path, "rb") as stream:
            return stream.read()
    lines = linecache.getlines(path)  # the source of a notebook cell
    return "".join(lines).encode() if lines else None
