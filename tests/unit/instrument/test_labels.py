"""Files are named the same on every machine, and no two of them alike."""

from __future__ import annotations

import os
from types import ModuleType

import pytest

from raddle.instrument.labels import label, label_of, naming_root
from raddle.site import SiteTable, path_from


def test_files_of_one_name(tmp_path):
    a, b = (str(tmp_path / folder / "util.py") for folder in "ab")
    root = str(tmp_path)
    assert [label("util", path, root=root) for path in (a, b)] == ["a/util.py", "b/util.py"]
    assert [label("__main__", path, root=root) for path in (a, b)] == ["a/util.py", "b/util.py"]
    assert SiteTable(root).label(a) == "a/util.py"


def test_packages_of_one_name(tmp_path):
    names = [
        label("shop", str(tmp_path / folder / "shop" / "__init__.py"), is_package=True, root=str(tmp_path))
        for folder in "ab"
    ]
    assert names == ["a/shop/__init__.py", "b/shop/__init__.py"]


def test_the_same_on_another_machine(tmp_path):
    """Whatever the folder is called that the project lies in."""
    roots = [tmp_path / name for name in ("me", "you")]
    assert len({label("util", str(root / "tools" / "util.py"), root=str(root)) for root in roots}) == 1


def test_by_another_way_to_the_same_file(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "util.py").touch()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert label("util", str(tmp_path / "link" / "util.py"), root=str(tmp_path / "real")) == "util.py"
    assert path_from(str(tmp_path / "link"), str(tmp_path / "real" / "util.py")) == "util.py"


@pytest.mark.parametrize("folder", ["site-packages", "dist-packages"])
def test_what_is_installed_is_named_as_it_is_imported(tmp_path, folder):
    """The path to it has the version of Python in it."""
    path = str(tmp_path / "venv" / "lib" / "python3.11" / folder / "shop" / "cart.py")
    assert label("shop.cart", path, root=str(tmp_path)) == "shop/cart.py"


def test_a_module_without_a_file():
    assert label_of(ModuleType("shop.cart"), "/home/me") == "shop/cart.py"


def test_the_folder_that_files_are_named_from(tmp_path, monkeypatch):
    inner = tmp_path / "work" / "inner"
    inner.mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")
    here, there = str(tmp_path / "work"), str(tmp_path)
    assert naming_root(str(inner)) == here
    assert naming_root(str(inner), os.path.join(there, ".raddle")) == there
    assert naming_root(there) == there  # it does not lie in the current one
    (inner / "pyproject.toml").touch()
    assert naming_root(str(inner), os.path.join(there, ".raddle")) == str(inner)
