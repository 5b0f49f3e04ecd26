"""The cache of compiled probed code: used when it may be, and only then."""

from __future__ import annotations

import ast
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from raddle.instrument import cache
from raddle.instrument.cache import compile_cached
from raddle.instrument.compiled import Probed, compile_probed
from raddle.instrument.running_source import Change, LiveSource
from raddle.site import INDEX_BITS, SiteTable

SOURCE = b"def f(x):\n    return x.a + 1\n"


@pytest.fixture(autouse=True)
def _only_the_disk_remembers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MAX_RECENT", 0)
    monkeypatch.setattr(cache, "_recent", {})


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    file = tmp_path / "subject.py"
    file.write_bytes(SOURCE)
    return file


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were compiled, not loaded."""
    compiled: list[str] = []

    def counting(source: bytes, *, file: str, path: str, tokens: bool, blocks: bool) -> Probed:
        compiled.append(file)
        return compile_probed(source, file=file, path=path, tokens=tokens, blocks=blocks)

    monkeypatch.setattr(cache, "compile_probed", counting)
    return compiled


def load(module: Path, source: bytes = SOURCE, *, file: str = "subject.py", tokens: bool = True) -> Probed:
    return compile_cached(source, file=file, path=str(module), tokens=tokens)


def kept(module: Path) -> Path:
    (file,) = (module.parent / "__pycache__").iterdir()
    return file


def test_second_time_it_is_loaded(module: Path, compilations: list[str]) -> None:
    first, second = load(module), load(module)
    assert compilations == ["subject.py"]
    assert second == first
    assert second.code.co_filename == str(module)


def test_it_lies_next_to_the_interpreters_own(module: Path) -> None:
    load(module)
    assert kept(module).name.startswith(f"subject.{sys.implementation.cache_tag}.opt-raddle")
    assert kept(module).suffix == ".pyc"


def test_an_edit_is_noticed(module: Path, compilations: list[str]) -> None:
    load(module)
    edited = load(module, SOURCE.replace(b"x.a", b"x.b"))
    assert [site.name for site in edited.sites] == ["", "b", ""]
    assert len(compilations) == 2


def test_options_and_labels_are_told_apart(module: Path, compilations: list[str]) -> None:
    load(module)
    load(module, tokens=False)
    assert load(module, file="package/subject.py").sites[0].file == "package/subject.py"
    assert len(compilations) == 3


def test_moved_code_does_not_claim_to_be_where_it_was(module: Path) -> None:
    load(module)
    moved = module.parent.rename(module.parent.with_name("elsewhere")) / module.name
    assert load(moved).code.co_filename == str(moved)


def test_a_changed_rewriter_is_noticed(module: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    load(module)
    monkeypatch.setattr(cache, "_rewriter_digest", lambda: b"another")
    load(module)
    assert len(compilations) == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:40],
        lambda data: data[:-1],
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: data[:20] + bytes([data[20] ^ 1]) + data[21:],
        lambda data: b"\0" * len(data),
    ],
)
def test_damage_means_compiling_again(module: Path, compilations: list[str], damage: Callable[[bytes], bytes]) -> None:
    whole = load(module)
    kept(module).write_bytes(damage(kept(module).read_bytes()))
    assert load(module) == whole
    assert load(module) == whole
    assert len(compilations) == 2  # and the file is whole again


def test_no_file_is_left_half_written(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: str, target: str) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", refuse)
    assert load(module).sites
    assert list((module.parent / "__pycache__").iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else True, reason="root may write anywhere")
def test_folders_that_cannot_be_written_to(module: Path, compilations: list[str]) -> None:
    module.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert load(module) == load(module)
    finally:
        module.parent.chmod(stat.S_IRWXU)
    assert len(compilations) == 2


def test_folders_that_cannot_be_made(module: Path, compilations: list[str]) -> None:
    (module.parent / "__pycache__").write_text("a file in the way")
    assert load(module) == load(module)
    assert len(compilations) == 2


def test_nothing_is_written_if_python_may_not(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    load(module)
    assert not (module.parent / "__pycache__").exists()


def test_the_users_cache_folder_is_used(module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "caches"))
    load(module)
    assert not (module.parent / "__pycache__").exists()
    assert list((tmp_path / "caches").rglob("*.pyc"))


def test_a_process_remembers_what_it_compiled(
    module: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_RECENT", 2)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for source in (SOURCE, SOURCE, SOURCE + b"#", SOURCE):
        compile_cached(source, file="subject.py", path=str(module))
    assert len(compilations) == 2
    compile_cached(SOURCE + b"##", file="subject.py", path=str(module))  # the oldest goes
    compile_cached(SOURCE, file="subject.py", path=str(module))
    assert len(compilations) == 4


def probed_live(module: Path, change: Change, source: bytes = SOURCE) -> tuple[int, CodeType]:
    """Where the sites of a module begin that somebody has changed before, and its function's code with probes."""
    live, table = LiveSource(source, file="subject.py", path=str(module), change=change), SiteTable("")
    live.enter_sites(table)
    namespace: dict[str, Any] = {}
    tree = ast.parse(source)
    change.apply(tree)
    exec(compile(tree, str(module), "exec", dont_inherit=True), namespace)
    return min(table), live.probed_code(namespace["f"].__code__)


def test_what_somebody_has_changed_is_loaded_too(module: Path) -> None:
    """As pytest changes assertions: neither that nor the compilation is done again."""
    changed: list[str] = []

    def change(by: str) -> Change:
        def apply(tree: ast.Module) -> None:
            changed.append(by)
            tree.body.append(ast.parse(f"by = {by!r}").body[0])
            ast.fix_missing_locations(tree)

        return Change(by, apply)

    first = probed_live(module, change("1.0"))
    assert changed == ["1.0", "1.0"]  # once for what it compiles, once for the function's own code
    assert probed_live(module, change("1.0")) == first
    assert changed == ["1.0"] * 3  # only for the function's own code
    probed_live(module, change("1.1"))
    assert changed[3:] == ["1.1", "1.1"]
    probed_live(module, change("1.1"), b"# edited\n" + SOURCE)
    assert changed[5:] == ["1.1", "1.1"]


def test_changed_and_unchanged_code_are_told_apart(module: Path) -> None:
    plain, nothing = load(module), Change("nobody", lambda tree: None)
    base, code = probed_live(module, nothing)
    assert base >> INDEX_BITS != plain.base >> INDEX_BITS
    assert load(module) == plain
    assert probed_live(module, nothing) == (base, code)
