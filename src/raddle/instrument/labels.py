"""The name of a module's file that is the same on every machine."""

from __future__ import annotations

import os
from types import ModuleType


def label(name: str, path: str | None, *, is_package: bool = False) -> str:
    """From a module's name and its file.

    >>> label("shop.cart", "/home/me/src/shop/cart.py")
    'shop/cart.py'
    >>> label("shop", "/home/me/src/shop/__init__.py", is_package=True)
    'shop/__init__.py'
    >>> label("__main__", "/home/me/try.py")
    'try.py'
    """
    parts = name.split(".")
    if path is None:
        return "/".join(parts) + ".py"
    basename = os.path.basename(path)
    if is_package:
        return "/".join([*parts, basename])
    if parts[-1] != os.path.splitext(basename)[0]:
        return basename
    return "/".join([*parts[:-1], basename])


def label_of(module: ModuleType) -> str:
    """The label that the sites of an imported module carry."""
    return label(module.__name__, getattr(module, "__file__", None), is_package=hasattr(module, "__path__"))
