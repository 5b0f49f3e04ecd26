"""The import hook: selected modules run instrumented code and are otherwise unchanged."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.resources
import importlib.util
import inspect
import linecache
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from raddle import env, probe
from raddle.instrument import Hook, NotInstrumented, Selection, install_hook
from raddle.site import SiteTable

pytest_plugins = "pytester"


@pytest.fixture
def table() -> SiteTable:
    return SiteTable()


@pytest.fixture
def hook(folder: Path, table: SiteTable) -> Iterator[Hook]:
    with install_hook(Selection(root=str(folder)), table) as installed:
        yield installed


@pytest.fixture
def package(folder: Path) -> Path:
    """A package with a module and a data file."""
    (folder / "shop").mkdir()
    (folder / "shop" / "__init__.py").write_text("from shop import cart\nNAME = 'shop'\n")
    (folder / "shop" / "cart.py").write_text(
        "class Cart:\n    def __init__(self):\n        self.n = 0\n\ndef fail():\n    return Cart().missing\n"
    )
    (folder / "shop" / "prices.txt").write_text("1")
    return folder / "shop"


def test_probes_are_called_in_imported_modules(
    package: Path, hook: Hook, table: SiteTable, log: list[tuple[str, int]]
) -> None:
    cart = importlib.import_module("shop.cart")
    log.clear()
    cart.Cart()
    assert [name for name, _ in log] == ["enter", "write", "leave"]
    assert [table[site].place for _, site in log] == [
        "shop/cart.py:2 enter",
        "shop/cart.py:3 write n",
        "shop/cart.py:2 leave",
    ]
    assert hook.instrumented == ["shop", "shop.cart"]
    assert table.path("shop/cart.py") == str(package / "cart.py")


def test_modules_keep_their_attributes_source_and_resources(package: Path, hook: Hook) -> None:
    shop = importlib.import_module("shop")
    assert shop.__file__ == str(package / "__init__.py")
    assert shop.__path__ == [str(package)]
    assert shop.__spec__.cached == importlib.util.cache_from_source(shop.__file__)
    assert hasattr(shop, "__cached__") == env.MODULES_HAVE_CACHED
    loader: Any = shop.__loader__
    assert loader.is_package("shop")
    assert shop.cart.__spec__.loader.get_source("shop.cart") == (package / "cart.py").read_text()
    assert inspect.getsource(shop.cart.fail).startswith("def fail")
    assert importlib.resources.files("shop").joinpath("prices.txt").read_text() == "1"


def test_tracebacks_show_the_source(package: Path, hook: Hook) -> None:
    cart = importlib.import_module("shop.cart")
    with pytest.raises(AttributeError) as caught:
        cart.fail()
    frames = [frame for frame in inspect.getinnerframes(caught.tb) if frame.filename == str(package / "cart.py")]
    assert [(frame.lineno, frame.code_context) for frame in frames] == [(6, ["    return Cart().missing\n"])]


def test_a_reloaded_module_is_instrumented(package: Path, hook: Hook) -> None:
    cart = importlib.import_module("shop.cart")
    (package / "cart.py").write_text("def new(): return 'a new and longer module'\n")
    linecache.checkcache()
    reloaded = importlib.reload(cart)
    assert reloaded.new() == "a new and longer module"
    assert probe.NAME in reloaded.new.__code__.co_names


def test_modules_outside_the_selection_are_not_instrumented(hook: Hook) -> None:
    for name in ("this_is_not_there", "shop"):
        with pytest.raises(ModuleNotFoundError, match=name):
            importlib.import_module(name)
    sys.modules.pop("colorsys", None)
    colorsys = importlib.import_module("colorsys")
    assert type(colorsys.__loader__) is importlib.machinery.SourceFileLoader
    assert probe.NAME not in vars(colorsys)


def test_modules_in_namespace_packages_are_instrumented(folder: Path, hook: Hook) -> None:
    (folder / "space" / "inner").mkdir(parents=True)
    (folder / "space" / "inner" / "part.py").write_text("def f(x): return x.a\n")
    part = importlib.import_module("space.inner.part")
    assert probe.NAME in part.f.__code__.co_names
    assert hook.instrumented == ["space.inner.part"]


def test_modules_from_archives_are_listed_as_not_instrumented(
    folder: Path, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(folder / "modules.zip", "w") as archive:
        archive.writestr("zipped.py", "x = 1\n")
    monkeypatch.syspath_prepend(folder / "modules.zip")
    assert importlib.import_module("zipped").x == 1
    assert hook.not_instrumented == [NotInstrumented("zipped", "its loader, zipimporter, is not supported")]


def test_compiled_modules_without_source_can_be_imported(folder: Path, hook: Hook) -> None:
    import py_compile

    (folder / "bare.py").write_text("x = 1\n")
    py_compile.compile(str(folder / "bare.py"), cfile=str(folder / "bare.pyc"))
    (folder / "bare.py").unlink()
    assert importlib.import_module("bare").x == 1  # not selected, because it has no source


def test_syntax_errors_are_raised_as_usual(folder: Path, hook: Hook) -> None:
    (folder / "broken.py").write_text("def f(:\n")
    with pytest.raises(SyntaxError) as caught:
        importlib.import_module("broken")
    assert caught.value.filename == str(folder / "broken.py")
    assert hook.not_instrumented == []


def test_a_module_that_cannot_be_rewritten_runs_uninstrumented(
    folder: Path, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("raddle.instrument.sites.MAX_SITES", 1)
    (folder / "many.py").write_text("def f(x): return x.a, x.b\n")
    many = importlib.import_module("many")
    assert probe.NAME not in many.f.__code__.co_names
    assert [refusal.what for refusal in hook.not_instrumented] == ["many"]
    assert "more than 1 sites" in hook.not_instrumented[0].why


def test_a_removed_hook_instruments_nothing(package: Path, folder: Path, table: SiteTable) -> None:
    before = list(sys.meta_path)
    hook = install_hook(Selection(root=str(folder)), table)
    assert sys.meta_path == [hook, *before]
    hook()
    hook()
    assert sys.meta_path == before
    cart = importlib.import_module("shop.cart")
    assert probe.NAME not in vars(cart)


def test_modules_of_another_import_hook_are_left_to_it(folder: Path, hook: Hook) -> None:
    class ThirdPartyLoader(importlib.machinery.SourceFileLoader):
        pass

    class ThirdPartyFinder:
        @staticmethod
        def find_spec(name: str, path: object, target: object = None) -> importlib.machinery.ModuleSpec | None:
            if name != "third_party":
                return None
            loader = ThirdPartyLoader(name, str(folder / "third_party.py"))
            return importlib.util.spec_from_file_location(name, folder / "third_party.py", loader=loader)

    (folder / "third_party.py").write_text("x = 1\n")
    sys.meta_path.insert(1, ThirdPartyFinder)
    try:
        assert type(importlib.import_module("third_party").__loader__) is ThirdPartyLoader
    finally:
        sys.meta_path.remove(ThirdPartyFinder)
    assert hook.not_instrumented == [NotInstrumented("third_party", "its loader, ThirdPartyLoader, is not supported")]


def test_pytests_own_hook_still_loads_the_test_modules(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        conftest="""
            from raddle.instrument import Selection, install_hook
            from raddle.site import SiteTable
            hook = install_hook(Selection(root="."), SiteTable())
            """,
        shop="def cart(x): return x.n",
        test_shop="""
            import shop
            from conftest import hook

            def test_which_modules_are_instrumented():
                assert "@pytest_ar" in globals()
                assert "__raddle__" in vars(shop)
                assert "__raddle__" not in globals()
                assert (hook.instrumented, hook.not_instrumented) == (["shop"], [])
            """,
    )
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
