"""A program whose caches are created before raddle patches anything."""

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
    @functools.lru_cache  # noqa: B019 -- keeping the object alive does no harm in this test
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
    def cached(self):
        return Config()


FIRST = unbounded("first")
