"""Builds the parallel control flow graph of a program."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import partial

from raddle.pcfg.control_flow import Decision, build_flow, rank_test
from raddle.pcfg.graph import Options, Pcfg, Process
from raddle.pcfg.known import constants, rank_names, size_names
from raddle.pcfg.numbering import Function
from raddle.pcfg.program import File, Program, Source
from raddle.pcfg.roles import Role, make_roles
from raddle.pcfg.statements import make_node, parameters
from raddle.pcfg.unit import Node, Unit

MODULE = "<module>"


def build_pcfg(main: Source, options: Options, find: Callable[[str], Source | None] = lambda module: None) -> Pcfg:
    """Return the parallel control flow graph of a program; `find` returns the sources of the modules it imports."""
    program = Program(File.parse(main), find)
    builder = _Builder(program, options)
    processes = [
        builder.process(role, rank) for role in make_roles(program, options.ranks, options.roles) for rank in role.ranks
    ]
    sources = tuple(file.source for file in program.files.values())
    return Pcfg(sources, options, tuple(sorted(processes, key=lambda process: process.rank)))


class _Builder:
    """Builds the units of all processes; processes share the units that do not depend on the rank."""

    def __init__(self, program: Program, options: Options) -> None:
        self._program = program
        self._options = options
        self._units: dict[tuple[str, tuple[bool | None, ...]], Unit] = {}

    def process(self, role: Role, rank: int) -> Process:
        """Return the process of a rank: the unit of its role, and the functions that it calls."""
        program = self._program
        start = [role.function] if role.function else [f"{program.main.source.file}:{MODULE}"]
        if not role.function:  # callbacks and methods of objects may be called too
            start += [f"{program.main.source.file}:{name}" for name in program.main.numbering.functions]
        units: dict[str, Unit] = {}
        pending = start
        while pending:
            key = pending.pop(0)
            if key not in units:
                unit = units[key] = self._unit(key, rank)
                pending += [call.function for node in unit.nodes for call in node.calls]
        known = {key: self._known(key, rank) for key in units}
        return Process(rank, role.name, role.label(rank), tuple(units.values()), known)

    def _unit(self, key: str, rank: int) -> Unit:
        file, function, body = self._syntax(key)
        splits = [one for one in body if isinstance(one, ast.If)] if function is None else []
        decisions = _decisions(splits, rank, rank_names(file.tree))
        cache_key = key, tuple(decisions.values())
        if cache_key not in self._units:
            self._units[cache_key] = self._built(key, file, function, decisions.get)
        return self._units[cache_key]

    def _built(self, key: str, file: File, function: Function | None, decide: Decision) -> Unit:
        name = key.rpartition(":")[2]
        make = partial(
            make_node,
            numbering=file.numbering,
            modules=file.modules,
            resolve=self._program.resolver(file, name),
        )
        body = file.tree.body if function is None else function.body
        flow = build_flow(file.numbering, body, function, decide, make)
        entry = file.numbering.entry(file.tree if function is None else function)
        nodes = _own_variables(flow.nodes, _globals_in(function))
        return Unit(key, file.source.file, name, entry, nodes, tuple(flow.edges), tuple(flow.flows))

    def _syntax(self, key: str) -> tuple[File, Function | None, list[ast.stmt]]:
        """Return the file and the function of a key, or the file and None for a module, with the statements."""
        file_name, _, name = key.rpartition(":")
        if name == MODULE:
            file = self._program.files[file_name]
            return file, None, file.main_body
        file, function = self._program.function(key)
        return file, function, function.body

    def _known(self, key: str, rank: int) -> dict[str, int]:
        file, function, _ = self._syntax(key)
        known = dict.fromkeys(rank_names(file.tree), rank)
        known.update(dict.fromkeys(size_names(file.tree), self._options.ranks))
        if function is None:
            return constants([file.main_body], known)
        for parameter in parameters(function):  # hides a variable of the module
            known.pop(parameter, None)
        result = constants([file.main_body, function.body], known)
        return {name: value for name, value in result.items() if name not in parameters(function)}


def _decisions(splits: Iterable[ast.If], rank: int, names: frozenset[str]) -> dict[ast.If, bool | None]:
    """Return which branch a rank takes of statements such as `if rank == 0`, and of the comparisons in their else."""
    result: dict[ast.If, bool | None] = {}
    for split in splits:
        statement: ast.stmt = split
        while isinstance(statement, ast.If):
            number = rank_test(statement.test, names)
            if number is None:
                break
            result[statement] = number == rank
            if number == rank or len(statement.orelse) != 1:
                break
            statement = statement.orelse[0]
    return result


def _globals_in(function: Function | None) -> frozenset[str]:
    """Return the variables that a function declares as global or nonlocal."""
    if function is None:
        return frozenset()
    declared = (node for node in ast.walk(function) if isinstance(node, (ast.Global, ast.Nonlocal)))
    return frozenset(name for node in declared for name in node.names)


def _own_variables(nodes: list[Node], foreign: frozenset[str]) -> tuple[Node, ...]:
    """Return the nodes with only the variables that the unit itself defines."""
    own = {name for node in nodes for name in node.defines} - foreign

    def kept(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in names if name in own)

    return tuple(
        Node(
            node.number, node.line, node.text, kept(node.defines), kept(node.computes_with), kept(node.decides_with),
            tuple(one.restricted(own) for one in node.sends), tuple(one.restricted(own) for one in node.receives),
            node.calls, node.ends_unit,
        )
        for node in nodes
    )  # fmt: skip
