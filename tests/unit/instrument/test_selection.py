"""The selection of modules to instrument."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from raddle.instrument import Selection, Verdict


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a package, a script, and a virtual environment that contains a module."""
    for file in ("shop/__init__.py", "shop/cart.py", "tool.py", "env/pyvenv.cfg", "env/own.py"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "file", "why"),
    [
        ("shop.cart", "shop/cart.py", "it is in {root}"),
        ("tool", "tool.py", "it is in {root}"),
        ("own", "env/own.py", "it is in a virtual environment"),
        ("click", "lib/python3.12/site-packages/click.py", "it is an installed package"),
        ("click", "lib/python3/dist-packages/click.py", "it is an installed package"),
        ("elsewhere", "../elsewhere.py", "it is not in {root}"),
        ("fast", "fast.so", "it has no Python source"),
        ("raddle.api", "raddle/api.py", "raddle itself depends on it"),
        ("greenlet", "greenlet/__init__.py", "raddle itself depends on it"),
    ],
)
def test_by_default_the_projects_modules_are_selected(project: Path, name: str, file: str, why: str) -> None:
    expected = Verdict(selected=why.startswith("it is in {"), why=why.format(root=project))
    assert Selection(root=str(project))(name, str(project / file)) == expected


def test_the_standard_library_is_not_selected_by_default() -> None:
    assert Selection(root="/")("json", json.__file__).why == "it belongs to the standard library"


@pytest.mark.parametrize(
    ("source", "selected"),
    [
        ("shop", {"shop", "shop.cart"}),
        ("shop.cart", {"shop.cart"}),
        ("{root}/shop", {"shop", "shop.cart"}),
        ("{root}/shop/", {"shop", "shop.cart"}),
        ("{root}/tool.py", {"tool"}),
        ("sho", set()),
        ("{root}", {"shop", "shop.cart", "tool"}),
    ],
)
def test_a_source_selects_modules_by_name_or_path(project: Path, source: str, selected: set[str]) -> None:
    select = Selection(sources=(source.format(root=project),), root="/nowhere")
    modules = {
        "shop": "shop/__init__.py",
        "shop.cart": "shop/cart.py",
        "tool": "tool.py",
        "own": "env/own.py",
    }
    assert {name for name, file in modules.items() if select(name, str(project / file))} == selected


def test_an_installed_package_can_be_selected_as_a_source() -> None:
    select = Selection(sources=("click",))
    verdict = select("click.core", "/usr/lib/python3/site-packages/click/core.py")
    assert verdict == Verdict(True, "it matches the source click")
    assert select("clicks", "/usr/lib/clicks.py") == Verdict(False, "it is not in click")


def test_relative_paths_are_resolved_against_the_current_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    assert Selection()("tool", str(project / "tool.py"))
    assert Selection(sources=("shop",))("anything", os.path.join("shop", "cart.py"))


def test_a_module_without_a_file_is_not_selected() -> None:
    assert not Selection()("sys", None)


@pytest.mark.parametrize("root", ["nowhere", "a_file.py"])
def test_a_root_that_is_not_a_folder_selects_nothing(tmp_path: Path, root: str) -> None:
    (tmp_path / "a_file.py").touch()
    (tmp_path / "other.py").touch()
    assert not Selection(root=str(tmp_path / root))("other", str(tmp_path / "other.py"))
