import queue

from argument_classes import Color, Settings, SmallShop, Thermostat, Untyped

from raddle.generation.class_usage import class_usage, usage_of
from raddle.generation.usage import Use


def test_uses_of_the_attribute_that_holds_an_argument_count():
    # `__init__` stores `handler`, and `fire` calls it.
    assert class_usage(Untyped).parameter("__init__", "handler").has(Use.CALLED)


def test_arguments_passed_to_another_method_are_followed():
    assert class_usage(Untyped).parameter("forward", "action").has(Use.CALLED)


def test_arguments_passed_to_a_base_class_are_followed():
    # SmallShop.put(key, value) calls super().put(key, ...), which uses the key as a key.
    assert class_usage(SmallShop).parameter("put", "key").has(Use.KEY)


def test_inherited_methods_are_read():
    assert class_usage(SmallShop).parameter("merge", "other").attributes == {"_items"}


def test_items_and_their_parts_are_known():
    pairs = class_usage(Untyped).parameter("__init__", "pairs")
    assert pairs.has(Use.ITERATED)
    assert pairs.at("item").details(Use.UNPACKED) == (2,)


def test_names_of_classes_and_functions_are_resolved():
    def check(value, path):
        isinstance(value, queue.Queue)
        isinstance(value, (int, str))
        with open(path):
            pass

    assert usage_of(check, "value").details(Use.INSTANCE) == (queue.Queue, int, str)
    assert usage_of(check, "path").details(Use.PASSED) in (("io.open",), ("_io.open",))


def test_a_dataclass_uses_its_parameters_through_the_attributes():
    assert class_usage(Settings).parameter("__init__", "name").has(Use.STORED)


def test_elements_of_containers_are_keys():
    class Registry:
        def __init__(self):
            self._names = []

        def remove(self, name):
            self._names.remove(name)

    assert class_usage(Registry).parameter("remove", "name").has(Use.KEY)


def test_a_class_without_source_has_no_usage():
    assert not class_usage(int).parameter("__add__", "value")


def test_constants_that_a_value_is_compared_with_are_resolved():
    # `thing == LARGEST or thing in self.PRIORITIES or thing is Color.BLUE`; the dictionary has the keys low and high
    thing = class_usage(Thermostat).parameter("check", "thing")
    assert thing.details(Use.COMPARED) == (42, "low", "high")
    assert thing.details(Use.INSTANCE) == (Color,)
