"""Function caches are shared state: two threads can both find no cached value and both compute it."""

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


def _same_in_two_threads(get):
    got = [None, None]

    def work(index):
        got[index] = get()

    threads = [threading.Thread(target=work, args=(index,)) for index in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return got[0] is got[1]


def _observed_results(get, reset=None, scheduler="exhaustive", **options):
    """Explore all schedules of two threads that call `get`.

    The result contains True if some schedule gave both threads the same object, and False if some schedule gave them
    different objects.
    """
    seen = set()

    def scenario():
        if reset is not None:
            reset()
        seen.add(_same_in_two_threads(get))

    sources = [__name__, "cached_early"]
    result = raddle.explore(scenario, source=sources, scheduler=scheduler, executions=None, until="budget", **options)
    assert result.stopped_because == "exhausted"
    return seen


def _clear_static():
    Service.static.cache_clear()


@switches_in_caches
@pytest.mark.parametrize("scheduler", ["exhaustive", "reachability"])
@pytest.mark.parametrize("switches", ["free-threaded", "gil"])
def test_two_threads_can_both_miss_in_a_function_cached_earlier(scheduler, switches):
    assert _observed_results(lambda: bounded(), lambda: bounded.cache_clear(), scheduler, switches=switches) == {
        True,
        False,
    }


@switches_in_caches
def test_two_threads_can_both_miss_through_another_modules_reference():
    assert _observed_results(lambda: cached_early.bounded(), lambda: bounded.cache_clear()) == {True, False}


@switches_in_caches
def test_two_threads_can_both_miss_in_a_cached_method():
    service = Service()
    assert _observed_results(lambda: service.method(), lambda: Service.method.cache_clear()) == {True, False}


@switches_in_caches
def test_two_threads_can_both_miss_in_a_cached_static_method():
    assert _observed_results(lambda: Service.static(), _clear_static) == {True, False}


@switches_in_caches
def test_two_threads_can_both_miss_in_a_cached_class_method():
    assert _observed_results(lambda: Service.of_class(), lambda: Service.of_class.__func__.cache_clear()) == {
        True,
        False,
    }


@switches_in_caches
def test_two_threads_can_both_miss_in_a_cached_function_in_a_closure():
    @functools.cache
    def get():
        return object()

    assert _observed_results(lambda: get(), lambda: get.cache_clear()) == {True, False}
    assert type(get) is RealCachedFunction


@switches_in_caches
def test_two_threads_can_both_miss_in_a_function_cached_in_the_scenario():
    def scenario():
        @functools.cache
        def get():
            return object()

        assert _same_in_two_threads(get)

    assert raddle.explore(scenario, source=[__name__]).findings[0].kind == "assertion"


@switches_in_caches
def test_two_threads_can_both_miss_when_a_pool_calls_the_cached_function():
    """The call has no probe, but the probes in the function's body record the cache accesses."""

    def scenario():
        bounded.cache_clear()
        with ThreadPoolExecutor(2) as pool:
            first, second = pool.submit(bounded), pool.submit(bounded)
        assert first.result() is second.result()

    finding = raddle.explore(scenario, source=[__name__, "cached_early"]).findings[0]
    assert finding.kind == "assertion"
    assert {event.kind for event in finding.trace if event.variable == "cache of bounded"} == {"read", "write"}


def test_values_cached_earlier_stay_in_the_cache():
    def scenario():
        assert unbounded("first") is cached_early.FIRST
        assert unbounded.cache_info().currsize == 1

    assert raddle.explore(scenario, source=[__name__, "cached_early"]).outcome == "passed"
    assert type(unbounded) is type(Service.method) is RealCachedFunction


def test_the_twin_resembles_a_real_cached_function():
    results = []

    def scenario():
        function = unbounded
        results.append(
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
    assert set(map(str, results)) == {
        str((True, True, "unbounded", "unbounded", {"maxsize": None, "typed": False}, True)),
    }


def test_functions_without_probes_keep_their_caches():
    kinds = []

    def scenario():
        kinds.append(type(functools.lru_cache(len)))

    raddle.explore(scenario, source=[__name__], executions=1)
    assert set(kinds) == {RealCachedFunction}


def test_a_cached_property_is_computed_twice_unless_it_locks():
    expected = {True} if env.CACHED_PROPERTIES_LOCK else {True, False}
    assert _observed_results(_read_cached_property, _clear_cached_property) == expected


service = Service()


def _clear_cached_property():
    service.__dict__.clear()


def _read_cached_property():
    return service.cached


def test_a_function_that_raises_leaves_no_cache_entry():
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
