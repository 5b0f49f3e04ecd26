"""The form in which a data file keeps a graph: its sources and options, from which the graph is built again."""

from __future__ import annotations

from typing import Any

from raddle.pcfg.build import build_pcfg
from raddle.pcfg.graph import Options, Pcfg
from raddle.pcfg.matching import Profile
from raddle.pcfg.program import Source


def as_json(pcfg: Pcfg) -> dict[str, Any]:
    """Return a graph as JSON values."""
    options = pcfg.options
    return {
        "sources": [[source.file, source.base, source.text] for source in pcfg.sources],
        "ranks": options.ranks,
        "roles": options.roles,
        "profile": options.profile.value,
        "iterations": options.iterations,
    }


def from_json(data: dict[str, Any]) -> Pcfg:
    """Return the graph that `as_json` has returned as JSON values."""
    sources = [Source(file, base, text) for file, base, text in data["sources"]]
    by_file = {source.file: source for source in sources}

    def find(module: str) -> Source | None:
        path = module.replace(".", "/")
        return by_file.get(f"{path}.py") or by_file.get(f"{path}/__init__.py")

    options = Options(data["ranks"], data["roles"], Profile(data["profile"]), data["iterations"])
    return build_pcfg(sources[0], options, find)
