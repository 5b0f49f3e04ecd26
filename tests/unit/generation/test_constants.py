import enum
import types

import pytest
from argument_classes import Thermostat

from raddle.generation.constants import NAME_WEIGHT, constants_for, named_constant
from raddle.generation.expressions import Imported, Literal
from raddle.generation.guesser import Guesser
from raddle.generation.inspect_class import inspect_class


def constants(method):
    """Return the constants for the only parameter of a method of `Thermostat`, by weight."""
    found = next(one for one in inspect_class(Thermostat).methods if one.name == method)
    (parameter,) = found.parameters
    guesses = constants_for(Thermostat, parameter, Guesser(Thermostat).usage(found, parameter))
    named = [guess.expression for guess in guesses if guess.weight == NAME_WEIGHT]
    return named, [guess.expression for guess in guesses if guess.weight < NAME_WEIGHT]


def test_the_items_of_a_collection_are_arguments_if_its_name_fits():
    assert constants("set_mode") == ([Literal("eager"), Literal("lazy")], [])  # MODES


def test_the_keys_of_a_dictionary_of_the_class_are_arguments_if_its_name_fits():
    assert constants("rank") == ([Literal("low"), Literal("high")], [])  # PRIORITIES


def test_a_constant_is_an_argument_if_its_name_and_its_type_fit():
    # TEMPERATURE_LOW is a number, as the hint requires; LARGEST has another name.
    assert constants("heat") == ([Literal(15)], [Literal(42)])


def test_a_constant_of_another_type_than_the_hint_is_no_argument():
    assert constants("describe") == ([], [])


def test_an_instance_is_imported():
    assert constants("reward") == ([], [Imported("argument_classes", "Thermostat.BEST")])


def test_constants_of_the_type_of_the_default_value_are_arguments():
    assert constants("limit") == ([], [Literal(42), Literal(15)])  # the order of the source


def test_private_constants_and_paths_are_no_arguments():
    # _SECRET is private. LOG_FILE is a text, but the user's file must not be an argument.
    assert constants("heat") == ([Literal(15)], [Literal(42)])
    assert constants("log") == ([], [])


class Level(enum.Enum):
    LOW = 1


class Base:
    SIZE = 4


class Derived(Base):
    pass


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("LIMIT", (3,)),
        ("modes.FAST", ("fast",)),
        ("Level.LOW", (Level.LOW,)),
        ("self.SIZE", (4,)),  # inherited
        ("cls.SIZE", (4,)),
        ("ALL", (1, 2)),
        ("modes.MISSING", ()),
        ("LIMIT.real", ()),  # an attribute of an instance may be a property, which is not called
    ],
)
def test_a_dotted_name_stands_for_the_values_of_a_constant(name, expected):
    names = {"LIMIT": 3, "ALL": {2, 1}, "modes": types.ModuleType("modes"), "Level": Level}
    names["modes"].FAST = "fast"
    assert named_constant(name, names, Derived) == expected
