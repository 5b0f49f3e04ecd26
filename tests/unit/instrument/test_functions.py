"""The live functions of a module are found without listing all objects each time."""

from __future__ import annotations

import gc
import importlib
import sys
import weakref
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

from raddle import env
from raddle.instrument.functions import LiveFunctions
from raddle.instrument.new_objects import NewObjects, ObjectListing

Importer = Callable[..., ModuleType]
MAKER = """
    def make(value=None):
        def made(): return value
        return made
    """


class Recording(NewObjects):
    """Records, for each listing of objects, whether the listing was complete."""

    def __init__(self) -> None:
        super().__init__()
        self.complete: list[bool] = []

    def list_objects(self) -> ObjectListing:
        listing = super().list_objects()
        self.complete.append(listing.complete)
        return listing


@pytest.fixture(autouse=True)
def _no_automatic_collection() -> Iterator[None]:
    """Disable automatic collections, because they affect which listings are complete."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def new_objects() -> Recording:
    return Recording()


@pytest.fixture
def functions(new_objects: Recording) -> LiveFunctions:
    return LiveFunctions(new_objects)


def expected_completeness(*complete: bool) -> list[bool]:
    """Return, for each listing, whether it must be complete.

    If the collector has no generations, every listing is complete.
    """
    return [*complete] if env.COLLECTOR_HAS_GENERATIONS else [True for _ in complete]


def test_functions_created_between_two_calls_are_found(imported, functions, new_objects) -> None:
    module = imported(MAKER)
    before = module.make()
    assert set(functions.of([module])) == {module.make, before}
    after = module.make()
    assert set(functions.of([module])) == {module.make, before, after}
    assert set(functions.of([module])) == {module.make, before, after}
    assert new_objects.complete == expected_completeness(True, False, False)


def test_functions_created_before_a_collection_are_found(imported, functions) -> None:
    module = imported(MAKER)
    functions.of([module])
    made = module.make()
    gc.collect()
    assert set(functions.of([module])) == {module.make, made}


def test_functions_created_before_and_after_freezing_are_found(imported, functions, new_objects) -> None:
    module = imported(MAKER)
    functions.of([module])
    before = module.make()
    functions.freeze()
    after = module.make()
    gc.unfreeze()
    assert set(functions.of([module])) == {module.make, before, after}
    assert new_objects.complete == expected_completeness(True, False)


def test_a_newly_imported_module_needs_no_complete_listing(imported, functions, new_objects):
    first = imported(MAKER, "first")
    functions.of([first])
    second = imported(MAKER, "second")
    assert functions.of([second]) == [second.make]
    assert set(functions.of([first, second])) == {first.make, second.make}
    assert new_objects.complete == expected_completeness(True, False, False)


def test_functions_of_a_module_that_was_not_requested_before_are_found(imported, functions) -> None:
    first, second = imported(MAKER, "first"), imported(MAKER, "second")
    functions.of([first])
    assert functions.of([second]) == [second.make]


def test_functions_of_a_reimported_module_are_found_with_the_old_ones(imported, functions) -> None:
    """The old functions are found too, because they are from the same file."""
    module = imported(MAKER)
    old = module.make
    functions.of([module])
    del sys.modules["subject"]
    reimported = importlib.import_module("subject")
    assert set(functions.of([reimported])) == {old, reimported.make}


def test_functions_from_other_files_with_the_modules_globals_are_found(imported, functions) -> None:
    module = imported(MAKER)
    functions.of([module])
    exec(compile("def more(): pass", "<elsewhere>", "exec"), vars(module))
    assert set(functions.of([module])) == {module.make, module.more}


def test_functions_with_given_default_values_are_found(imported, functions, new_objects) -> None:
    module = imported("def one(given=len, other=1): ...\ndef two(*, named=len): ...\ndef three(given=max): ...")
    functions.of([module], values={id(len)})
    # Functions of other modules can have the same default values, so the test filters out those functions.
    assert {f for f in functions.with_values() if f.__globals__ is vars(module)} == {module.one, module.two}

    def four(given=max): ...

    functions.of([module], values={id(len), id(four)})
    assert four not in functions.with_values()

    def five(given=len): ...
    def six(given=four): ...

    functions.of([module], values={id(len), id(four)})
    assert {five, six} <= set(functions.with_values())
    assert new_objects.complete == expected_completeness(True, False, False)


def test_default_values_of_older_functions_are_found_when_first_requested(imported, functions) -> None:
    module = imported("def one(given=len): ...")
    functions.of([module])
    assert functions.with_values() == []
    functions.of([module], values={id(len)})
    assert module.one in functions.with_values()


def test_functions_are_not_kept_alive(imported, functions) -> None:
    module = imported(MAKER)
    made = weakref.ref(module.make(len))
    kept = module.make(len)
    functions.of([module], values={id(len)})
    assert made() is None
    alive = weakref.ref(kept)
    del kept
    assert alive() is None
    assert functions.of([module]) == [module.make]
