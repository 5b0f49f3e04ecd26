"""A cache entry with compiled instrumented code is used only while it is valid."""

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
def _no_cache_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
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
    """The files that were compiled instead of loaded from the cache."""
    compiled: list[str] = []

    def counting(source: bytes, *, file: str, path: str, tokens: bool, blocks: bool) -> Probed:
        compiled.append(file)
        return compile_probed(source, file=file, path=path, tokens=tokens, blocks=blocks)

    monkeypatch.setattr(cache, "compile_probed", counting)
    return compiled


def load(module: Path, source: bytes = SOURCE, *, file: str = "subject.py", tokens: bool = True) -> Probed:
    return compile_cached(source, file=file, path=str(module), tokens=tokens)


def cache_file(module: Path) -> Path:
    (file,) = (module.parent / "__pycache__").iterdir()
    return file


def test_the_second_load_uses_the_cache(module: Path, compilations: list[str]) -> None:
    first, second = load(module), load(module)
    assert compilations == ["subject.py"]
    assert second == first
    assert second.code.co_filename == str(module)


def test_the_cache_file_is_next_to_the_interpreters_own(module: Path) -> None:
    load(module)
    assert cache_file(module).name.startswith(f"subject.{sys.implementation.cache_tag}.opt-raddle")
    assert cache_file(module).suffix == ".pyc"


def test_edited_source_is_compiled_again(module: Path, compilations: list[str]) -> None:
    load(module)
    edited = load(module, SOURCE.replace(b"x.a", b"x.b"))
    assert [site.name for site in edited.sites] == ["", "b", ""]
    assert len(compilations) == 2


def test_options_and_labels_have_separate_cache_entries(module: Path, compilations: list[str]) -> None:
    load(module)
    load(module, tokens=False)
    assert load(module, file="package/subject.py").sites[0].file == "package/subject.py"
    assert len(compilations) == 3


def test_moved_code_has_its_new_path(module: Path) -> None:
    load(module)
    moved = module.parent.rename(module.parent.with_name("elsewhere")) / module.name
    assert load(moved).code.co_filename == str(moved)


def test_a_changed_rewriter_invalidates_the_cache(
    module: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
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
def test_a_damaged_cache_file_is_compiled_again(
    module: Path, compilations: list[str], damage: Callable[[bytes], bytes]
) -> None:
    intact = load(module)
    cache_file(module).write_bytes(damage(cache_file(module).read_bytes()))
    assert load(module) == intact
    assert load(module) == intact
    assert len(compilations) == 2  # the damaged file was replaced


def test_a_failed_write_leaves_no_file(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: str, target: str) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", refuse)
    assert load(module).sites
    assert list((module.parent / "__pycache__").iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else True, reason="root can write to read-only folders")
def test_a_read_only_folder_disables_the_cache(module: Path, compilations: list[str]) -> None:
    module.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert load(module) == load(module)
    finally:
        module.parent.chmod(stat.S_IRWXU)
    assert len(compilations) == 2


def test_a_cache_folder_that_cannot_be_created_disables_the_cache(module: Path, compilations: list[str]) -> None:
    (module.parent / "__pycache__").write_text("a file in the way")
    assert load(module) == load(module)
    assert len(compilations) == 2


def test_nothing_is_written_if_python_writes_no_bytecode(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    load(module)
    assert not (module.parent / "__pycache__").exists()


def test_pycache_prefix_is_respected(module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "caches"))
    load(module)
    assert not (module.parent / "__pycache__").exists()
    assert list((tmp_path / "caches").rglob("*.pyc"))


def test_a_process_keeps_recently_compiled_code_in_memory(
    module: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_RECENT", 2)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for source in (SOURCE, SOURCE, SOURCE + b"#", SOURCE):
        compile_cached(source, file="subject.py", path=str(module))
    assert len(compilations) == 2
    compile_cached(SOURCE + b"##", file="subject.py", path=str(module))  # evicts the oldest entry
    compile_cached(SOURCE, file="subject.py", path=str(module))
    assert len(compilations) == 4


def instrument_changed(module: Path, change: Change, source: bytes = SOURCE) -> tuple[int, CodeType]:
    """Instrument a module whose syntax tree another tool has changed.

    Return the number of its first site and the instrumented code of its function `f`.
    """
    live, table = LiveSource(source, file="subject.py", path=str(module), change=change), SiteTable("")
    live.enter_sites(table)
    namespace: dict[str, Any] = {}
    tree = ast.parse(source)
    change.apply(tree)
    exec(compile(tree, str(module), "exec", dont_inherit=True), namespace)
    return min(table), live.probed_code(namespace["f"].__code__)


def test_code_changed_by_another_tool_is_loaded_from_the_cache(module: Path) -> None:
    """Loading instrumented code from the cache does not repeat the other tool's changes to the syntax tree."""
    changed: list[str] = []

    def change(by: str) -> Change:
        def apply(tree: ast.Module) -> None:
            changed.append(by)
            tree.body.append(ast.parse(f"by = {by!r}").body[0])
            ast.fix_missing_locations(tree)

        return Change(by, apply)

    first = instrument_changed(module, change("1.0"))
    assert changed == ["1.0", "1.0"]  # once for the instrumented code, once for the function's original code
    assert instrument_changed(module, change("1.0")) == first
    assert changed == ["1.0"] * 3  # one more, for the function's original code
    instrument_changed(module, change("1.1"))
    assert changed[3:] == ["1.1", "1.1"]
    instrument_changed(module, change("1.1"), b"# edited\n" + SOURCE)
    assert changed[5:] == ["1.1", "1.1"]


def test_changed_and_unchanged_code_have_separate_cache_entries(module: Path) -> None:
    plain, nothing = load(module), Change("no change", lambda tree: None)
    base, code = instrument_changed(module, nothing)
    assert base >> INDEX_BITS != plain.base >> INDEX_BITS
    assert load(module) == plain
    assert instrument_changed(module, nothing) == (base, code)
