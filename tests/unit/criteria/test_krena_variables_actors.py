"""Actors in keys: numbers that `Pending` replaces with abstract threads."""

from __future__ import annotations

from krena_variable_traces import small_entities

from raddle.criteria.actors import Actor, Actors, Pending
from raddle.entities import Entities


def test_a_thread_has_the_actor_it_took_on_last():
    actors = Actors()
    actors.turn(1, 4)
    actors.turn(1, 6)
    assert (actors.at(0), actors.at(1)) == (0, 6)
    actors.begin()
    assert actors.at(1) == 1


def test_actors_are_replaced_at_any_depth_and_sets_are_sorted():
    entities = small_entities()
    pending = Pending()
    pending.begin(entities)
    pending.add((70_001, ("word", Actor(1)), frozenset({Actor(2), Actor(1)})))
    one, two = entities.thread(1), entities.thread(2)  # types "one" and "two"
    assert pending.collect(final=True) == {(70_001, ("word", one), (one, two))}


def test_keys_with_an_actor_that_may_still_change_are_withheld():
    entities = Entities(methods=1)
    early, late = entities.add_actor("worker"), entities.add_actor("worker")
    pending = Pending()
    pending.begin(entities)
    pending.add((1, Actor(early)))
    pending.add((2, Actor(early), Actor(late)))
    pending.add((3,))
    entities.entered(early, "f")  # with `methods=1`, the first method determines the abstract thread
    assert pending.collect(final=False) == {(1, entities.thread(early)), (3,)}
    entities.entered(late, "g")
    assert pending.collect(final=False) == {(2, entities.thread(early), entities.thread(late))}
    assert pending.collect(final=True) == set()


def test_an_actor_that_ended_is_settled():
    entities = Entities()
    actor = entities.add_actor("worker")
    pending = Pending()
    pending.begin(entities)
    pending.add((1, Actor(actor)))
    assert pending.collect(final=False) == set()
    entities.ended(actor)
    assert pending.collect(final=False) == {(1, entities.thread(actor))}


def test_a_key_is_collected_once_per_execution_even_if_several_actors_cover_it():
    entities = small_entities(actors=["main", "worker", "worker"])
    pending = Pending()
    pending.begin(entities)
    pending.add((1, Actor(1)))
    pending.add((1, Actor(2)))
    assert len(pending.collect(final=True)) == 1
    pending.add((1, Actor(2)))
    assert pending.collect(final=True) == set()
    pending.begin(entities)
    pending.add((1, Actor(2)))
    assert len(pending.collect(final=True)) == 1
