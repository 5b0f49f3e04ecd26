from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from raddle import env
from raddle.instrument.newcomers import Newcomers

pytestmark = pytest.mark.skipif(not env.COLLECTOR_HAS_GENERATIONS, reason="every look lists all objects")


@pytest.fixture(autouse=True)
def _no_automatic_collection() -> Iterator[None]:
    """Nothing is moved from one generation to another, unless the test has it moved."""
    gc.disable()
    gc.collect()
    yield
    gc.enable()


def contains(objects: object, wanted: object) -> bool:
    return any(one is wanted for one in objects)  # type: ignore[attr-defined] # a sequence


def test_the_first_look_lists_everything_and_the_next_what_is_new() -> None:
    old: list[object] = []
    gc.collect()  # it is not young any more
    newcomers = Newcomers()
    first = newcomers.look()
    assert first.complete
    assert contains(first.objects, old)
    new: list[object] = []
    second = newcomers.look()
    assert not second.complete
    assert contains(second.objects, new)
    assert not contains(second.objects, old)


@pytest.mark.parametrize("generation", [1, 2])
def test_everything_is_listed_after_a_collection_that_moves_the_new_objects(generation: int) -> None:
    newcomers = Newcomers()
    newcomers.look()
    new: list[object] = []
    gc.collect(generation)
    look = newcomers.look()
    assert look.complete
    assert contains(look.objects, new)


def test_a_collection_of_the_youngest_objects_changes_nothing() -> None:
    newcomers = Newcomers()
    newcomers.look()
    new: list[object] = []
    gc.collect(0)
    look = newcomers.look()
    assert not look.complete
    assert contains(look.objects, new)


def test_everything_is_listed_after_a_freeze_by_others() -> None:
    newcomers = Newcomers()
    newcomers.look()
    new: list[object] = []
    gc.freeze()
    gc.unfreeze()
    look = newcomers.look()
    assert look.complete
    assert contains(look.objects, new)


def test_frozen_objects_are_listed() -> None:
    old: list[object] = []
    gc.freeze()
    try:
        look = Newcomers().look()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
    assert look.complete
    assert contains(look.objects, old)


def test_a_look_after_freezing_lists_what_is_newer() -> None:
    newcomers = Newcomers()
    newcomers.look()
    new: list[object] = []
    assert contains(newcomers.young(), new)
    newcomers.freeze()
    try:
        newer: list[object] = []
        look = newcomers.look()
        assert not look.complete
        assert contains(look.objects, newer)
        assert not contains(look.objects, new)
    finally:
        gc.unfreeze()


def test_everything_is_listed_if_a_collection_came_between_freezing_and_unfreezing() -> None:
    newcomers = Newcomers()
    newcomers.look()
    try:
        newcomers.freeze()
        new: list[object] = []
        gc.collect()
    finally:
        gc.unfreeze()
    look = newcomers.look()
    assert look.complete
    assert contains(look.objects, new)


def test_the_collector_is_enabled_as_before() -> None:
    Newcomers().look()
    assert not gc.isenabled()
    gc.enable()
    Newcomers().look()
    assert gc.isenabled()


def test_young_objects_are_listed_after_unfreezing() -> None:
    newcomers = Newcomers()
    newcomers.look()
    old: list[object] = []
    newcomers.freeze()
    newcomers.unfreeze()
    new: list[object] = []
    young = newcomers.young()
    assert contains(young, new)
    assert not contains(young, old)  # unfrozen objects are in the oldest generation


def test_young_objects_are_listed_after_others_have_unfrozen_everything() -> None:
    newcomers = Newcomers()
    newcomers.look()
    old: list[object] = []
    newcomers.freeze()
    gc.unfreeze()
    new: list[object] = []
    young = newcomers.young()
    assert contains(young, new)
    assert not contains(young, old)


@pytest.mark.parametrize("frozen", [False, True])
def test_a_list_of_objects_does_not_contain_itself(frozen: bool) -> None:
    """It would live on until the next collection, and with it all objects in it."""
    newcomers = Newcomers()
    newcomers.look()
    if frozen:
        newcomers.freeze()
    young = newcomers.young()
    newcomers.unfreeze()
    assert young
    assert not contains(young, young)
