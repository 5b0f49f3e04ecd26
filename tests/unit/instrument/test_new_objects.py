from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from raddle import env
from raddle.instrument.new_objects import NewObjects

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
    new_objects = NewObjects()
    first = new_objects.list_objects()
    assert first.complete
    assert contains(first.objects, old)
    new: list[object] = []
    second = new_objects.list_objects()
    assert not second.complete
    assert contains(second.objects, new)
    assert not contains(second.objects, old)


@pytest.mark.parametrize("generation", [1, 2])
def test_everything_is_listed_after_a_collection_that_moves_the_new_objects(generation: int) -> None:
    new_objects = NewObjects()
    new_objects.list_objects()
    new: list[object] = []
    gc.collect(generation)
    listing = new_objects.list_objects()
    assert listing.complete
    assert contains(listing.objects, new)


def test_a_collection_of_the_youngest_objects_changes_nothing() -> None:
    new_objects = NewObjects()
    new_objects.list_objects()
    new: list[object] = []
    gc.collect(0)
    listing = new_objects.list_objects()
    assert not listing.complete
    assert contains(listing.objects, new)


def test_everything_is_listed_after_a_freeze_by_others() -> None:
    new_objects = NewObjects()
    new_objects.list_objects()
    new: list[object] = []
    gc.freeze()
    gc.unfreeze()
    listing = new_objects.list_objects()
    assert listing.complete
    assert contains(listing.objects, new)


def test_frozen_objects_are_listed() -> None:
    old: list[object] = []
    gc.freeze()
    try:
        listing = NewObjects().list_objects()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
    assert listing.complete
    assert contains(listing.objects, old)


def test_a_look_after_freezing_lists_what_is_newer() -> None:
    new_objects = NewObjects()
    new_objects.list_objects()
    new: list[object] = []
    assert contains(new_objects.young(), new)
    new_objects.freeze()
    try:
        newer: list[object] = []
        listing = new_objects.list_objects()
        assert not listing.complete
        assert contains(listing.objects, newer)
        assert not contains(listing.objects, new)
    finally:
        gc.unfreeze()


def test_everything_is_listed_if_a_collection_came_between_freezing_and_unfreezing() -> None:
    new_objects = NewObjects()
    new_objects.list_objects()
    try:
        new_objects.freeze()
        new: list[object] = []
        gc.collect()
    finally:
        gc.unfreeze()
    listing = new_objects.list_objects()
    assert listing.complete
    assert contains(listing.objects, new)


def test_the_collector_is_enabled_as_before() -> None:
    NewObjects().list_objects()
    assert not gc.isenabled()
    gc.enable()
    NewObjects().list_objects()
    assert gc.isenabled()


def test_young_objects_are_listed_after_unfreezing() -> None:
    new_objects = NewObjects()
    new_objects.list_objects()
    old: list[object] = []
    new_objects.freeze()
    new_objects.unfreeze()
    new: list[object] = []
    young = new_objects.young()
    assert contains(young, new)
    assert not contains(young, old)  # unfrozen objects are in the oldest generation


def test_young_objects_are_listed_after_others_have_unfrozen_everything() -> None:
    new_objects = NewObjects()
    new_objects.list_objects()
    old: list[object] = []
    new_objects.freeze()
    gc.unfreeze()
    new: list[object] = []
    young = new_objects.young()
    assert contains(young, new)
    assert not contains(young, old)


@pytest.mark.parametrize("frozen", [False, True])
def test_a_list_of_objects_does_not_contain_itself(frozen: bool) -> None:
    """It would live on until the next collection, and with it all objects in it."""
    new_objects = NewObjects()
    new_objects.list_objects()
    if frozen:
        new_objects.freeze()
    young = new_objects.young()
    new_objects.unfreeze()
    assert young
    assert not contains(young, young)
