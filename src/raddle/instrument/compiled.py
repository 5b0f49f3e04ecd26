"""Compiles probed code, for the import hook and for functions that already exist."""

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
    """The probed code of a module and its sites; `base` is the number of the first site."""

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
    """Rewrite a module and compile it.

    `file` is the machine-independent name used in sites. `path` is the path on this machine, which tracebacks show. If
    another tool has changed `tree`, `options` describes the changes, so that the sites get different numbers. `flags`
    are passed to `compile`.
    """
    base = site_base(file, source, *options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # compiling the unprobed source reports the same warnings
        rewritten = rewrite(source, file=file, base=base, tree=tree, tokens=tokens, blocks=blocks)
        code = compile(rewritten.tree, path, "exec", flags, dont_inherit=True)
    return Probed(code, base, rewritten.sites)


def expose_probes(namespace: dict[str, Any]) -> None:
    """Make the probes available to code whose globals are this namespace.

    The probes are also stored in `builtins` permanently, because probed functions may be copied into other namespaces
    and may outlive the instrumentation of their module.
    """
    namespace[probe.NAME] = probe
    setattr(builtins, probe.NAME, probe)


def is_probed(module: ModuleType) -> bool:
    return module.__dict__.get(probe.NAME) is probe
