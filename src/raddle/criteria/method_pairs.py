"""Method pairs: public methods of a class that were active at the same time.

Based on CovCon (Choudhary, Lu, Pradel, ICSE 2017): a pair is covered when one method starts while the other, or the
same one, is active in another thread. A method is active from its entry to its exit, whether it is called from outside
or by another method of the object. CovCon has one object under test. Here both calls must be on the same object. A
method without an object, such as a static method, forms pairs with the methods of all objects of its class.

If an object's class was recorded, all methods of the object, including inherited ones, count for that class. Otherwise
two methods form a pair if the same class defines both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from raddle.criteria.base import LINEAR, Criterion
from raddle.entities import Entities
from raddle.operation import CALLS, END, ENTER, LEAVE, UNOBSERVABLE
from raddle.pruning_facts import PruningFacts
from raddle.requirement import Role, Shape, Single, word
from raddle.site import Site
from raddle.static_model import StaticModel, class_and_method, is_public
from raddle.step import Step
from raddle.tally import STATIC, Key, Total


class _Method(NamedTuple):
    """The method that begins or ends at a site."""

    function: str
    owner: str  # the class that defines the method
    name: str


class _Call(NamedTuple):
    """An active call of a method."""

    thread: int
    target: int
    owner: str  # the class for which the call counts
    name: str


_Active = dict[_Call, int]  # maps each call to its number of activations, since a method may call itself


class MethodPairs(Criterion):
    """A requirement is (class, method, method), with the methods in alphabetical order.

    >>> entities = Entities()
    >>> entities.functions.update({70001: "shop.py:Cart.add", 70002: "shop.py:Cart.total"})
    >>> pairs = MethodPairs()
    >>> pairs.begin(entities)
    >>> pairs.feed([(1, "enter", 5, 70002), (2, "enter", 5, 70001)])
    >>> pairs.collect(final=True)
    {('shop.py:Cart', 'add', 'total')}
    """

    name = "method-pairs"
    family = "CovCon"
    paper = (
        "Choudhary, Lu, Pradel: Efficient Detection of Thread Safety Violations via Coverage-Guided Generation of "
        "Concurrent Tests"
    )
    shape = Shape(Single("class", Role.OWNER), word("method"), word("method"))
    summary = "one public method of an object starts while the other is active in another thread"
    cost = LINEAR
    concerns = frozenset({ENTER, LEAVE, END})
    points = UNOBSERVABLE  # a thread can enter a method immediately after one of these operations
    total_known = True

    def __init__(self) -> None:
        self._methods: dict[int, _Method | None] = {}  # maps sites to methods; the same in every execution
        self._homes: dict[tuple[str, str], int] = {}
        self.begin(Entities())

    def begin(self, entities: Entities) -> None:
        self._entities = entities
        self._calls: dict[int, list[tuple[str, _Call]]] = {}  # active calls of each thread, innermost last
        self._active_by_object: dict[int, _Active] = {}  # the key 0 is for calls without an object
        self._active_by_class: dict[str, _Active] = {}
        self._fresh: set[Key] = set()
        self._reported: set[Key] = set()

    def feed(self, steps: Iterable[Step]) -> None:
        methods = self._methods
        for thread, kind, target, site in steps:
            if kind in CALLS:
                method = methods[site] if site in methods else self._method_at(site)
                if method is None:
                    continue
                if kind == ENTER:
                    self._enter(thread, target, method)
                else:
                    self._leave(thread, method)
            elif kind == END:
                for _, call in self._calls.pop(thread, ()):  # calls of generators that did not run to completion
                    self._stop(call)

    def _method_at(self, number: int) -> _Method | None:
        function = self._entities.functions.get(number, "")
        found = class_and_method(function)
        method = _Method(function, *found) if found is not None and is_public(found[1]) else None
        self._methods[number] = method
        return method

    def _enter(self, thread: int, target: int, method: _Method) -> None:
        owner = self._entities.classes.get(target, method.owner) if target else method.owner
        call = _Call(thread, target, owner, method.name)
        of_class = self._active_by_class.setdefault(owner, {})
        for other in self._active_by_object.get(target, ()) if target else of_class:
            self._add_pair(call, other)
        if target:
            for other in self._active_by_object.get(0, ()):
                self._add_pair(call, other)
        on_object = self._active_by_object.setdefault(target, {})
        on_object[call] = on_object.get(call, 0) + 1
        of_class[call] = of_class.get(call, 0) + 1
        self._calls.setdefault(thread, []).append((method.function, call))

    def _add_pair(self, call: _Call, other: _Call) -> None:
        if other.thread != call.thread and other.owner == call.owner:
            names = (call.name, other.name) if call.name < other.name else (other.name, call.name)
            self._fresh.add((call.owner, *names))

    def _leave(self, thread: int, method: _Method) -> None:
        """End the innermost active call of the method.

        A generator may end after its caller has returned, and in a different thread from the one that entered it.
        """
        others = (calls for other, calls in self._calls.items() if other != thread)
        for calls in (self._calls.get(thread, []), *others):
            for place in range(len(calls) - 1, -1, -1):
                if calls[place][0] == method.function:
                    self._stop(calls.pop(place)[1])
                    return

    def _stop(self, call: _Call) -> None:
        for active in (self._active_by_object[call.target], self._active_by_class[call.owner]):
            if active[call] > 1:
                active[call] -= 1
            else:
                del active[call]
        if not self._active_by_object[call.target]:
            del self._active_by_object[call.target]

    def collect(self, *, final: bool) -> set[Key]:
        fresh = self._fresh - self._reported
        self._fresh = set()
        self._reported |= fresh
        return fresh

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        owner, one, other = key
        name = owner.rpartition(":")[2].rpartition("<locals>.")[2]
        return f"thread A starts `{name}.{one}` while thread B is in `{name}.{other}`"

    def home(self, key: Key) -> int:
        """Return the site where the first method begins; 0 if neither `total` nor `requirements` has been called."""
        owner, one, other = key
        return self._homes.get((owner, one)) or self._homes.get((owner, other), 0)

    def static_total(self, model: StaticModel) -> Total:
        self._note_homes(model)
        return Total(sum(len(methods) * (len(methods) + 1) // 2 for methods in model.methods.values()), STATIC)

    def requirements(self, model: StaticModel, facts: PruningFacts) -> Iterator[Key]:
        self._note_homes(model)
        for owner in sorted(model.methods):
            names = sorted(model.methods[owner])
            for place, one in enumerate(names):
                for other in names[place:]:
                    yield owner, one, other

    def _note_homes(self, model: StaticModel) -> None:
        for owner, methods in model.methods.items():
            for name, site in methods.items():
                self._homes[owner, name] = site
