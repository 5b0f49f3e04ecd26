"""The parallel control flow graph of a script, and the instrumentation that goes with it."""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.util
from pathlib import Path
from types import CodeType

from raddle.instrument.rewrite import site_base
from raddle.instrument.running_source import NODES
from raddle.mpi.node_probe import ATTACH
from raddle.mpi.program import Script, is_below
from raddle.pcfg.build import build_pcfg
from raddle.pcfg.graph import Options, Pcfg
from raddle.pcfg.instrumented import insert_probes
from raddle.pcfg.numbering import number_statements
from raddle.pcfg.program import Source
from raddle.site import Site, SiteTable, path_from


def source_of(path: str, folder: str) -> Source:
    """Return a source file of a program; its name is relative to the folder of the program."""
    text = importlib.util.decode_source(Path(path).read_bytes())
    file = path_from(folder, path) or Path(path).name
    return Source(file, site_base(file, text, NODES), text)


def graph_of(script: Script, options: Options) -> Pcfg:
    """Return the graph of a script and of the modules in its folder that it imports."""

    def find(module: str) -> Source | None:
        path = _module_file(module, script.folder)
        return None if path is None else source_of(path, script.folder)

    return build_pcfg(source_of(script.path, script.folder), options, find)


def _module_file(module: str, folder: str) -> str | None:
    """Return the file of a module below a folder, without importing it; None for other modules."""
    places: list[str] | None = [folder]
    spec = None
    for depth in range(module.count(".") + 1):
        name = ".".join(module.split(".")[: depth + 1])
        spec = importlib.machinery.PathFinder.find_spec(name, places) if places else None
        places = None if spec is None else list(spec.submodule_search_locations or ())
    origin = None if spec is None else spec.origin
    return origin if origin is not None and origin.endswith(".py") and is_below(origin, folder) else None


class NodeCompiler:
    """Compiles the files of a program with probes at all statements, and adds their sites to a table."""

    def __init__(self, folder: str, table: SiteTable) -> None:
        self._folder = folder
        self._table = table

    def __call__(self, source: str, filename: str) -> CodeType:
        """Return the instrumented code of a file."""
        file = path_from(self._folder, filename) or Path(filename).name
        base = site_base(file, source, NODES)
        add_sites(self._table, Source(file, base, source), filename)
        tree = ast.parse(source, filename)
        insert_probes(tree, number_statements(tree, base), ATTACH)
        code: CodeType = compile(tree, filename, "exec", dont_inherit=True)
        return code


def add_sites(table: SiteTable, source: Source, path: str) -> None:
    """Add the nodes of a file to a table of sites."""
    lines = number_statements(ast.parse(source.text), source.base).lines
    sites = tuple(
        Site(source.file, line.line, line.column, "node", line.text, line.function, switchable=False) for line in lines
    )
    table.add(source.base, sites, file=source.file, path=path)
