from __future__ import annotations

import builtins
import keyword

import pytest
from sample_cases import ACCOUNT, SHELF, attribute, call, case, new, operator

from raddle.generation import naming
from raddle.generation.expressions import Imported, Variable
from raddle.generation.naming import Problem, callback_names, file_name, snake_case, variable_names
from raddle.linearizability.judgment import Oracle


def named(problem, one="put", other="take"):
    return naming.test_name(case([new()], [call(one)], [call(other)]), problem)


@pytest.mark.parametrize(
    ("problem", "name"),
    [
        (Problem(Oracle.EXCEPTIONS, ((0, 0),), "KeyError"), "test_put_while_take_raises_key_error"),
        (Problem(Oracle.EXCEPTIONS, ((1, 0),), "shop.errors.SoldOut"), "test_take_while_put_raises_sold_out"),
        (Problem(Oracle.EXCEPTIONS, (), "KeyError"), "test_thread_of_new_shelf_while_put_and_take_raises_key_error"),
        (Problem(Oracle.HANGS, ((0, 0), (1, 0)), kind="deadlock"), "test_put_and_take_deadlock"),
        (Problem(Oracle.HANGS, ((0, 0), (1, 0)), kind="step-limit"), "test_put_and_take_never_end"),
        (Problem(Oracle.HANGS, ((1, 0),), kind="lost-wakeup"), "test_take_while_put_never_ends"),
        (Problem(Oracle.RESULTS, lost_update=True), "test_put_and_take_lose_an_update"),
        (Problem(Oracle.RESULTS), "test_put_while_take_is_not_atomic"),
        (Problem(Oracle.STATE, preempted=1), "test_take_while_put_is_not_atomic"),
    ],
)
def test_a_test_is_named_after_what_goes_wrong(problem, name):
    assert named(problem) == name


def test_the_call_that_fails_is_named():
    test = case([new()], [call("put"), call("take")], [call("listen"), call("ignore")])
    name = naming.test_name(test, Problem(Oracle.EXCEPTIONS, ((0, 1),), "KeyError"))
    assert name == "test_take_while_listen_raises_key_error"
    assert (
        naming.test_name(test, Problem(Oracle.HANGS, ((0, 1), (1, 1)), kind="deadlock"))
        == "test_take_and_ignore_deadlock"
    )


@pytest.mark.parametrize(
    ("made", "word"),
    [
        (operator("__len__"), "len"),
        (operator("__eq__"), "equals"),
        (attribute("size"), "size"),
        (call("getChild"), "get_child"),
        (new(ACCOUNT), "new_bank_account"),
    ],
)
def test_a_call_has_a_word(made, word):
    assert naming.call_word(made) == word


@pytest.mark.parametrize(
    ("name", "snake"),
    [
        ("Shelf", "shelf"),
        ("LRUCache", "lru_cache"),
        ("HTTPConnectionPool", "http_connection_pool"),
        ("V2Ray", "v2_ray"),
        ("_Private", "private"),
        ("already_snake", "already_snake"),
    ],
)
def test_snake_case(name, snake):
    assert snake_case(name) == snake


def names_for(*classes):
    prefix = [
        new(Imported("m", cls), result=f"v{number}" if number else "shared") for number, cls in enumerate(classes)
    ]
    return list(variable_names(case(prefix, [call("a")], [call("b")]), classes).values())


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        (["Stream"], ["stream"]),
        (["BankAccount", "BankAccount", "BankAccount"], ["account", "other_account", "third_account"]),
        (["ExpiringDict"], ["expiring_dict"]),  # dict is a built-in class
        (["List"], ["list_object"]),
        (["Lambda"], ["lambda_object"]),
        (["Match"], ["match_object"]),
        (["pool"], ["pool_object"]),  # the test imports the class itself under this name
        (["Raddle"], ["raddle_object"]),
    ],
)
def test_variables_are_named_after_classes(classes, expected):
    assert names_for(*classes) == expected


def test_results_are_named_after_the_parameter_they_are_passed_to():
    test = case(
        [new(), call("make", result="v1"), call("get_child", result="v2")],
        [call("put", Variable("v1"), takes=["drawer"])],
        [call("take", on="v2")],
    )
    assert variable_names(test) == {"shared": "shelf", "v1": "drawer", "v2": "child"}


def test_no_name_shadows_anything():
    for word in [*dir(builtins), *keyword.kwlist, *keyword.softkwlist, "pytest", "raddle"]:
        if word.isidentifier():
            test = case([new(Imported("m", word)), call(word, result="v1")], [call("a", on="v1")], [call("b")])
            for name in variable_names(test, {word}).values():
                assert not hasattr(builtins, name), word
                assert not keyword.iskeyword(name), word
                assert name not in ("pytest", "raddle", word)
                assert name.isidentifier()


def test_callbacks_do_not_shadow_variables():
    assert callback_names(["done", "shelf", "print"], ["shelf"]) == {
        "done": "done",
        "shelf": "on_shelf",
        "print": "on_print",
    }


def test_files_are_named_after_the_class_and_the_problem():
    name = "test_put_while_take_raises_key_error"
    assert file_name("shelves.BankShelf", name) == "test_bank_shelf_put_while_take_raises_key_error.py"
    first = file_name(SHELF.name, name)
    assert file_name(SHELF.name, name, {first}) == first.replace(".py", "_2.py")
