"""Random numbers are the same in every controlled execution, and random elsewhere."""

from __future__ import annotations

import os
import pickle
import random
import secrets
import threading
import uuid
from random import randint

import pytest
from controlled import controlled, controlled_with_seeds

import raddle
from raddle.threads.twins.randomness import UnseededRandom

SOURCES = {
    "random": lambda: random.random(),
    "randint": lambda: random.randint(1, 10**9),
    "imported by name": lambda: randint(1, 10**9),
    "gauss": lambda: random.gauss(0, 1),
    "getrandbits": lambda: random.getrandbits(64),
    "sample": lambda: random.sample(range(10**9), 2),
    "urandom": lambda: os.urandom(8),
    "uuid4": lambda: uuid.uuid4(),
    "secrets": lambda: secrets.token_hex(),
    "Random": lambda: random.Random().random(),
    "SystemRandom": lambda: random.SystemRandom().random(),
    "seeded with None": lambda: random.seed() or random.random(),
}


def in_threads(draw, count=2):
    """Draw twice in each of several threads."""
    drawn = [[] for _ in range(count)]

    def work(mine):
        for _ in range(2):
            threading.Event().is_set()  # a step at which threads can be switched
            mine.append(draw())

    threads = [threading.Thread(target=work, args=(mine,)) for mine in drawn]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return drawn


@pytest.mark.parametrize("draw", SOURCES.values(), ids=SOURCES.keys())
def test_each_thread_draws_the_same_numbers_under_every_schedule(draw):
    first, *others = controlled_with_seeds(lambda: in_threads(draw))
    assert all(other == first for other in others)
    one, other = first
    assert one != other  # the threads have different streams
    assert one == controlled(lambda: in_threads(draw))[0]  # also in another session


def test_a_shared_generator_without_a_seed_has_a_stream_for_each_thread():
    def scenario():
        generator = random.Random()
        return in_threads(generator.random), in_threads(lambda: generator.gauss(0, 1))

    first, *others = controlled_with_seeds(scenario)
    assert all(other == first for other in others)


def test_seeds_of_the_program_count():
    def scenario():
        generator, reseeded = random.Random(5), random.Random()
        reseeded.seed(6)
        copied = random.Random()
        copied.setstate(random.Random(8).getstate())
        random.seed(7)
        return generator.random(), reseeded.random(), copied.random(), random.random()

    state = random.getstate()
    try:
        assert controlled(scenario) == tuple(random.Random(seed).random() for seed in (5, 6, 8, 7))
    finally:
        random.setstate(state)


def test_the_seed_of_one_execution_does_not_count_in_the_next():
    seeds = iter([7, None])

    def scenario():
        if seed := next(seeds):
            random.seed(seed)
        return random.random()

    state = random.getstate()
    try:
        seeded, unseeded = controlled_with_seeds(scenario, seeds=(None, None))
    finally:
        random.setstate(state)
    assert seeded == random.Random(7).random()
    assert unseeded == controlled(lambda: random.random())


def test_a_generator_remains_a_random_object():
    def scenario():
        generator = random.Random()
        copied = pickle.loads(pickle.dumps(generator))
        return generator, isinstance(generator, random.Random), type(copied) is random.Random, type(generator).__name__

    generator, *seen = controlled(scenario)
    assert seen == [True, True, "Random"]
    assert type(generator) is UnseededRandom
    assert generator.random() != generator.random()  # outside executions, too
    assert 0 <= generator.getrandbits(3) < 8
    assert generator.gauss(0, 1) != generator.gauss(0, 1)


def test_the_real_functions_return_after_an_execution():
    before = random.random, os.urandom, random.Random.seed, random.getstate()
    controlled(lambda: (random.random(), random.shuffle([1, 2, 3]), os.urandom(2)))
    assert (random.random, os.urandom, random.Random.seed, random.getstate()) == before


@pytest.mark.parametrize("isolate", ["none", "fork"])
def test_a_complete_search_says_that_other_random_numbers_were_not_explored(isolate):
    if isolate == "fork" and not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")

    def rarely_fails():
        def work():
            assert random.random() < 0.999

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    result = raddle.explore(rarely_fails, source=[__file__], isolate=isolate)
    assert result.exhausted
    assert any("drew the same random numbers" in note for note in result.notes)


def test_a_search_without_random_numbers_does_not_mention_them():
    result = raddle.explore(lambda: None, source=[__file__])
    assert result.exhausted
    assert not any("random numbers" in note for note in result.notes)
