import pytest
from argument_classes import Command, Dynamic, Many, Settings, Shop, Store, Untyped, WithMeta, Words, Worker

from raddle.errors import UsageError
from raddle.generation.inspect_class import inspect_class
from raddle.generation.surface import MethodKind, Sharing


def kinds(cls, **options):
    return {str(method): method.kind for method in inspect_class(cls, **options).methods}


def constructors(cls):
    return [(method.owner.name, method.name) for method in inspect_class(cls).constructors]


def test_public_members_are_methods_of_the_matching_kind():
    found = kinds(Shop)
    assert found["put"] is MethodKind.METHOD
    assert found["count"] is MethodKind.PROPERTY
    assert found["open"] is MethodKind.CONTEXT  # made by `contextmanager`
    assert found["__len__"] is MethodKind.OPERATOR
    assert found["version"] is MethodKind.STATIC
    assert found["audit"] is MethodKind.FUNCTION  # a parameter is hinted with the class
    assert found["__enter__"] is MethodKind.CONTEXT  # `with shop:`; its name is ""


def test_private_members_data_and_coroutines_are_left_out():
    assert not {"_private", "limit", "fetch", "__init__", "__exit__"} & set(kinds(Shop))


def test_constructors_are_the_class_class_methods_and_functions_that_return_an_instance():
    assert constructors(Shop) == [("Shop", ""), ("make_shop", ""), ("Shop", "from_settings")]


def test_the_concrete_subclasses_construct_an_abstract_class():
    assert constructors(Store) == [("MemoryStore", "")]


def test_hints_are_resolved_although_they_are_strings():
    put = next(method for method in inspect_class(Shop).methods if method.name == "put")
    assert [(p.name, p.hint) for p in put.parameters] == [("key", str), ("value", int)]


def test_patterns_select_and_exclude_methods():
    assert set(kinds(Shop, methods=["p*", "merge"], exclude=["p[ao]*"])) == {"put", "merge"}


def test_a_subclass_of_a_built_in_container_has_its_methods_and_operators():
    found = kinds(Words)
    assert {"first", "popitem", "move_to_end", "__getitem__", "__setitem__", "__len__"} <= set(found)
    assert "__repr__" not in found  # defined by the built-in class only
    pop = next(method for method in inspect_class(Words).methods if method.name == "setdefault")
    assert [p.name for p in pop.parameters] == ["key", "default"]


def test_a_class_that_computes_attributes_has_some_to_read():
    assert {"a": MethodKind.PROPERTY, "b": MethodKind.PROPERTY}.items() <= kinds(Dynamic).items()


def test_a_metaclass_does_not_hide_the_parameters_of_the_constructor():
    surface = inspect_class(WithMeta)
    assert [str(method) for method in surface.methods] == ["get"]
    assert [p.name for p in surface.constructors[0].parameters] in (["key"], ["arguments"])


def test_a_dataclass_has_the_parameters_of_its_generated_constructor():
    parameters = inspect_class(Settings).constructors[0].parameters
    assert [(p.name, p.hint, p.required) for p in parameters] == [("name", str, True), ("size", int, False)]


def test_two_hundred_methods_are_found():
    assert len(inspect_class(Many).methods) == 200


def test_a_constructor_that_accepts_an_instance_is_also_a_method():
    assert ("Words", MethodKind.CONSTRUCTOR) not in kinds(Shop).items()
    from copied_class import Copying

    assert kinds(Copying)["Copying"] is MethodKind.CONSTRUCTOR


def test_a_lock_and_a_docstring_say_that_a_class_is_shared():
    assert inspect_class(Shop).sharing == {Sharing.HAS_LOCK, Sharing.MENTIONS_THREADS}
    assert inspect_class(Untyped).sharing == frozenset()


def test_a_class_inside_a_function_cannot_be_imported():
    class Local:
        pass

    with pytest.raises(UsageError, match="top of a module") as caught:
        inspect_class(Local)
    assert caught.value.slug == "not-importable"


def test_what_a_thread_runs_is_not_called():
    assert set(kinds(Worker)) == {"submit"}
    assert set(kinds(Command)) == {"run"}
