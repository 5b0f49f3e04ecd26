"""Labels: unique names for source files, which are the same on every machine."""

from __future__ import annotations

import os
from types import ModuleType

from raddle.instrument.selection import PROJECT_MARKS
from raddle.site import path_from


def label(name: str, path: str | None, *, is_package: bool = False, root: str = "") -> str:
    """Return the path of a module's file relative to `root`, or a path built from the module's name.

    The module's name is used if the file is not inside `root`.

    >>> label("util", "/home/me/shop/tools/util.py", root="/home/me/shop")
    'tools/util.py'
    >>> label("shop.cart", "/usr/lib/shop/cart.py", root="/home/me/shop")
    'shop/cart.py'
    >>> label("shop", "/usr/lib/shop/__init__.py", is_package=True)
    'shop/__init__.py'
    >>> label("__main__", "/home/me/try.py")
    'try.py'
    """
    parts = name.split(".")
    if path is None:
        return "/".join(parts) + ".py"
    inside = path_from(root, path) if root else ""
    if inside:
        return inside
    basename = os.path.basename(path)
    if is_package:
        return "/".join([*parts, basename])
    if parts[-1] != os.path.splitext(basename)[0]:
        return basename
    return "/".join([*parts[:-1], basename])


def label_of(module: ModuleType, root: str = "") -> str:
    """Return the label used in the sites of an imported module."""
    path = getattr(module, "__file__", None)
    return label(module.__name__, path, is_package=hasattr(module, "__path__"), root=root)


def naming_root(folder: str, data_file: str = "") -> str:
    """Return the root folder for files in `folder`: labels are paths relative to the root.

    If `folder` is marked as a project, it is the root. Otherwise the root is the folder of the data file if it contains
    `folder`, so that all labels in the data file are consistent. Failing that, the root is the current folder if it
    contains `folder`, and otherwise `folder` itself.
    """
    if any(os.path.exists(os.path.join(folder, mark)) for mark in PROJECT_MARKS):
        return folder
    for above in (os.path.dirname(os.path.abspath(data_file or "here")), os.getcwd()):
        if path_from(above, os.path.join(folder, "any")):
            return above
    return folder
