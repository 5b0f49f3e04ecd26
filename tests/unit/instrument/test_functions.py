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
    """Remembers whether each look was at everything."""

    def __init__(self) -> None:
        super().__init__()
        self.complete: list[bool] = []

    def list_objects(self) -> ObjectListing:
        listing = super().list_objects()
        self.complete.append(listing.complete)
        return listing


@pytest.fixture(autouse=True)
def _no_automatic_collection() -> Iterator[None]:
    """Which looks are at everything depends on collections alone."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def new_objects() -> Recording:
    return Recording()


@pytest.fixture
def functions(new_objects: Recording) -> LiveFunctions:
    return LiveFunctions(new_objects)


def looks(*complete: bool) -> list[bool]:
    """Where the collector has no generations, every look is at everything."""
    return [*complete] if env.COLLECTOR_HAS_GENERATIONS else [True for _ in complete]


def test_what_is_made_between_two_looks_is_found(imported, functions, new_objects) -> None:
    module = imported(MAKER)
    before = module.make()
    assert set(functions.of([module])) == {module.make, before}
    after = module.make()
    assert set(functions.of([module])) == {module.make, before, after}
    assert set(functions.of([module])) == {module.make, before, after}
    assert new_objects.complete == looks(True, False, False)


def test_what_is_made_before_a_collection_is_found(imported, functions) -> None:
    module = imported(MAKER)
    functions.of([module])
    made = module.make()
    gc.collect()
    assert set(functions.of([module])) == {module.make, made}


def test_what_is_made_around_freezing_is_found(imported, functions, new_objects) -> None:
    module = imported(MAKER)
    functions.of([module])
    before = module.make()
    functions.freeze()
    after = module.make()
    gc.unfreeze()
    assert set(functions.of([module])) == {module.make, before, after}
    assert new_objects.complete == looks(True, False)


def test_a_module_imported_between_two_looks_is_no_reason_to_look_at_everything(imported, functions, new_objects):
    one = imported(MAKER, "one")
    functions.of([one])
    other = imported(MAKER, "other")
    assert functions.of([other]) == [other.make]
    assert set(functions.of([one, other])) == {one.make, other.make}
    assert new_objects.complete == looks(True, False, False)


def test_a_module_that_was_there_and_not_asked_about(imported, functions) -> None:
    one, other = imported(MAKER, "one"), imported(MAKER, "other")
    functions.of([one])
    assert functions.of([other]) == [other.make]


def test_functions_of_a_module_that_was_imported_again(imported, functions) -> None:
    """The old ones are from the same file."""
    module = imported(MAKER)
    old = module.make
    functions.of([module])
    del sys.modules["subject"]
    again = importlib.import_module("subject")
    assert set(functions.of([again])) == {old, again.make}


def test_functions_from_elsewhere_that_have_the_globals_of_the_module(imported, functions) -> None:
    module = imported(MAKER)
    functions.of([module])
    exec(compile("def more(): pass", "<elsewhere>", "exec"), vars(module))
    assert set(functions.of([module])) == {module.make, module.more}


def test_functions_with_a_certain_default(imported, functions, new_objects) -> None:
    module = imported("def one(given=len, other=1): ...\ndef two(*, named=len): ...\ndef three(given=max): ...")
    functions.of([module], values={id(len)})
    # Other modules have some, too.
    assert {f for f in functions.with_values() if f.__globals__ is vars(module)} == {module.one, module.two}

    def four(given=max): ...

    functions.of([module], values={id(len), id(four)})
    assert four not in functions.with_values()

    def five(given=len): ...
    def six(given=four): ...

    functions.of([module], values={id(len), id(four)})
    assert {five, six} <= set(functions.with_values())
    assert new_objects.complete == looks(True, False, False)


def test_defaults_are_looked_for_in_older_functions_once_that_is_asked_for(imported, functions) -> None:
    module = imported("def one(given=len): ...")
    functions.of([module])
    assert functions.with_values() == []
    functions.of([module], values={id(len)})
    assert module.one in functions.with_values()


def test_nothing_is_kept_alive(imported, functions) -> None:
    module = imported(MAKER)
    made = weakref.ref(module.make(len))
    kept = module.make(len)
    functions.of([module], values={id(len)})
    assert made() is None
    alive = weakref.ref(kept)
    del kept
    assert alive() is None
    assert functions.of([module]) == [module.make]
