"""Probed code, compiled: what the import hook runs and what functions already there are given."""

from __future__ import annotations

import ast
import builtins
import warnings
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any

from raddle import probe
from raddle.instrument.rewrite import rewrite, site_base
from raddle.site import Site


@dataclass(frozen=True, slots=True)
class Probed:
    """A module's probed code and its sites."""

    code: CodeType
    base: int
    sites: tuple[Site, ...]


def compile_probed(
    source: str | bytes,
    *,
    file: str,
    path: str,
    tokens: bool = True,
    blocks: bool = False,
    tree: ast.Module | None = None,
    options: tuple[str, ...] = (),
    flags: int = 0,
) -> Probed:
    """Rewrite and compile; `path` is the file's name on this machine, which tracebacks show.

    `options` says what made a given `tree` differ from the source's own, so that its sites get other numbers;
    `flags` are those of `compile`.
    """
    base = site_base(file, source, *options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the compiler has told, or will tell, when it sees the source itself
        rewritten = rewrite(source, file=file, base=base, tree=tree, tokens=tokens, blocks=blocks)
        code = compile(rewritten.tree, path, "exec", flags, dont_inherit=True)
    return Probed(code, base, rewritten.sites)


def expose_probes(namespace: dict[str, Any]) -> None:
    """Let code with this namespace as its globals find the probes.

    They are made built-in, too, and stay so: probed functions may be copied into other namespaces, and may
    outlive the instrumentation of their module.
    """
    namespace[probe.NAME] = probe
    setattr(builtins, probe.NAME, probe)


def is_probed(module: ModuleType) -> bool:
    return module.__dict__.get(probe.NAME) is probe
