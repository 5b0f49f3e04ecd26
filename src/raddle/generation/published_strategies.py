"""The strategies that follow MAPTest, CovCon and ConTeGe, by name."""

from __future__ import annotations

from raddle.generation.contege import ConTeGe, ConTeGeStar
from raddle.generation.covcon import CovCon, CovConStar
from raddle.generation.maptest import MapTest, MapTestRandom
from raddle.generation.native_runs import NativeSettings
from raddle.generation.random_pairs import RandomPairs
from raddle.generation.strategy import Strategy, TestBuilder

NAMES = ("maptest", "maptest-random", "contege", "contege*", "covcon", "covcon*", "random")


def make_published_strategy(name: str, builder: TestBuilder, settings: NativeSettings) -> Strategy:
    """Return a new strategy; `name` is one of `NAMES`."""
    match name:
        case "maptest":
            return MapTest(builder, settings.installation)
        case "maptest-random":
            return MapTestRandom(builder, settings.installation)
        case "contege":
            return ConTeGe(builder, settings)
        case "contege*":
            return ConTeGeStar(builder)
        case "covcon":
            return CovCon(builder, settings)
        case "covcon*":
            return CovConStar(builder, settings.installation)
        case "random":
            return RandomPairs(builder, settings)
        case _:
            raise ValueError(f"there is no strategy called {name!r} (valid names: {', '.join(NAMES)})")
