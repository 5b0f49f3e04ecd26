"""The source of code that is already running, compiled again both with and without probes."""

from __future__ import annotations
import __future__

import ast
import linecache
import os
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from raddle.errors import RaddleError
from raddle.instrument.cache import compile_cached, plain_cached
from raddle.instrument.codes import CodeIndex, counterpart, nested
from raddle.instrument.compiled import Probed, compile_probed
from raddle.instrument.labels import label, label_of
from raddle.instrument.origins import was_edited
from raddle.site import SiteTable

_POSTPONED = __future__.annotations.compiler_flag  # the only `from __future__` import that still has an effect
ASSERTIONS = "assertions rewritten"  # option of `site_base` for modules whose assertions pytest has rewritten
NODES = "nodes"  # option of `site_base` for files whose statements are nodes of a parallel control flow graph
# All possible options of `site_base`: for an unchanged source file, for one whose assertions pytest has rewritten, and
# for a file of a message-passing program.
SITE_BASE_OPTIONS: tuple[tuple[str, ...], ...] = ((), (ASSERTIONS,), (NODES,))


class Change(NamedTuple):
    """A change that another tool, such as pytest, made to a module's AST before compiling it."""

    by: str  # the tool and its version
    apply: Callable[[ast.Module], None]


class NoSourceError(Exception):
    """The source of a module is unavailable; the message says why."""


class UnknownCodeError(NoSourceError):
    """The source file of a function does not contain the function's code."""


class LiveSource:
    """The source of one file of a module, compiled on demand with and without probes."""

    def __init__(
        self,
        source: bytes,
        *,
        file: str,
        path: str,
        change: Change | None = None,
        flags: int = 0,
        blocks: bool = False,
    ) -> None:
        self._source = source
        self._file = file
        self._path = path
        self._change = change
        self._flags = flags
        self._blocks = blocks
        self._spare_tree: ast.Module | None = None  # the tree of the plain code, reused for the probed code
        self._plain = CodeIndex(self._compile_plain())
        self._probed: dict[bool, Probed] = {}  # maps `tokens` to the probed code
        self._indexes: dict[bool, CodeIndex] = {}

    def probed_code(self, code: CodeType) -> CodeType:
        """Return the probed version of a function's code; raise NoSourceError if there is none."""
        for tokens in (True, False):
            probed = counterpart(code, plain=self._plain, probed=self._index(tokens=tokens))
            if probed is None:
                raise UnknownCodeError(made_at_run_time(self._path))
            if probed.co_freevars == code.co_freevars:
                return probed
        raise NoSourceError("its free variables would change")

    def was_edited(self, code: CodeType, running: Iterable[CodeType]) -> bool:
        """Return whether this code, which the source does not contain, comes from an earlier version of the file.

        `running` holds the code of the live functions that name this file.
        """
        found = {inner for one in running if one in self._plain for inner in nested(one)}
        return os.path.isfile(self._path) and was_edited(code, source=self._plain, running=found, path=self._path)

    def enter_sites(self, table: SiteTable) -> None:
        probed = self._compile(tokens=True)
        table.add(probed.base, probed.sites, file=self._file, path=self._path)

    def _index(self, *, tokens: bool) -> CodeIndex:
        if tokens not in self._indexes:
            self._indexes[tokens] = CodeIndex(self._compile(tokens=tokens).code)
        return self._indexes[tokens]

    def _compile(self, *, tokens: bool) -> Probed:
        if tokens not in self._probed:
            try:
                self._probed[tokens] = self._compile_probed(tokens=tokens)
            except (RecursionError, RaddleError) as error:
                raise NoSourceError(f"it could not be rewritten: {error}") from error
        return self._probed[tokens]

    def _compile_probed(self, *, tokens: bool) -> Probed:
        source, file, path, blocks, change = self._source, self._file, self._path, self._blocks, self._change

        def make() -> Probed:
            tree = None if change is None else self._spare_tree or self._tree()
            options = () if change is None else (ASSERTIONS,)
            self._spare_tree = None
            flags = self._flags
            return compile_probed(
                source, file=file, path=path, tokens=tokens, blocks=blocks, tree=tree, options=options, flags=flags
            )

        if not os.path.isfile(path):
            return make()
        if change is None:
            return compile_cached(source, file=file, path=path, tokens=tokens, blocks=blocks)
        return compile_cached(source, file=file, path=path, tokens=tokens, blocks=blocks, changed=change.by, make=make)

    def _tree(self) -> ast.Module:
        tree = ast.parse(self._source)
        if self._change is not None:
            self._change.apply(tree)
        return tree

    def _compile_plain(self) -> CodeType:
        if self._flags or not os.path.isfile(self._path):
            return self._compile_plain_uncached()
        changed = "" if self._change is None else self._change.by
        return plain_cached(self._source, path=self._path, changed=changed, make=self._compile_plain_uncached)

    def _compile_plain_uncached(self) -> CodeType:
        tree = self._tree()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the user saw these warnings when the module was imported
            code: CodeType = compile(tree, self._path, "exec", self._flags, dont_inherit=True)
        if self._change is not None:
            self._spare_tree = tree
        return code


def made_at_run_time(path: str) -> str:
    """Return the reason why a function without source cannot be instrumented."""
    return f"its code is not in {path}, and code created at run time cannot be instrumented"


def find_source(
    module: ModuleType, path: str, sample: CodeType | None = None, *, blocks: bool = False, root: str = ""
) -> LiveSource:
    """Return the source of the file `path`, which contains functions of the module.

    `sample` is the code of one of these functions. File names in sites are relative to the folder `root`.
    """
    is_own = path == getattr(module, "__file__", None)
    file = label_of(module, root) if is_own else label("", path, root=root)
    source = _read(path, module.__dict__ if is_own else {})
    rewritten = is_own and "@pytest_ar" in module.__dict__
    # A notebook cell inherits the `from __future__` imports of the cells before it.
    flags = sample.co_flags & _POSTPONED if sample is not None and not is_own else 0
    wanted = source, file, rewritten, flags, blocks
    cached = _sources.get(path)
    if cached is None or cached[0] != wanted:
        cached = _sources[path] = wanted, _compiled(module, path, *wanted)
    return cached[1]


_sources: dict[str, tuple[tuple[Any, ...], LiveSource]] = {}  # by path; compiling a whole project again takes seconds


def _compiled(
    module: ModuleType, path: str, source: bytes, file: str, rewritten: bool, flags: int, blocks: bool
) -> LiveSource:
    if rewritten:
        with suppress(Exception):  # pytest's internals may change: if its rewriting fails, compile without it
            change = _rewritten_assertions(module, source, path)
            return LiveSource(source, file=file, path=path, change=change, blocks=blocks)
    try:
        return LiveSource(source, file=file, path=path, flags=flags, blocks=blocks)
    except (SyntaxError, ValueError) as error:
        raise NoSourceError(f"its source does not compile: {error}") from error


def _read(path: str, namespace: dict[str, Any]) -> bytes:
    if os.path.isfile(path):
        if not path.endswith((".py", ".pyw")):
            raise NoSourceError(f"{os.path.basename(path)} is not Python source")
        with open(path, "rb") as stream:
            return stream.read()
    # `linecache` has the source of notebook cells, doctests and archives. Any text that `exec` compiles can have
    # the file name "<string>", so this name identifies no source. Since 3.13, `linecache` stores the text of
    # `python -c` under this name.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `linecache` warns about a module without a loader
        lines = linecache.getlines(path, namespace) if path != "<string>" else []
    if not lines:
        raise NoSourceError(f"no source found for {path}")
    return "".join(lines).encode()


def _rewritten_assertions(module: ModuleType, source: bytes, path: str) -> Change:
    """Return the change that pytest makes to the module's AST before compiling the module."""
    from _pytest import __version__
    from _pytest.assertion.rewrite import rewrite_asserts

    config = getattr(module.__spec__ and module.__spec__.loader, "config", None)
    hook = config is not None and config.getini("enable_assertion_pass_hook")  # the only setting that pytest reads here
    by = f"pytest {__version__}{' with a hook' if hook else ''}"
    return Change(by, lambda tree: rewrite_asserts(tree, source, path, config))
