"""The source files of a program, and the functions that they declare."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from raddle.errors import UsageError
from raddle.pcfg.numbering import Function, Numbering, is_main_guard, number_statements
from raddle.pcfg.statements import parameters
from raddle.pcfg.unit import Call


@dataclass(frozen=True, slots=True)
class Source:
    """A source file: its name as in sites, the number of its first statement, and its text."""

    file: str
    base: int
    text: str


@dataclass(frozen=True, slots=True)
class File:
    """A parsed source file."""

    source: Source
    tree: ast.Module
    numbering: Numbering
    modules: frozenset[str]  # the names of modules that it imports
    imported: Mapping[str, tuple[str, str]]  # maps a name to the module and the function imported from it
    aliases: Mapping[str, str]  # maps a name to the module that it stands for

    @classmethod
    def parse(cls, source: Source) -> File:
        """Return the parsed form of a source file."""
        tree = ast.parse(source.text)
        imported: dict[str, tuple[str, str]] = {}
        aliases: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and not node.level:
                imported.update({one.asname or one.name: (node.module or "", one.name) for one in node.names})
            elif isinstance(node, ast.Import):
                aliases.update({one.asname or one.name.partition(".")[0]: one.name for one in node.names})
        return cls(source, tree, number_statements(tree, source.base), frozenset(aliases), imported, aliases)

    @property
    def main_body(self) -> list[ast.stmt]:
        """The statements of the module, with those below `if __name__ == "__main__":` in place of the guard."""
        return list(_unguarded(self.tree.body))


def _unguarded(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if is_main_guard(statement) and isinstance(statement, ast.If):
            yield from statement.body
        else:
            yield statement


@dataclass
class Program:
    """A program: its main file, and the files that it imports.

    `find` returns the source of a module of the program, or None for other modules.
    """

    main: File
    find: Callable[[str], Source | None]
    files: dict[str, File] = field(default_factory=dict)
    _modules: dict[str, File | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.files[self.main.source.file] = self.main

    def module(self, name: str) -> File | None:
        """Return a module of the program; None if the module does not belong to it."""
        if name not in self._modules:
            source = self.find(name)
            known = None if source is None else self.files.get(source.file)
            if source is not None and known is None:
                known = self.files[source.file] = File.parse(source)
            self._modules[name] = known
        return self._modules[name]

    def function(self, key: str) -> tuple[File, Function]:
        """Return a function, given its key, such as "gcd.py:worker"."""
        file, _, name = key.rpartition(":")
        return self.files[file], self.files[file].numbering.functions[name]

    def main_function(self, name: str) -> str:
        """Return the key of a function of the main file; raise `UsageError` if there is none of that name."""
        functions = self.main.numbering.functions
        if name in functions:
            return f"{self.main.source.file}:{name}"
        known = ", ".join(sorted(one for one in functions if "." not in one)) or "none"
        raise UsageError(
            "bad-roles", f"{self.main.source.file} has no function {name!r} for a role; its functions: {known}"
        )

    def resolver(self, file: File, around: str) -> Callable[[ast.Call], Call | None]:
        """Return a function that finds out which function a call in the function `around` runs."""

        def resolve(call: ast.Call) -> Call | None:
            found = self._callee(file, around, call.func)
            return None if found is None else _call(*found, call)

        return resolve

    def _callee(self, file: File, around: str, called: ast.expr) -> tuple[File, str, int] | None:
        """Return the file and the name of a called function, and the number of its parameters that are implied."""
        if isinstance(called, ast.Name):
            return self._named(file, around, called.id)
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            owner = called.value.id
            if owner == "self" and "." in around:
                name = f"{around.rpartition('.')[0]}.{called.attr}"
                return (file, name, 1) if name in file.numbering.functions else None
            module = self.module(file.aliases[owner]) if owner in file.aliases else None
            return None if module is None else self._declared(module, called.attr)
        return None

    def _named(self, file: File, around: str, name: str) -> tuple[File, str, int] | None:
        scope = around
        while scope and scope != "<module>":  # functions inside the enclosing functions
            inner = f"{scope}.<locals>.{name}"
            if inner in file.numbering.functions:
                return file, inner, 0
            scope = scope.rpartition(".<locals>.")[0]
        if name in file.imported:
            module_name, function = file.imported[name]
            module = self.module(module_name)
            return None if module is None else self._declared(module, function)
        return self._declared(file, name)

    @staticmethod
    def _declared(file: File, name: str) -> tuple[File, str, int] | None:
        functions = file.numbering.functions
        if name in functions:
            return file, name, 0
        return (file, f"{name}.__init__", 1) if f"{name}.__init__" in functions else None


def _call(file: File, name: str, implied: int, call: ast.Call) -> Call:
    named = parameters(file.numbering.functions[name])
    given = list(zip(named[implied:], call.args, strict=False))
    given += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg in named]
    arguments = tuple((parameter, value.id) for parameter, value in given if isinstance(value, ast.Name))
    return Call(f"{file.source.file}:{name}", arguments)
