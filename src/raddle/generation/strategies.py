"""All strategies, by name."""

from __future__ import annotations

from raddle.generation.autocontest.strategy import AutoConTest
from raddle.generation.class_builder import ClassBuilder
from raddle.generation.native_runs import NativeSettings
from raddle.generation.portfolio import Portfolio
from raddle.generation.published_strategies import make_published_strategy
from raddle.generation.strategy import Strategy


def make_strategy(name: str, builder: ClassBuilder, settings: NativeSettings) -> Strategy:
    """Return a new strategy; `name` is one of `generation_options.METHODS`."""
    if name == Portfolio.name:
        return Portfolio(builder)
    if name == AutoConTest.name:
        return AutoConTest(builder)
    return make_published_strategy(name, builder, settings)
