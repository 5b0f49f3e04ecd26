"""Finds names for variables. A variable has the same name in every execution.

The rules are the same as in controlled executions (`raddle.observers.identities`). Finding a name requires the static
model, which is slow to build. So a probe only records how to find the name (`Unnamed`), and the name is found when
steps are flushed.
"""

from __future__ import annotations

from typing import Any, Literal

from raddle.entities import AbstractVariable
from raddle.inspection import name_of
from raddle.operation import CONTENT
from raddle.site import SiteTable
from raddle.static_model import StaticModel
from raddle.threads.data_model.identity import name_of_content

# A variable whose name has not been found yet: its kind, and three values from which the name is found.
#   attribute  an attribute: the class, the name, where the object was created (None for an attribute of the class)
#   held       the content of a container that an attribute holds: the same values
#   content    the content of a container that no attribute is known to hold: its type, "", the site
#   name       a global or closure variable: the file ("" for a closure variable), the name, the site
Unnamed = tuple[Literal["attribute", "held", "content", "name"], Any, str, Any]


class VariableNames:
    """Names variables, using the static model of all code instrumented so far."""

    def __init__(self, table: SiteTable) -> None:
        self.table = table
        self._model = StaticModel()
        self._surveyed = 0  # number of sites in the model
        # Classes are keyed by id; the values keep them alive.
        self._cache: dict[tuple[Any, ...], tuple[Unnamed, AbstractVariable]] = {}
        self.methods: dict[int, str] = {}  # maps enter and leave sites to public methods, for `Entities.functions`

    def model(self) -> StaticModel:
        """Return the static model of all sites, or the previous model while another thread is importing a module."""
        sites = len(self.table)
        if self._surveyed != sites:
            # Imported late: slow to import, and not needed at startup.
            from raddle.instrument.model.owners import method_sites
            from raddle.instrument.model.survey import survey_table

            try:
                self._model, self.methods = survey_table(self.table), method_sites(self.table)
            except RuntimeError:  # another thread added sites to the table during the iteration
                return self._model
            self._surveyed = sites
            self._cache.clear()
        return self._model

    def owner(self, cls: type) -> str:
        """Return the name that identifies a class as the owner of variables."""
        from raddle.instrument.model.owners import class_owner  # imported late: slow to import

        return class_owner(self.table, cls)

    def name(self, unnamed: Unnamed) -> AbstractVariable:
        """Return the name of a variable.

        >>> VariableNames(SiteTable()).name(("name", "shop.py", "total", 0))
        AbstractVariable(owner='shop.py', created='', name='total', type='')
        >>> str(VariableNames(SiteTable()).name(("content", list, "", 0)))  # if the source does not show the owner
        'list[]'
        """
        self.model()
        kind, what, name, more = unnamed
        key = (kind, what if type(what) is str else id(what), name, more)
        cached = self._cache.get(key)
        if cached is None:
            cached = self._cache[key] = unnamed, self._find(unnamed)
        return cached[1]

    def _find(self, unnamed: Unnamed) -> AbstractVariable:
        kind, what, name, more = unnamed
        if kind == "attribute" or kind == "held":
            from raddle.instrument.model.owners import attribute_of, declaring_owner  # imported late: slow to import

            if more is None:
                variable = AbstractVariable(declaring_owner(self._model, self.table, what, name), "", name)
            else:
                variable = attribute_of(self._model, self.table, what, name, more)
            return variable if kind == "attribute" else variable._replace(name=name + CONTENT)
        declared = self._model.variable_at(more)
        if kind == "name":
            owner = what or (declared[0] if declared is not None else self._written_at(more)[0])
            return AbstractVariable(owner, "", name)
        if declared is not None:
            return AbstractVariable(declared[0], "", declared[1])
        owner = name_of(what)
        return AbstractVariable(owner, "", (name_of_content(what, self._written_at(more)[1]) or owner) + CONTENT)

    def _written_at(self, site: int) -> tuple[str, str]:
        if site not in self.table:
            return "", ""
        where = self.table[site]
        return where.file, where.name
