from __future__ import annotations

from collections.abc import MutableMapping

from sample_cases import call, case, new, violation
from shelf_under_test import Shelf

from raddle.generation.distinct import identity, innermost_frame, symptom
from raddle.linearizability.judgment import Oracle


def belongs(file):
    return file.endswith("shelf_under_test.py")


def raised(function):
    try:
        function()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def missing(key):
    return raised(lambda: Shelf()[key])


def two_calls(one, other):
    return case([new()], [call(one)], [call(other)])


KEY_ERROR = violation(Oracle.EXCEPTIONS)


def test_an_exception_is_identified_by_the_function_that_raised_it():
    one = identity(two_calls("a", "b"), KEY_ERROR, missing("x"), belongs=belongs)
    other = identity(two_calls("c", "d"), KEY_ERROR, missing("y"), belongs=belongs)
    assert one == other
    assert (one.kind, one.exception, one.function, one.methods) == ("exception", "KeyError", "Shelf.__getitem__", ())
    elsewhere = raised(lambda: Shelf().put([], 1))
    assert identity(two_calls("a", "b"), KEY_ERROR, elsewhere, belongs=belongs) != one


def test_the_innermost_frame_of_the_package_counts():
    def loader(key):
        return int(key)  # raises in this file, which is not part of the package

    class Loading(Shelf):
        def __getitem__(self, key):
            return loader(super().__getitem__(key))

    shelf = Loading()
    shelf["a"] = "b"
    assert innermost_frame(raised(lambda: shelf["c"]), belongs).function == "Shelf.__getitem__"
    assert innermost_frame(raised(lambda: shelf["a"]), belongs) is None


def test_other_bugs_are_identified_by_their_methods():
    hang = violation(Oracle.HANGS)
    one = identity(two_calls("put", "take"), hang, None, belongs=belongs)
    assert one == identity(two_calls("take", "put"), hang, None, belongs=belongs)
    assert one != identity(two_calls("take", "take"), hang, None, belongs=belongs)
    assert one != identity(two_calls("put", "take"), violation(Oracle.RESULTS), None, belongs=belongs)


def test_results_and_state_are_the_same_kind_of_bug():
    results, state = (
        identity(two_calls("put", "take"), violation(oracle), None, belongs=belongs)
        for oracle in (Oracle.RESULTS, Oracle.STATE)
    )
    assert results == state


def test_a_symptom_stays_the_same_while_a_test_is_shrunk():
    assert symptom(KEY_ERROR, missing("x"), belongs=belongs) == symptom(KEY_ERROR, missing(2), belongs=belongs)
    assert symptom(KEY_ERROR, missing("x"), belongs=belongs) != symptom(KEY_ERROR, None, belongs=belongs)
    assert symptom(violation(Oracle.HANGS), None, belongs=belongs) != symptom(
        violation(Oracle.STATE), None, belongs=belongs
    )


def test_exceptions_in_different_inherited_methods_are_different_bugs():
    class Mapping(Shelf, MutableMapping):
        def __iter__(self):
            return iter(())

        def __len__(self):
            return 0

        __setitem__ = __delitem__ = Shelf.__getitem__

    popped, found = (raised(call) for call in (lambda: Mapping().pop("a"), lambda: Mapping()["a"]))
    one, other = (identity(two_calls("a", "b"), KEY_ERROR, error, belongs=belongs) for error in (popped, found))
    assert one.function == other.function == "Shelf.__getitem__"
    assert (one.methods, other.methods) == (("MutableMapping.pop",), ())
    assert symptom(KEY_ERROR, popped, belongs=belongs) != symptom(KEY_ERROR, found, belongs=belongs)
