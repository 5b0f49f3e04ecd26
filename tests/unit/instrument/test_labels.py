"""File labels are unique and the same on every machine."""

from __future__ import annotations

import os
from types import ModuleType

import pytest

from raddle.instrument.labels import label, label_of, naming_root
from raddle.site import SiteTable, path_from


def test_files_with_the_same_name_have_different_labels(tmp_path):
    a, b = (str(tmp_path / folder / "util.py") for folder in "ab")
    root = str(tmp_path)
    assert [label("util", path, root=root) for path in (a, b)] == ["a/util.py", "b/util.py"]
    assert [label("__main__", path, root=root) for path in (a, b)] == ["a/util.py", "b/util.py"]
    assert SiteTable(root).label(a) == "a/util.py"


def test_packages_with_the_same_name_have_different_labels(tmp_path):
    names = [
        label("shop", str(tmp_path / folder / "shop" / "__init__.py"), is_package=True, root=str(tmp_path))
        for folder in "ab"
    ]
    assert names == ["a/shop/__init__.py", "b/shop/__init__.py"]


def test_a_label_does_not_depend_on_where_the_project_is(tmp_path):
    """The name of the project's folder is not part of a label."""
    roots = [tmp_path / name for name in ("me", "you")]
    assert len({label("util", str(root / "tools" / "util.py"), root=str(root)) for root in roots}) == 1


def test_a_symbolic_link_does_not_change_the_label(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "util.py").touch()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert label("util", str(tmp_path / "link" / "util.py"), root=str(tmp_path / "real")) == "util.py"
    assert path_from(str(tmp_path / "link"), str(tmp_path / "real" / "util.py")) == "util.py"


@pytest.mark.parametrize("folder", ["site-packages", "dist-packages"])
def test_installed_modules_are_labeled_by_their_import_name(tmp_path, folder):
    """The path contains the Python version, so it cannot be the label."""
    path = str(tmp_path / "venv" / "lib" / "python3.11" / folder / "shop" / "cart.py")
    assert label("shop.cart", path, root=str(tmp_path)) == "shop/cart.py"


def test_a_module_without_a_file_is_labeled_by_its_name():
    assert label_of(ModuleType("shop.cart"), "/home/me") == "shop/cart.py"


def test_the_naming_root_is_the_project_the_data_folder_or_the_current_folder(tmp_path, monkeypatch):
    inner = tmp_path / "work" / "inner"
    inner.mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")
    current, parent = str(tmp_path / "work"), str(tmp_path)
    assert naming_root(str(inner)) == current
    assert naming_root(str(inner), os.path.join(parent, ".raddle")) == parent
    assert naming_root(parent) == parent  # the given folder is not inside the current folder
    (inner / "pyproject.toml").touch()
    assert naming_root(str(inner), os.path.join(parent, ".raddle")) == str(inner)
