"""What variables are called in every execution, from what a probe knows when it first meets them.

The rules are those of controlled executions (`raddle.observers.steps`). Names need the static model, which
is slow to make, so they are found when steps are handed over and not while the program waits at a probe.
"""

from __future__ import annotations

from typing import Any, Literal

from raddle.entities import AbstractVariable
from raddle.inspection import name_of
from raddle.operation import CONTENT
from raddle.site import SiteTable
from raddle.static_model import StaticModel
from raddle.threads.data_model.identity import name_of_content

# A variable without a name: what it is, and three things that its name is found from.
#   attribute  of an object or of a class: the class, name, where the object was made (None: of the class itself)
#   held       content of the container that such an attribute holds: the same
#   content    of a container that no attribute was seen to hold: its type, "", site
#   name       that functions share: the file (if it is a global), name, site
Unnamed = tuple[Literal["attribute", "held", "content", "name"], Any, str, Any]


class VariableNames:
    """Names variables by the static model of everything instrumented so far."""

    def __init__(self, table: SiteTable) -> None:
        self.table = table
        self._model = StaticModel()
        self._surveyed = 0  # sites that the model knows
        # A class is known by its id, and kept alive.
        self._cache: dict[tuple[Any, ...], tuple[Unnamed, AbstractVariable]] = {}
        self.methods: dict[int, str] = {}  # where public methods are entered and left, as `Entities.functions` has them

    def model(self) -> StaticModel:
        """Of all sites; while another thread imports a module, of those that there were before."""
        sites = len(self.table)
        if self._surveyed != sites:
            from raddle.instrument.model.owners import method_sites  # slow to import, and not needed to start
            from raddle.instrument.model.survey import survey_table

            try:
                self._model, self.methods = survey_table(self.table), method_sites(self.table)
            except RuntimeError:  # the table has grown while it was gone through
                return self._model
            self._surveyed = sites
            self._cache.clear()
        return self._model

    def owner(self, cls: type) -> str:
        """What a class is called."""
        from raddle.instrument.model.owners import class_owner  # as above

        return class_owner(self.table, cls)

    def name(self, unnamed: Unnamed) -> AbstractVariable:
        """What a variable is called.

        >>> VariableNames(SiteTable()).name(("name", "shop.py", "total", 0))
        AbstractVariable(owner='shop.py', created='', name='total', type='')
        >>> str(VariableNames(SiteTable()).name(("content", list, "", 0)))  # where the source does not say whose it is
        'list[]'
        """
        self.model()
        kind, what, name, more = unnamed
        key = (kind, what if type(what) is str else id(what), name, more)
        known = self._cache.get(key)
        if known is None:
            known = self._cache[key] = unnamed, self._find(unnamed)
        return known[1]

    def _find(self, unnamed: Unnamed) -> AbstractVariable:
        kind, what, name, more = unnamed
        if kind == "attribute" or kind == "held":
            from raddle.instrument.model.owners import attribute_of, declaring_owner  # as above

            if more is None:
                variable = AbstractVariable(declaring_owner(self._model, self.table, what, name), "", name)
            else:
                variable = attribute_of(self._model, self.table, what, name, more)
            return variable if kind == "attribute" else variable._replace(name=name + CONTENT)
        known = self._model.variable_at(more)
        if kind == "name":
            owner = what or (known[0] if known is not None else self._written_at(more)[0])
            return AbstractVariable(owner, "", name)
        if known is not None:
            return AbstractVariable(known[0], "", known[1])
        owner = name_of(what)
        return AbstractVariable(owner, "", (name_of_content(what, self._written_at(more)[1]) or owner) + CONTENT)

    def _written_at(self, site: int) -> tuple[str, str]:
        if site not in self.table:
            return "", ""
        where = self.table[site]
        return where.file, where.name
