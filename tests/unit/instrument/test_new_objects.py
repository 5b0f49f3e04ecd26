"""`NewObjects` lists the objects that were created since its last listing."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from raddle import env
from raddle.instrument.new_objects import NewObjects

pytestmark = pytest.mark.skipif(
    not env.COLLECTOR_HAS_GENERATIONS, reason="without generations, every listing contains all objects"
)


@pytest.fixture(autouse=True)
def _no_automatic_collection() -> Iterator[None]:
    """Disable automatic collections, so that objects change generation only when the test collects."""
    gc.disable()
    gc.collect()
    yield
    gc.enable()


def contains(objects: object, expected: object) -> bool:
    return any(item is expected for item in objects)  # type: ignore[attr-defined] # a sequence


def test_the_first_listing_is_complete_and_the_next_contains_only_new_objects() -> None:
    old: list[object] = []
    gc.collect()  # moves the object out of the youngest generation
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
def test_the_listing_is_complete_after_a_collection_that_moves_new_objects(generation: int) -> None:
    new_objects = NewObjects()
    new_objects.list_objects()
    new: list[object] = []
    gc.collect(generation)
    listing = new_objects.list_objects()
    assert listing.complete
    assert contains(listing.objects, new)


def test_a_collection_of_the_youngest_generation_needs_no_complete_listing() -> None:
    new_objects = NewObjects()
    new_objects.list_objects()
    new: list[object] = []
    gc.collect(0)
    listing = new_objects.list_objects()
    assert not listing.complete
    assert contains(listing.objects, new)


def test_the_listing_is_complete_after_the_program_freezes_objects() -> None:
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


def test_a_listing_after_freezing_contains_only_newer_objects() -> None:
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


def test_the_listing_is_complete_after_a_collection_between_freezing_and_unfreezing() -> None:
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


def test_listing_keeps_the_collector_enabled_or_disabled() -> None:
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
    assert not contains(young, old)  # unfreezing moves objects to the oldest generation


def test_young_objects_are_listed_after_the_program_unfreezes_all_objects() -> None:
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
    """A list that contained itself would keep all listed objects alive until the next collection."""
    new_objects = NewObjects()
    new_objects.list_objects()
    if frozen:
        new_objects.freeze()
    young = new_objects.young()
    new_objects.unfreeze()
    assert young
    assert not contains(young, young)
