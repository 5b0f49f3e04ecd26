"""Caches that exist before raddle comes."""

from __future__ import annotations

import functools


class Config:
    pass


@functools.lru_cache
def bounded():
    return Config()


@functools.cache
def unbounded(name):
    return Config()


class Service:
    @functools.lru_cache  # noqa: B019 -- that the object is kept is nobody's concern here
    def method(self):
        return Config()

    @staticmethod
    @functools.cache
    def static():
        return Config()

    @classmethod
    @functools.cache
    def of_class(cls):
        return Config()

    @functools.cached_property
    def kept(self):
        return Config()


FIRST = unbounded("first")
