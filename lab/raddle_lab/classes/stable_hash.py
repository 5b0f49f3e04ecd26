"""Hashes that do not differ between runs, unlike those of `hash` for strings and for most objects."""

from __future__ import annotations

from numbers import Number
from zlib import crc32


def stable_hash(value: object) -> int:
    """Return a non-negative hash. Equal numbers, strings, bytes and tuples have equal hashes.

    All other objects of one type have the same hash, because the only other thing to go by is their address.
    """
    if isinstance(value, Number):
        return hash(value) & 0x7FFFFFFF
    if isinstance(value, str):
        return crc32(value.encode("utf-8", "surrogatepass"))
    if isinstance(value, bytes):
        return crc32(value)
    if isinstance(value, tuple):
        result = 1
        for element in value:
            result = (31 * result + stable_hash(element)) & 0x7FFFFFFF
        return result
    return crc32(type(value).__qualname__.encode())
