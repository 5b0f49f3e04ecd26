import sys
from types import ModuleType

import pytest

from raddle.generation.class_source import class_source, module_source


def decorated(cls):
    return cls


@decorated
class Outer:
    size = 1

    class Inner:
        size = 2

    def method(self):
        class Local:
            size = 3

        return Local


if sys.version_info:

    class Conditional:
        size = 4


@pytest.mark.parametrize(
    ("cls", "source"),
    [
        (Outer.Inner, "class Inner:\n    size = 2\n"),
        (Outer().method(), "class Local:\n    size = 3\n"),
        (Conditional, "class Conditional:\n    size = 4\n"),
    ],
    ids=["nested", "local", "conditional"],
)
def test_the_source_of_a_class_is_found_by_its_qualified_name(cls, source):
    assert class_source(cls) == source


def test_the_source_begins_with_the_decorators():
    assert class_source(Outer).splitlines()[:3] == ["@decorated", "class Outer:", "    size = 1"]


def test_classes_without_source_have_none(monkeypatch):
    assert class_source(type("Made", (), {"__module__": __name__})) == ""
    assert class_source(int) == ""
    monkeypatch.setitem(sys.modules, "made_module", ModuleType("made_module"))
    assert class_source(type("Made", (), {"__module__": "made_module"})) == ""
    assert module_source("no_such_module") == ""
