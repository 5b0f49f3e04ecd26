from random import Random

import pytest
from argument_classes import (
    Blocks,
    Choosy,
    Clock,
    Color,
    Evicting,
    Exits,
    Fails,
    Files,
    Keyed,
    Many,
    Needy,
    Players,
    Settings,
    Shop,
    Store,
    Untyped,
    WithMeta,
    Words,
)
from running import sequential_runner

from raddle.generation.constructors import choose_constructors
from raddle.generation.expressions import Callback, Literal, Stub
from raddle.generation.factory import Factory
from raddle.generation.inspect_class import inspect_class
from raddle.generation.pools import ArgumentPools
from raddle.generation.testcase import SHARED
from raddle.generation.unbuildable import UnbuildableError


def choose(cls, *, seed=1, **options):
    pools = ArgumentPools(inspect_class(cls), seed=seed)
    with sequential_runner(**options) as runner:
        choice = choose_constructors(runner, pools, Random(seed))
    assert pools.constructors == choice.calls
    return choice


@pytest.mark.parametrize(
    "cls", [Shop, Untyped, Words, WithMeta, Settings, Files, Keyed, Store, Many], ids=lambda cls: cls.__name__
)
def test_a_constructor_is_found(cls):
    choice = choose(cls)
    assert choice.calls
    assert all(call.result == SHARED for call in choice.calls)
    assert choice.working or not inspect_class(cls).methods


def test_constructors_with_which_most_methods_work_are_kept():
    mixed = 0
    for seed in range(1, 11):
        surface = inspect_class(Choosy)
        constructor = surface.constructors[0]
        pool = ArgumentPools(surface, seed=seed).pool(constructor, constructor.parameters[0])
        kinds = {type(expression) for expression in pool}
        if kinds == {Callback, Literal}:
            mixed += 1
            # Neither `run` nor `twice` works with a truth value.
            assert {type(call.arguments[0]) for call in choose(Choosy, seed=seed).calls} == {Callback}
    assert mixed


def test_an_error_reveals_what_the_constructor_needs():
    calls = choose(Needy).calls
    assert [
        str(argument.function.name) for call in calls for argument in call.arguments if hasattr(argument, "function")
    ]


def test_objects_on_which_a_method_computes_forever_are_to_blame_not_the_method():
    surface = inspect_class(Evicting)
    constructor, sizes = surface.constructors[0], tuple(map(Literal, (1, -1, -2, 2)))
    useless = 0
    for seed in range(1, 6):
        pools = ArgumentPools(surface, seed=seed, factory=Factory(values={"size": sizes}))
        drawn = pools.pool(constructor, constructor.parameters[0])
        with sequential_runner(step_limit=200) as runner:
            kept = choose_constructors(runner, pools, Random(seed)).calls
        # `put` is tried with all objects, although it computes forever on two of them before it gets to the last.
        assert {call.arguments for call in kept} == {()} | {(size,) for size in drawn if size.value > 0}
        useless += len({sizes[1], sizes[2]} & set(drawn)) == 2
    assert useless


def test_only_a_sample_of_two_hundred_methods_is_tried():
    with sequential_runner() as runner:
        choose_constructors(runner, ArgumentPools(inspect_class(Many)), Random(1))
        assert runner.executions < 60


def test_the_message_says_what_the_constructor_raises_and_shows_a_factory():
    with pytest.raises(UnbuildableError) as caught:
        choose(Fails)
    assert caught.value.slug == "unbuildable"
    first, _, example = str(caught.value).partition("\n\n")
    assert "the constructor raises OSError: no such server" in first
    assert "--with factory.py" in first
    assert example == (
        "    from argument_classes import Fails\n"
        "    def make():\n"
        "        return Fails(server=..., port=...)  # replace each ..."
    )


def test_a_constructor_that_exits_is_reported():
    with pytest.raises(UnbuildableError, match="raises SystemExit: 3"):
        choose(Exits)


def test_a_constructor_that_blocks_is_reported():
    with pytest.raises(UnbuildableError, match="the constructor does not end: the call blocks"):
        choose(Blocks)


def test_a_class_without_concrete_subclass_cannot_be_created():
    from argument_classes import Sink

    with pytest.raises(UnbuildableError, match="no constructor that can be called"):
        choose(Sink)


def test_an_enum_has_members_to_share():
    # Calling the class with a value returns a member.
    assert choose(Color, seed=1).calls


@pytest.mark.parametrize("seed", range(1, 6))
def test_methods_teach_what_the_arguments_of_the_constructor_must_have(seed):
    # Nothing in the source of the class shows what `make_player` must return: another function uses it.
    choice = choose(Players, seed=seed)
    assert {str(method) for method in choice.working} == {"play", "count"}
    returned = [call.arguments[0].returns for call in choice.calls if isinstance(call.arguments[0], Callback)]
    (stub, *_) = [expression for expression in returned if isinstance(expression, Stub)]
    assert {name for name, _ in stub.attributes} >= {"start", "volume"}
    assert stub.hashable  # the players are members of a set


@pytest.mark.parametrize("seed", range(1, 6))
def test_the_option_that_most_methods_need_is_combined_with_others(seed):
    passed = [{name for name, _ in call.keywords} for call in choose(Clock, seed=seed).calls]
    assert all("ticks" in names for names in passed)
    assert {"ticks", "is_loud"} in passed
