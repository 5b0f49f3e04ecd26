from random import Random

from argument_classes import Keyed, Shop, Untyped
from running import sequential_runner

from raddle.generation.expressions import Literal
from raddle.generation.inspect_class import inspect_class
from raddle.generation.pools import ArgumentPools
from raddle.generation.prefixes import OTHER, draw_prefix, draw_working_call
from raddle.generation.testcase import SHARED


def prefixes(cls, count, *, seed=1, max_calls=5):
    """Return prefixes, each with the classes of its variables."""
    pools, rng = ArgumentPools(inspect_class(cls), seed=seed), Random(seed)
    with sequential_runner() as runner:
        found = [draw_prefix(runner, pools, rng, max_calls=max_calls) for _ in range(count)]
        return [(prefix, runner.run(prefix)) for prefix in found]


def test_every_prefix_works_and_begins_with_the_constructor():
    for prefix, result in prefixes(Shop, 40):
        assert result.works
        assert prefix[0].result == SHARED
        assert 1 <= len(prefix) <= 1 + 1 + 5  # the constructor, a second instance, and the calls


def test_the_number_of_calls_is_limited():
    for prefix, _ in prefixes(Shop, 20, max_calls=1):
        assert len([call for call in prefix if call.result not in (SHARED, OTHER)]) <= 1


def test_some_prefixes_have_a_second_instance():
    found = [OTHER in result.types for _, result in prefixes(Shop, 60)]
    assert any(found)
    assert not all(found)


def test_instances_of_other_classes_of_the_package_get_variables():
    named = {name: kind.__name__ for _, result in prefixes(Shop, 60) for name, kind in result.types.items()}
    assert named["handle"] == "Handle"
    assert set(named.values()) <= {"Shop", "Handle"}  # no variables for numbers and None


def test_variables_have_different_names():
    for prefix, _ in prefixes(Shop, 60):
        names = [call.result for call in prefix if call.result]
        assert len(names) == len(set(names))


def test_a_key_is_present_about_as_often_as_absent():
    pools, rng = ArgumentPools(inspect_class(Keyed), seed=1), Random(1)
    pop = next(method for method in pools.surface.methods if method.name == "pop")
    with sequential_runner() as runner:
        present = 0
        for _ in range(200):
            prefix = draw_prefix(runner, pools, rng)
            result = runner.run((*prefix, pools.draw_call(rng, pop, {SHARED: Keyed})))
            present += result.works
    assert 40 <= present <= 160  # a call of `pop` fails if its key is absent


def test_the_same_seed_gives_the_same_prefixes():
    first, second = ([prefix for prefix, _ in prefixes(Untyped, 10, seed=3)] for _ in range(2))
    assert first == second


def test_a_working_call_returns_after_the_prefix():
    pools, rng = ArgumentPools(inspect_class(Keyed), seed=1), Random(1)
    put, pop = (next(m for m in pools.surface.methods if m.name == name) for name in ("put", "pop"))
    with sequential_runner() as runner:
        prefix = draw_prefix(runner, pools, rng, max_calls=0)
        assert draw_working_call(runner, pools, rng, prefix, put, {SHARED: Keyed}) is not None
        assert draw_working_call(runner, pools, rng, prefix[:1], pop, {SHARED: Keyed}) is None  # there is no key
    assert isinstance(pools.pool(put, put.parameters[0])[0], Literal)


def test_most_calls_are_of_the_preferred_methods():
    pools, rng = ArgumentPools(inspect_class(Keyed), seed=1), Random(1)
    put = next(method for method in pools.surface.methods if method.name == "put")
    with sequential_runner() as runner:
        calls = [
            call for _ in range(30) for call in draw_prefix(runner, pools, rng, preferred=[put]) if not call.result
        ]
    assert sum(call.method == put for call in calls) > len(calls) / 2
