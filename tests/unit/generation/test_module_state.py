"""The state of modules is restored, whatever objects they hold."""

from __future__ import annotations

import weakref
from types import ModuleType

from raddle.generation.module_state import ModuleState


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
