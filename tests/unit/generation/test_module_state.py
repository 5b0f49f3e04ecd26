"""The state of modules is restored before each execution, whatever objects the modules hold."""

import weakref
from types import ModuleType
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

import pytest

from raddle.generation.module_state import ModuleState


class Item:
    pass


def add_to(container, item):
    if isinstance(container, WeakSet):
        container.add(item)
    elif isinstance(container, WeakKeyDictionary):
        container[item] = 1
    else:
        container["a"] = item


@pytest.mark.parametrize("kind", [WeakKeyDictionary, WeakSet, WeakValueDictionary])
def test_weak_containers_lose_what_is_still_alive(kind):
    module, kept = ModuleType("registry"), Item()
    module.items = kind()
    state = ModuleState([module])
    add_to(module.items, kept)
    assert len(module.items) == 1
    state.restore()
    assert len(module.items) == 0


@pytest.mark.parametrize("kind", [WeakKeyDictionary, WeakSet, WeakValueDictionary])
def test_weak_containers_get_back_what_is_still_alive(kind):
    module, kept, dead = ModuleType("registry"), Item(), Item()
    module.items = kind()
    add_to(module.items, kept)
    state = ModuleState([module])
    module.items.clear()
    state.restore()
    assert len(module.items) == 1
    module.items.clear()
    add_to(module.items, dead)
    state = ModuleState([module])
    del dead
    state.restore()
    assert len(module.items) == 0


class Registry:
    names: list[str] = []


def test_a_proxy_does_not_pass_for_the_class_that_it_stands_for():
    module = ModuleType("registries")
    module.names = ["a"]
    module.current = weakref.proxy(Registry)
    state = ModuleState([module])
    module.names.append("b")
    state.restore()
    assert module.names == ["a"]
