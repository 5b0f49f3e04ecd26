import itertools
import sys
from random import Random

import pytest
from argument_classes import Files, Handle, Keyed, Many, Shop, SmallShop, Untyped
from copied_class import Copying

import processes
from raddle.generation.expressions import Callback, Imported, Literal, New, TemporaryPath, Variable
from raddle.generation.factory import Factory
from raddle.generation.inspect_class import inspect_class
from raddle.generation.learned_values import LearnedValues
from raddle.generation.pools import ArgumentPools, arguments_of
from raddle.generation.surface import Method, MethodKind
from raddle.generation.testcase import SHARED, Call

SEEDS = range(1, 31)


def method_of(pools, name):
    return next(method for method in pools.surface.methods if method.name == name or str(method) == name)


def pool(pools, name, parameter):
    method = method_of(pools, name)
    return pools.pool(method, next(one for one in method.parameters if one.name == parameter))


def drawn(pools, name, scope, count=200):
    """Return many calls of one method."""
    rng, method = Random(1), method_of(pools, name)
    return [pools.draw_call(rng, method, scope) for _ in range(count)]


def test_a_pool_has_two_to_four_expressions_and_prefers_the_first_key():
    pools = [pool(ArgumentPools(inspect_class(Shop), seed=seed), "put", "key") for seed in SEEDS]
    assert all(2 <= len(one) <= 4 for one in pools)
    # "a" has the greatest weight of all texts, so most of the pools contain it.
    assert sum(Literal("a") in one for one in pools) > len(SEEDS) / 2


def test_different_parameters_use_the_same_keys():
    for seed in SEEDS:
        pools = ArgumentPools(inspect_class(Keyed), seed=seed)
        assert pool(pools, "put", "key") == pool(pools, "pop", "key")


def test_the_same_seed_and_restart_give_the_same_pools():
    def restarted(seed, number):
        pools = ArgumentPools(inspect_class(Shop), seed=seed)
        pools.restart(number)
        return [pools.pool(method, one) for method in pools.surface.methods for one in method.parameters]

    assert restarted(1, 5) == restarted(1, 5)
    assert restarted(1, 5) != restarted(1, 6)
    assert restarted(1, 5) != restarted(2, 5)


def test_required_arguments_are_always_passed_and_optional_ones_sometimes():
    pools = ArgumentPools(inspect_class(Shop))
    assert {len(call.arguments) for call in drawn(pools, "put", {SHARED: Shop})} == {2}
    assert {len(call.arguments) for call in drawn(pools, "wait", {SHARED: Shop})} == {0, 1}


def test_arguments_after_a_skipped_one_are_passed_by_keyword():
    surface = inspect_class(Untyped)
    method = Method("", MethodKind.CONSTRUCTOR, surface.cls, surface.constructors[0].parameters)
    pools, rng = ArgumentPools(surface), Random(1)
    calls = [pools.draw_call(rng, method, {}) for _ in range(200)]
    assert any(len(call.arguments) == 1 and dict(call.keywords).keys() == {"level"} for call in calls)
    for call in calls:
        names = [parameter.name for parameter, _ in arguments_of(call)]
        assert len(names) == len(set(names)) == len(call.arguments) + len(call.keywords)


def test_the_object_itself_and_a_second_instance_are_arguments():
    scope = {SHARED: Shop, "other": SmallShop}
    used = {
        variable for call in drawn(ArgumentPools(inspect_class(Shop)), "merge", scope) for variable in call.variables
    }
    assert used == {SHARED, "other"}


def test_without_hint_objects_with_the_used_attributes_are_arguments():
    calls = drawn(ArgumentPools(inspect_class(Untyped)), "join", {SHARED: Untyped, "handle": Handle})
    assert {variable for call in calls for variable in call.variables} == {SHARED}


def test_the_result_of_an_earlier_call_is_an_argument():
    calls = drawn(ArgumentPools(inspect_class(Shop)), "release", {SHARED: Shop, "handle": Handle})
    assert any(call.arguments == (Variable("handle"),) for call in calls)
    assert not any(call.arguments == (Variable(SHARED),) for call in calls)  # it cannot be closed


def test_a_function_gets_the_shared_object():
    for call in drawn(ArgumentPools(inspect_class(Shop)), "audit", {SHARED: Shop, "other": Shop}):
        assert call.arguments[0] == Variable(SHARED)


def test_the_constructor_as_a_method_copies_the_shared_object():
    calls = drawn(ArgumentPools(inspect_class(Copying)), "Copying", {SHARED: Copying})
    assert any(call.arguments == (Variable(SHARED),) for call in calls)


def test_reserved_expressions_are_avoided():
    pools = ArgumentPools(inspect_class(Keyed))
    reserved, *rest = pool(pools, "put", "key")
    calls = [pools.draw_call(Random(seed), method_of(pools, "put"), {}, reserved={reserved}) for seed in range(50)]
    assert {call.arguments[0] for call in calls} == set(rest)


def test_paths_are_always_passed_and_never_taken_from_tests_or_results():
    learned = LearnedValues({("remove", "name"): (Literal("/home/user/x"),), ("", "folder"): (Literal("/home"),)})
    pools = ArgumentPools(inspect_class(Files), learned=learned)
    for call in drawn(pools, "remove", {SHARED: Files, "text": str}):
        assert isinstance(call.arguments[0], TemporaryPath)
    for call in pools.constructor_calls():
        values = [*call.arguments, *dict(call.keywords).values()]
        assert isinstance(values[0], TemporaryPath)  # the default value is in the user's home folder


def test_values_from_tests_are_preferred_unless_they_look_like_paths():
    learned = LearnedValues({("put", "key"): (Literal("pear"), Literal("/etc/pear"))})
    pools = [pool(ArgumentPools(inspect_class(Shop), seed=seed, learned=learned), "put", "key") for seed in SEEDS]
    assert sum(Literal("pear") in one for one in pools) > len(SEEDS) / 2
    assert not any(Literal("/etc/pear") in one for one in pools)


def test_values_from_the_factory_replace_all_others():
    factory = Factory(values={"key": (Literal("x"),)})
    pools = ArgumentPools(inspect_class(Shop), factory=factory)
    assert pool(pools, "put", "key") == (Literal("x"),)
    assert len(pool(pools, "put", "value")) > 1


def test_the_constructor_from_the_factory_replaces_all_others():
    make = Method("", MethodKind.CONSTRUCTOR, Imported("factory", "make"))
    pools = ArgumentPools(inspect_class(Shop), factory=Factory(make=make))
    assert list(pools.constructor_calls()) == [Call(make, result=SHARED)]


@pytest.mark.parametrize("cls", [Many, Untyped, SmallShop])
def test_every_constructor_call_makes_the_object_under_test(cls):
    # `Many` takes any number of arguments, and `Untyped` has options, with which the first call can be extended.
    pools = ArgumentPools(inspect_class(cls))
    calls = list(pools.constructor_calls())
    assert {call.result for call in [*calls, *pools.extended_calls(calls[0])]} == {SHARED}


def test_constructor_calls_begin_with_required_arguments_then_each_option_then_pairs():
    def options(call):
        return frozenset(dict(call.keywords)) | set(range(1, len(call.arguments)))

    pools = ArgumentPools(inspect_class(Untyped))
    passed = [options(call) for call in pools.constructor_calls()]
    assert passed[0] == frozenset()
    firsts = {option: passed.index(option) for option in passed}
    for one, two in itertools.pairwise(sorted(firsts, key=firsts.__getitem__)):
        assert len(one) <= len(two)
    assert max(map(len, passed)) == 2


def test_a_type_error_counts_against_an_expression():
    pools = ArgumentPools(inspect_class(Keyed))
    bad = pool(pools, "put", "key")[0]
    for _ in range(5):
        pools.learn(Call(method_of(pools, "put"), (bad,)), TypeError("no"))
    calls = drawn(pools, "put", {}, 300)
    assert sum(call.arguments[0] == bad for call in calls) < 30  # it was more than a third


def test_other_exceptions_are_legal_results():
    pools = ArgumentPools(inspect_class(Keyed))
    before = pool(pools, "pop", "key")
    pools.learn(Call(method_of(pools, "pop"), (before[0],)), KeyError("a"))
    assert pool(pools, "pop", "key") == before


def test_a_message_reveals_which_class_was_expected():
    # Nothing is known about `source`, except that a text has no attribute `key`. Only Handle has `key` and no others.
    found = False
    for seed in SEEDS:
        pools = ArgumentPools(inspect_class(Keyed), seed=seed)
        parameter = pool(pools, "put", "key")
        pools.learn(
            Call(method_of(pools, "put"), (parameter[0],)), AttributeError("'str' object has no attribute 'close'")
        )
        found = found or any(
            isinstance(one, New) and one.function.name == "Handle" for one in pool(pools, "put", "key")
        )
    assert found


def test_a_callback_has_the_name_of_its_parameter():
    assert any(
        isinstance(one, Callback) and one.name.startswith("callback")
        for one in pool(ArgumentPools(inspect_class(Shop)), "subscribe", "callback")
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_every_method_of_a_large_class_can_be_drawn(seed):
    pools = ArgumentPools(inspect_class(Many), seed=seed)
    calls = [pools.draw_call(Random(seed), method, {SHARED: Many}) for method in pools.surface.methods]
    assert len({call.method for call in calls}) == 200


def test_importing_the_pools_does_not_import_hypothesis():
    code = "import sys, raddle.generation.prefixes; print('hypothesis' in sys.modules)"
    done = processes.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "False"


def test_the_variable_that_is_asked_for_is_passed_to_most_parameters_that_accept_it():
    pools, rng = ArgumentPools(inspect_class(Shop), seed=1), Random(1)
    merge, put = method_of(pools, "merge"), method_of(pools, "put")
    scope = {SHARED: Shop, "other": Shop}
    calls = [pools.draw_call(rng, merge, scope, passed="other") for _ in range(100)]
    assert sum(call.arguments == (Variable("other"),) for call in calls) > 70
    assert any(call.arguments != (Variable("other"),) for call in calls)
    # The hints of `put` accept no shop.
    assert all(Variable("other") not in pools.draw_call(rng, put, scope, passed="other").arguments for _ in range(50))
