"""A limit for containers that contain other containers."""

from __future__ import annotations

MAX_DEPTH = 50


def check_depth(depth: int) -> None:
    """Raise RecursionError if containers are nested too deeply, for example because one contains itself."""
    if depth > MAX_DEPTH:
        raise RecursionError(f"maps are nested more than {MAX_DEPTH} levels deep")
