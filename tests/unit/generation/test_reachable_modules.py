"""The modules to instrument are those that the class can reach, and those of its constructors."""

import json.scanner
from json import JSONDecoder, JSONEncoder

from raddle.generation.reachable_modules import reachable_modules


def names(*arguments):
    return {module.__name__ for module in reachable_modules(*arguments)}


def test_the_modules_of_other_classes_are_reached_too():
    assert "json.decoder" not in names(JSONEncoder)
    assert names(JSONEncoder, [JSONDecoder]) >= {"json.encoder", "json.decoder", json.scanner.__name__}
