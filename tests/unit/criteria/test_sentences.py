"""Requirements that differ read differently, and the others stay short."""

from __future__ import annotations

from raddle.criteria.definitions import DefUse
from raddle.criteria.du_pairs import DefinitionUsePairs
from raddle.criteria.sentences import Sentences
from raddle.entities import AbstractVariable
from raddle.site import Site
from raddle.tally import Key

WRITE, READ = 70001, 70002
SITES = {
    WRITE: Site("shop.py", 4, 0, "write", "n", "f", switchable=True),
    READ: Site("shop.py", 5, 0, "read", "n", "f", switchable=True),
}


def pair(*variable: str) -> Key:
    return WRITE, READ, AbstractVariable(*variable)


def explain(*keys: Key) -> list[str]:
    sentences = Sentences(DefinitionUsePairs(), SITES, among=keys)
    return [sentences.explain(key) for key in keys]


SENTENCE = (
    "a thread writes `{}` at shop.py:4 and then the same or another thread reads it at shop.py:5, "
    "with no write in between"
)


def test_a_requirement_that_no_other_reads_like_is_short() -> None:
    assert explain(pair("shop.py:Cart", "app.py:1", "n")) == [SENTENCE.format("Cart.n")]


def test_objects_of_one_class_are_told_apart_by_their_places() -> None:
    assert explain(pair("shop.py:Cart", "app.py:1", "n"), pair("shop.py:Cart", "app.py:2", "n")) == [
        SENTENCE.format("Cart.n") + " (the Cart made at app.py:1)",
        SENTENCE.format("Cart.n") + " (the Cart made at app.py:2)",
    ]


def test_classes_tell_objects_of_one_place_apart() -> None:
    one, other = (pair("shop.py:Base", "app.py:1", "n", f"shop.py:{name}") for name in "AB")
    assert explain(one, other) == [SENTENCE.format("A.n"), SENTENCE.format("B.n")]


def test_objects_without_a_place_are_told_apart_by_the_files_of_their_classes() -> None:
    assert explain(pair("shop.py:Cart", "", "n"), pair("store.py:Cart", "", "n")) == [
        SENTENCE.format("Cart.n") + " (a Cart of shop.py)",
        SENTENCE.format("Cart.n") + " (a Cart of store.py)",
    ]


def test_a_covered_requirement_makes_a_missing_one_say_more() -> None:
    missing, covered = pair("shop.py:Cart", "app.py:1", "n"), pair("shop.py:Cart", "app.py:2", "n")
    sentences = Sentences(DefinitionUsePairs(), SITES, among=[covered, missing])
    assert sentences.explain(missing).endswith("(the Cart made at app.py:1)")


def test_another_site_is_enough() -> None:
    """The variable is only one part of a key: here the accesses differ, too."""
    one = (AbstractVariable("shop.py:Cart", "app.py:1", "n"), "initial", ("T1", "read", READ, 1))
    other = (AbstractVariable("shop.py:Cart", "app.py:2", "n"), "initial", ("T2", "read", READ, 1))
    sentences = Sentences(DefUse(), SITES, among=[one, other])
    assert "made at" not in sentences.explain(one) + sentences.explain(other)
