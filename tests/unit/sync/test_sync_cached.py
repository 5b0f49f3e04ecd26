"""A cache is shared: two threads may both find nothing in it, and compute the same."""

from __future__ import annotations

import copy
import functools
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import cached_early
import pytest
from cached_early import Service, bounded, unbounded

import raddle
from raddle import env
from raddle.threads.twins.functools import RealCachedFunction

switches_in_caches = pytest.mark.skipif(
    env.CACHES_LOCK_CALLS,
    reason="greenlet cannot switch away from a cached function that is called while its cache is locked: it hangs",
)


def _both(get):
    got = [None, None]

    def work(index):
        got[index] = get()

    threads = [threading.Thread(target=work, args=(index,)) for index in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return got[0] is got[1]


def _seen(get, reset=None, scheduler="exhaustive", **options):
    """Could two threads get the same, and could they get two?"""
    seen = set()

    def scenario():
        if reset is not None:
            reset()
        seen.add(_both(get))

    sources = [__name__, "cached_early"]
    result = raddle.explore(scenario, source=sources, scheduler=scheduler, executions=None, until="budget", **options)
    assert result.stopped_because == "exhausted"
    return seen


def _fresh_static():
    Service.static.cache_clear()


@switches_in_caches
@pytest.mark.parametrize("scheduler", ["exhaustive", "reachability"])
@pytest.mark.parametrize("switches", ["free-threaded", "gil"])
def test_a_function_made_before(scheduler, switches):
    assert _seen(lambda: bounded(), lambda: bounded.cache_clear(), scheduler, switches=switches) == {True, False}


@switches_in_caches
def test_caught_by_another_module():
    assert _seen(lambda: cached_early.bounded(), lambda: bounded.cache_clear()) == {True, False}


@switches_in_caches
def test_a_method():
    service = Service()
    assert _seen(lambda: service.method(), lambda: Service.method.cache_clear()) == {True, False}


@switches_in_caches
def test_a_static_method():
    assert _seen(lambda: Service.static(), _fresh_static) == {True, False}


@switches_in_caches
def test_a_class_method():
    assert _seen(lambda: Service.of_class(), lambda: Service.of_class.__func__.cache_clear()) == {True, False}


@switches_in_caches
def test_in_a_closure():
    @functools.cache
    def get():
        return object()

    assert _seen(lambda: get(), lambda: get.cache_clear()) == {True, False}
    assert type(get) is RealCachedFunction


@switches_in_caches
def test_made_under_control():
    def scenario():
        @functools.cache
        def get():
            return object()

        assert _both(get)

    assert raddle.explore(scenario, source=[__name__]).findings[0].kind == "assertion"


@switches_in_caches
def test_handed_to_a_pool():
    """Nobody's probes see the call, but those in the function's body do their part."""

    def scenario():
        bounded.cache_clear()
        with ThreadPoolExecutor(2) as pool:
            first, second = pool.submit(bounded), pool.submit(bounded)
        assert first.result() is second.result()

    finding = raddle.explore(scenario, source=[__name__, "cached_early"]).findings[0]
    assert finding.kind == "assertion"
    assert {event.kind for event in finding.trace if event.variable == "cache of bounded"} == {"read", "write"}


def test_what_was_cached_before_is_still_there():
    def scenario():
        assert unbounded("first") is cached_early.FIRST
        assert unbounded.cache_info().currsize == 1

    assert raddle.explore(scenario, source=[__name__, "cached_early"]).outcome == "passed"
    assert type(unbounded) is type(Service.method) is RealCachedFunction


def test_looks_like_the_real_one():
    said = []

    def scenario():
        function = unbounded
        said.append(
            (
                pickle.loads(pickle.dumps(function)) is function,
                copy.copy(function) is copy.deepcopy(function) is function,
                function.__name__,
                function.__wrapped__.__qualname__,
                function.cache_parameters(),
                Service().method.__func__ is Service.method,
            )
        )

    raddle.explore(scenario, source=[__name__, "cached_early"], executions=1)
    assert set(map(str, said)) == {
        str((True, True, "unbounded", "unbounded", {"maxsize": None, "typed": False}, True)),
    }


def test_functions_without_probes_keep_their_caches():
    kinds = []

    def scenario():
        kinds.append(type(functools.lru_cache(len)))

    raddle.explore(scenario, source=[__name__], executions=1)
    assert set(kinds) == {RealCachedFunction}


def test_a_cached_property_has_a_lock_before_3_12():
    expected = {True} if env.CACHED_PROPERTIES_LOCK else {True, False}
    assert _seen(_kept, _new_service) == expected


service = Service()


def _new_service():
    service.__dict__.clear()


def _kept():
    return service.kept


def test_a_body_that_fails_leaves_nothing():
    calls = []

    @functools.cache
    def get():
        calls.append(1)
        raise KeyError

    def scenario():
        for _ in range(2):
            with pytest.raises(KeyError):
                get()

    assert raddle.explore(scenario, source=[__name__], executions=1).outcome == "passed"
    assert get.cache_info().currsize == 0
