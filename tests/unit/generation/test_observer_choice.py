from __future__ import annotations

from dataclasses import replace

import observed_classes
import pytest
from fake_builder import FakeBuilder
from fake_pools import FakePools

from raddle.entities import AbstractVariable, make_entities
from raddle.generation.expressions import Callback, Literal
from raddle.generation.inspect_class import inspect_class
from raddle.generation.method_effects import MAX_FAILURES
from raddle.generation.observer_choice import OBSERVERS, ObserverChoice
from raddle.generation.testcase import SHARED, Call, TestCase

OWNER = "m.py:C"
WRITE, READ = "write", "read"


class Builder(FakeBuilder):
    """Pretends that calls access given variables. A method without an entry raises an exception."""

    def __init__(self, cls, accesses):
        super().__init__(None, cls)
        self.surface = inspect_class(cls)
        self.accesses = accesses
        self.runs = []

    def observe_each(self, test):
        self.runs.append([call.method.name for thread in test.threads for call in thread])
        return [self._observed(name) for name in self.runs[-1]]

    def _observed(self, name):
        if name not in self.accesses:
            return None
        found = self.accesses[name]
        variables = [AbstractVariable(owner, "", variable) for _, owner, variable in found]
        steps = [(1, kind, number, 70004) for number, (kind, _, _) in enumerate(found)]
        return steps, make_entities(variables=variables)


def accesses(**methods):
    """Return the accesses of methods, given as texts such as "R items, W hits" with variables of `OWNER`."""
    kinds = {"R": READ, "W": WRITE}
    return {
        name: [(kinds[part[0]], OWNER, part[2:]) for part in text.split(", ") if part] for name, text in methods.items()
    }


def make_choice(cls, pools=None, *, owners=(OWNER,), **methods):
    builder = Builder(cls, accesses(**methods))
    return builder, ObserverChoice(builder, pools or FakePools(), owners=owners)


def make_test(builder, *threads):
    """Return a test; each thread is given as the names of methods, or pairs of a name and an argument."""

    def call(item):
        name, *values = [item] if isinstance(item, str) else item
        return Call(builder.method(name), tuple(map(Literal, values)))

    prefix = (Call(builder.surface.constructors[0], result=SHARED),)
    return TestCase(prefix, tuple(tuple(map(call, thread)) for thread in threads))


def observers(choice, test, **options):
    return [
        (call.method.name, *[value.value for value in call.arguments])
        for call in choice.added_to(test, **options).observers
    ]


class Shop:
    def buy(self): ...

    def sell(self): ...

    def rename(self): ...

    def stock(self): ...

    def name(self): ...

    def price(self): ...


def test_an_observer_reads_what_the_threads_write_and_changes_nothing():
    builder, choice = make_choice(
        Shop, buy="R _n, W _n", sell="R _n, W _n", rename="W _name", stock="R _n", name="R _name", price="R _price"
    )
    assert observers(choice, make_test(builder, ["buy"], ["sell"])) == [("stock",)]
    assert observers(choice, make_test(builder, ["rename"], ["rename"])) == [("name",)]
    assert observers(choice, make_test(builder, ["price"], ["price"])) == []


def test_a_method_that_changes_only_what_the_threads_do_not_read_can_observe():
    # stock() caches the sum. Selling does not read the cache.
    builder, choice = make_choice(Shop, sell="R _n, W _n", stock="R _n, W _cache")
    assert observers(choice, make_test(builder, ["sell"], ["sell"])) == [("stock",)]
    builder, choice = make_choice(Shop, sell="R _n, R _cache, W _n", stock="R _n, W _cache")
    assert observers(choice, make_test(builder, ["sell"], ["sell"])) == []


def test_variables_that_both_threads_write_come_first():
    # name() shows what one thread writes and stock() what both write.
    builder, choice = make_choice(Shop, buy="R _n, W _n", sell="W _n, W _name", stock="R _n", name="R _name")
    for _ in range(5):  # equal ones would be shuffled
        assert observers(choice, make_test(builder, ["buy"], ["sell"])) == [("stock",), ("name",)]
    assert observers(choice, make_test(builder, ["buy"], ["sell"]), limit=1) == [("stock",)]


def test_no_kind_of_observer_crowds_out_another():
    # All five getters show _items[], and only the attribute shows hits.
    cls = observed_classes.Hits
    getters = dict.fromkeys(("size", "is_empty", "keys", "first", "last"), "R _items[]")
    builder, choice = make_choice(cls, put="W _items[], R hits, W hits", hits="R hits", **getters)
    for _ in range(5):
        found = observers(choice, make_test(builder, [("put", "a")], [("put", "a")]))
        assert ("hits",) in found
        assert len(found) == OBSERVERS


@pytest.mark.parametrize(
    ("written", "owners"), [("_n", (OWNER,)), ("n", ("m.py:Other",)), ("stock", (OWNER,)), ("0", (OWNER,))]
)
def test_only_public_attributes_of_the_class_are_observed(written, owners):
    builder, choice = make_choice(Shop, owners=owners, buy=f"W {written}", **{written: f"R {written}"})
    found = observers(choice, make_test(builder, ["buy"], ["buy"]))
    assert found == ([("stock",)] if written == "stock" else [])  # stock is a method


def test_attributes_and_callbacks_are_not_observed_for_exceptions():
    builder = Builder(Shop, accesses(buy="W n, W _n", n="R n", stock="R _n"))
    choice = ObserverChoice(builder, FakePools(), owners=(OWNER,), compares_values=False)
    callback = Call(builder.method("rename"), (Callback("listener"),))
    test = make_test(builder, ["buy"], ["buy"])
    assert observers(choice, replace(test, prefix=(*test.prefix, callback))) == [("stock",)]


def test_an_attribute_shows_the_content_of_its_container():
    builder, choice = make_choice(Shop, buy="R items, W items[]", items="R items")
    assert observers(choice, make_test(builder, ["buy"], ["buy"])) == [("items",)]


def test_a_method_that_waits_is_no_observer():
    builder, choice = make_choice(Shop, buy="W _n", stock="R _n")
    builder.accesses["stock"].append(("get", OWNER, "queue"))
    assert observers(choice, make_test(builder, ["buy"], ["buy"])) == []


def test_dropped_observers_are_not_chosen_again():
    builder, choice = make_choice(Shop, buy="W _n", stock="R _n", price="R _n")
    test = make_test(builder, ["buy"], ["buy"])
    assert sorted(observers(choice, test)) == [("price",), ("stock",)]
    choice.drop([Call(builder.method("price"))])
    assert observers(choice, test) == [("stock",)]


def test_keys_that_the_threads_pass_are_observed():
    builder, choice = make_choice(observed_classes.Tally, FakePools(key=["z"]), add="W _counts[]", total="R _counts[]")
    assert observers(choice, make_test(builder, [("add", "a")], [("add", "a")])) == [("total", "a")]
    assert sorted(observers(choice, make_test(builder, [("add", "a")], [("add", "b")]))) == [
        ("total", "a"),
        ("total", "b"),
    ]


def test_what_is_known_is_not_run_again():
    builder, choice = make_choice(Shop, buy="W _n", stock="R _n")
    test = make_test(builder, ["buy"], ["buy"])
    for _ in range(2 * MAX_FAILURES):
        choice.added_to(test)
    # After three runs, only the methods that fail are tried again, and not always after the same prefix.
    assert len(builder.runs) == 3
    choice.restart()
    choice.added_to(test)
    assert len(builder.runs) == 4


def test_observers_vary_if_only_exceptions_are_compared():
    # stock() shows both variables and name() one. With values, stock() alone would come first in every test.
    builder = Builder(Shop, accesses(buy="R _n, W _n, W _name", stock="R _n, R _name", name="R _name"))
    choice = ObserverChoice(builder, FakePools(), owners=(OWNER,), compares_values=False)
    test = make_test(builder, ["buy"], ["buy"])
    chosen = [observers(choice, test, limit=1) for _ in range(200)]
    counts = {name: chosen.count([(name,)]) for name in ("stock", "name")}
    assert sum(counts.values()) == len(chosen)
    # An exponential time divided by 2 ends before another one in 2 of 3 cases.
    assert 100 < counts["stock"] < 170
