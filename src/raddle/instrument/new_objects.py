"""Lists the objects created since the last listing, without visiting all older objects.

The garbage collector keeps young objects in two separate generations. Each listing creates a marker object. As
long as the marker is young, so is everything that was created after it. A collection that moves the marker to the
oldest generation also moves the younger objects, and so does `gc.freeze()`. The next listing then covers all objects.
While everything older than the marker is frozen, all other objects are new, no matter which collections have run.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from operator import call
from typing import Any

from raddle import env

_HAVE_GC = 1 << 14  # Py_TPFLAGS_HAVE_GC: objects of such a type can refer to others
_YOUNG = (partial(gc.get_objects, 1), partial(gc.get_objects, 0))
_NOT_FROZEN = (*_YOUNG, partial(gc.get_objects, 2))


class ObjectListing:
    """Objects that can refer to others: all of them, or at least those created since the previous listing.

    This is not a named tuple, because greenlet may have to clean up after a thread while the list exists. greenlet then
    imports `gc`. The import fails in the constructor of a named tuple, because that constructor has no builtins.
    """

    __slots__ = ("complete", "objects")

    def __init__(self, objects: Sequence[Any], *, complete: bool) -> None:
        self.objects = objects
        self.complete = complete


class NewObjects:
    """Lists the objects created since its last listing.

    >>> new_objects = NewObjects()
    >>> new_objects.list_objects().complete
    True
    """

    def __init__(self) -> None:
        self._marker: list[Any] | None = None
        self._frozen: list[Any] | None = None  # the previous marker, if it was frozen with all older objects

    def list_objects(self) -> ObjectListing:
        """Return the objects created since the last listing, or all objects if the new ones cannot be determined."""
        with _collector_disabled():
            new = self._list()
            if new is not None:
                return ObjectListing(new, complete=False)
            self.forget()
            if not env.COLLECTOR_HAS_GENERATIONS or _are_frozen():
                return ObjectListing(_all_objects(), complete=True)
            objects, self._marker = _without_switching(gc.get_objects, list)
            return ObjectListing(objects, complete=True)

    def freeze(self) -> None:
        """Call `gc.freeze()`; objects created from now on are new.

        Call this right after a listing, once its list has been deleted. A list of objects must not be frozen (see
        `_tracked_objects`).
        """
        with _collector_disabled():
            gc.freeze()
            if self._marker is not None:
                self._frozen, self._marker = self._marker, []

    def unfreeze(self) -> None:
        """Call `gc.unfreeze()`."""
        self._frozen = None
        gc.unfreeze()

    def young(self) -> Sequence[Any]:
        """Return the objects created since the last listing, or nothing if the new objects cannot be determined."""
        with _collector_disabled():
            new = self._list()
        if new is None:
            self.forget()
        return new or ()

    def forget(self) -> None:
        """Make the next listing cover all objects."""
        self._marker = self._frozen = None

    def _list(self) -> list[Any] | None:
        """Return the objects created since the last listing; None if they cannot be determined."""
        if self._marker is None:
            return None
        # `gc.get_freeze_count()` is not used here because it is slower: it visits every frozen object.
        if self._frozen is not None:
            new = _joined(_without_switching(*_NOT_FROZEN))
            if not _contains(new, self._frozen):
                return new if _contains(new, self._marker) else None
            self._frozen = None  # the program has unfrozen everything
            del new  # the next list must not contain this list
        young = _joined(_without_switching(*_YOUNG))
        return young if _contains(young, self._marker) else None


def _joined(lists: Iterable[list[Any]]) -> list[Any]:
    """Concatenate several lists of objects.

    The result is created after the lists. If it were created before them, as in `[*chain.from_iterable(...)]`, it
    would contain itself and keep all objects alive until the next collection.
    """
    return list(chain.from_iterable(lists))


def _contains(objects: Sequence[Any], wanted: object) -> bool:
    return any(one is wanted for one in objects)


def _without_switching(*functions: Callable[[], Any]) -> tuple[Any, ...]:
    """Call functions implemented in C. Threads cannot switch between the calls, because no bytecode runs in between."""
    answers = list(map(call, functions))
    try:
        return tuple(answers)
    finally:
        answers.clear()  # breaks the reference cycle with a list of all objects, which contains `answers`


def _are_frozen() -> bool:
    """Return whether the program has called `gc.freeze`. Python 3.12 itself freezes immortal objects at startup."""
    return gc.get_freeze_count() > env.MAX_FROZEN_AT_START


@contextmanager
def _collector_disabled() -> Iterator[None]:
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _all_objects() -> list[Any]:
    """Return all objects that can refer to others, whether the collector tracks them or not."""
    objects = _tracked_objects()
    return objects + _untracked_objects(objects) if env.IMMORTAL_OBJECTS_ARE_UNTRACKED else objects


def _untracked_objects(tracked: list[Any]) -> list[Any]:
    """Return the objects that can refer to others and are reachable from the tracked objects but not among them."""
    known = set(map(id, tracked))
    found: list[Any] = []
    fresh: list[Any] = [*tracked, *sys.modules.values()]
    while fresh:
        new = []
        for obj in gc.get_referents(*fresh):
            if id(obj) not in known and type(obj).__flags__ & _HAVE_GC:
                known.add(id(obj))
                new.append(obj)
        found += new
        fresh = new
    return found


def _tracked_objects() -> list[Any]:
    """Return the objects that the collector tracks, including the frozen objects that `gc.get_objects()` leaves out.

    If the program had frozen its objects, they are frozen again afterwards. The returned list is a copy that is not
    frozen, because `gc.get_referrers` does not find frozen lists. When a thread has ended, greenlet uses
    `gc.get_referrers` to find references to the main greenlet of that thread. If the main greenlet has a reference but
    no referrer, greenlet assumes that the reference was left on a stack, and frees the main greenlet.
    """
    frozen = gc.get_freeze_count()
    if not frozen:
        return gc.get_objects()
    by_the_program = frozen > env.MAX_FROZEN_AT_START
    if by_the_program:
        gc.collect()  # garbage must not be frozen with the rest
    gc.unfreeze()
    objects = gc.get_objects()
    if by_the_program:
        gc.freeze()
    return objects.copy()
