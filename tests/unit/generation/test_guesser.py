import datetime
import inspect
import io
import os
import pathlib
import threading
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence

import argument_classes
import pytest
from argument_classes import Bulletin, Color, Files, Handle, Point, Polite, Settings, Shop, Timers, Untyped

from raddle.generation.expressions import (
    Callback,
    Container,
    Imported,
    Literal,
    New,
    Stub,
    TemporaryPath,
    Values,
)
from raddle.generation.guesser import Guesser
from raddle.generation.inspect_class import inspect_class
from raddle.generation.surface import Method, MethodKind, Parameter
from raddle.generation.usage import Fact, Usage, Use

METHOD = Method("take", MethodKind.METHOD, Imported("argument_classes", "Shop"))


def for_hint(hint, name="thing"):
    """Return the guesses for a parameter with a hint, best first."""
    parameter = Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, hint)
    return [guess.expression for guess in Guesser(Shop).parameter(METHOD, parameter)]


def for_parameter(cls, method, name):
    """Return the guesses for a parameter of a method, best first."""
    surface = inspect_class(cls)
    found = next(one for one in (*surface.constructors, *surface.methods) if one.name == method)
    parameter = next(parameter for parameter in found.parameters if parameter.name == name)
    return [guess.expression for guess in Guesser(cls).parameter(found, parameter)]


def values(expressions):
    return [Values(folder="/tmp").of(expression) for expression in expressions]


def test_numbers_texts_and_truth_values_are_few_and_include_special_cases():
    constants_of_the_module = {42, 15}
    assert {0, 1, 2, 3, 10, -1, 100} | constants_of_the_module == set(values(for_hint(int)))
    floats = {-100.0, -3.0, -2.0, -1.0, -0.1, 0.0, 0.1, 1.0, 2.0, 3.0, 100.0}
    assert floats | constants_of_the_module == set(values(for_hint(float)))
    assert {"a", "b", "c", "", "1"} <= set(values(for_hint(str)))
    assert {True, False} == set(values(for_hint(bool)))


def test_none_is_an_argument_if_the_hint_allows_it():
    assert None in values(for_hint(int | None))
    assert None in values(for_hint(typing.Optional[Handle]))  # noqa: UP045 -- the old spelling
    assert None not in values(for_hint(int))


def test_containers_have_up_to_three_items_of_the_hinted_type():
    assert sorted(map(len, values(for_hint(list[int])))) == [0, 1, 2, 3]
    assert {1} < set(values(for_hint(Sequence[int]))[1])
    assert all(isinstance(item, str) for row in values(for_hint(Iterable[str])) for item in row)
    assert {"a": 1} in values(for_hint(Mapping[str, int]))
    assert ("a", 1) in values(for_hint(tuple[str, int]))
    assert {len(row) for row in values(for_hint(tuple[str, ...]))} == {0, 1, 2, 3}


def test_the_members_of_an_enum_and_of_a_literal_are_arguments():
    assert values(for_hint(Color)) == [Color.RED, Color.BLUE]
    assert values(for_hint(typing.Literal["r", "w"])) == ["r", "w"]


def test_instances_are_created_with_their_required_arguments():
    assert values(for_hint(Settings))[0] == Settings("a")
    assert isinstance(values(for_hint(Point))[0], Point)


def test_a_callable_is_a_callback_that_returns_the_hinted_type():
    assert for_hint(Callable[[str], bool], "on_done")[0] == Callback("on_done", Literal(True))


def test_a_protocol_is_satisfied_by_a_class_of_the_package():
    assert any(isinstance(value, Handle) for value in values(for_parameter(Shop, "release", "handle")))


def test_an_abstract_class_is_satisfied_by_a_subclass_or_else_by_a_stub():
    assert for_parameter(Shop, "restore", "store")[0] == New(Imported("argument_classes", "MemoryStore"))
    assert for_parameter(Shop, "pour", "sink")[0] == Stub((("drain", Callback("sink_drain", Literal(True))),))


def test_a_name_imported_only_for_type_checkers_is_looked_up_in_the_package():
    assert isinstance(values(for_hint("Handle"))[0], Handle)


def test_streams_exceptions_and_classes():
    assert isinstance(values(for_hint(typing.BinaryIO))[0], io.BytesIO)
    assert isinstance(values(for_hint(Exception))[0], Exception)
    assert issubclass(values(for_hint(type[Handle]))[0], Handle)
    assert isinstance(values(for_hint(threading.Event))[0], threading.Event)


def test_hypothesis_supplies_the_simplest_values_of_other_types():
    found = values(for_hint(datetime.date))
    # Hypothesis shrinks dates towards 2000-01-01.
    assert found[0] == datetime.date(2000, 1, 1)
    assert all(isinstance(value, datetime.date) for value in found)


def test_paths_are_in_the_temporary_folder():
    assert for_hint(os.PathLike)[0] == TemporaryPath("a")
    assert for_hint(pathlib.Path | str)[0] == New(Imported("pathlib", "Path"), (TemporaryPath("a"),))


def test_a_parameter_that_is_called_gets_a_callback():
    assert isinstance(for_parameter(Untyped, "", "handler")[0], Callback)
    assert isinstance(for_parameter(Untyped, "forward", "action")[0], Callback)


def test_a_parameter_whose_items_are_unpacked_gets_pairs():
    assert any(isinstance(value, tuple | list) and value and len(value[0]) == 2
               for value in values(for_parameter(Untyped, "", "pairs")))  # fmt: skip


def test_a_parameter_whose_attributes_are_used_gets_a_class_that_has_them():
    found = values(for_parameter(Untyped, "use", "thing"))
    assert isinstance(found[0], Handle)  # the only class with `close` and `key`


def test_a_parameter_whose_attributes_no_class_has_gets_a_stub():
    status = Stub((("status", Literal(1)),))
    expected = Stub((("send_everything", Callback("transport_send_everything", status)),))
    assert for_parameter(Untyped, "connect", "transport") == [expected]


def test_the_class_itself_is_tried_first_if_it_has_the_attributes():
    assert for_parameter(Untyped, "join", "other")[0].function == Imported("argument_classes", "Untyped")


def test_constants_that_a_parameter_is_compared_with_are_arguments():
    assert {"fast", "slow"} <= set(values(for_parameter(Untyped, "select", "mode")))


def test_none_is_an_argument_if_the_source_compares_with_it():
    assert None in values(for_parameter(Untyped, "clear", "which"))


def test_a_truth_value_as_default_is_flipped_first():
    assert values(for_parameter(Untyped, "", "strict")) == [True, False]


def test_numbers_suit_a_parameter_that_is_compared_by_size():
    assert {0, 1, 2, -1} <= set(values(for_parameter(Untyped, "fire", "number")))


def test_a_parameter_about_which_nothing_is_known_gets_values_of_several_types():
    found = for_hint(inspect.Parameter.empty, "banana")
    assert {Literal("a"), Literal("b"), Literal(1), Literal(None)} <= set(found)
    assert any(isinstance(expression, Container) for expression in found)
    assert any(isinstance(expression, Callback) for expression in found)


@pytest.mark.parametrize(
    ("method", "parameter"),
    [("read", "where"), ("remove", "name"), ("rmtree", "place"), ("save", "target"), ("", "folder")],
)
def test_every_argument_that_reaches_the_file_system_is_a_temporary_path(method, parameter):
    for expression in for_parameter(Files, method, parameter):
        path = expression.arguments[0] if isinstance(expression, New) else expression
        assert isinstance(path, TemporaryPath)


def test_a_text_is_a_temporary_path_if_a_method_could_overwrite_the_file():
    found = for_parameter(Files, "save_copy", "somewhere")
    assert TemporaryPath("a") in found
    assert not any(isinstance(one, Literal) and isinstance(one.value, str) for one in found)


def test_a_key_is_not_a_path_even_in_a_method_that_deletes():
    assert Literal("a") in for_parameter(Files, "delete", "key")


def test_every_public_class_of_the_module_can_be_guessed():
    # Each guess for an instance must be valid; the classes that always fail in their constructor are left out.
    guesser = Guesser(Shop)
    for cls in (Shop, Untyped, Handle, Settings, Point, Files, argument_classes.MemoryStore):
        for guess in guesser.instances(cls):
            assert isinstance(Values(folder="/tmp").of(guess.expression), cls)


@pytest.mark.parametrize("name", ["sleep_func", "make_key", "kind"])
def test_a_parameter_whose_default_is_callable_gets_callables_only(name):
    assert all(map(callable, values(for_parameter(Polite, "", name))))


@pytest.mark.parametrize("method", ["show", "watch"])
def test_a_parameter_that_is_only_tested_is_a_flag(method):
    assert {True, False} <= set(values(for_parameter(Polite, method, "loud"))) <= {True, False, None}


def test_classes_whose_methods_do_not_accept_a_keyword_are_not_guessed():
    # Texts and bytes have a method `replace`, too, but it takes no keyword arguments.
    functions = {guess.function.name for guess in for_parameter(Timers, "start", "when") if isinstance(guess, New)}
    assert "datetime" in functions
    assert not [guess for guess in for_parameter(Timers, "start", "when") if isinstance(guess, Literal)]


def test_streams_without_a_descriptor_are_not_guessed_where_one_is_needed():
    functions = {guess.function.name for guess in for_parameter(Timers, "watch", "source") if isinstance(guess, New)}
    assert functions == {"socket"}


def test_a_hint_overrules_what_the_source_suggests():
    # `self._listeners[listener] = 1` suggests keys, such as texts, but the hint asks for a function.
    found = for_parameter(Bulletin, "subscribe", "listener")
    assert found
    assert all(isinstance(expression, Callback) for expression in found)


def test_the_default_value_is_an_argument_even_if_it_contradicts_the_hint():
    found = values(for_parameter(Bulletin, "resize", "size"))
    assert None in found
    assert "large" not in found  # compared in the source


def test_errors_overrule_a_hint():
    surface = inspect_class(Bulletin)
    publish = next(method for method in surface.methods if method.name == "publish")
    learned = Usage((Fact((), Use.ARITHMETIC),))
    found = [guess.expression for guess in Guesser(Bulletin).parameter(publish, publish.parameters[0], learned)]
    assert isinstance(found[0], Literal)
    assert isinstance(found[0].value, int)
