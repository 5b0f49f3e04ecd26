"""Sentences for requirements: different requirements have different sentences, with details only where needed."""

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


def test_an_unambiguous_requirement_has_a_short_sentence() -> None:
    assert explain(pair("shop.py:Cart", "app.py:1", "n")) == [SENTENCE.format("Cart.n")]


def test_objects_of_one_class_are_distinguished_by_where_they_were_created() -> None:
    assert explain(pair("shop.py:Cart", "app.py:1", "n"), pair("shop.py:Cart", "app.py:2", "n")) == [
        SENTENCE.format("Cart.n") + " (the Cart made at app.py:1)",
        SENTENCE.format("Cart.n") + " (the Cart made at app.py:2)",
    ]


def test_objects_created_at_one_line_are_distinguished_by_class() -> None:
    one, other = (pair("shop.py:Base", "app.py:1", "n", f"shop.py:{name}") for name in "AB")
    assert explain(one, other) == [SENTENCE.format("A.n"), SENTENCE.format("B.n")]


def test_objects_without_a_creation_site_are_distinguished_by_the_file_of_their_class() -> None:
    assert explain(pair("shop.py:Cart", "", "n"), pair("store.py:Cart", "", "n")) == [
        SENTENCE.format("Cart.n") + " (a Cart of shop.py)",
        SENTENCE.format("Cart.n") + " (a Cart of store.py)",
    ]


def test_a_covered_requirement_can_make_a_missing_one_more_specific() -> None:
    missing, covered = pair("shop.py:Cart", "app.py:1", "n"), pair("shop.py:Cart", "app.py:2", "n")
    sentences = Sentences(DefinitionUsePairs(), SITES, among=[covered, missing])
    assert sentences.explain(missing).endswith("(the Cart made at app.py:1)")


def test_requirements_that_differ_in_an_access_need_no_further_detail() -> None:
    """The keys differ in the variable and in the accesses, so the sentences need no additional details."""
    one = (AbstractVariable("shop.py:Cart", "app.py:1", "n"), "initial", ("T1", "read", READ, 1))
    other = (AbstractVariable("shop.py:Cart", "app.py:2", "n"), "initial", ("T2", "read", READ, 1))
    sentences = Sentences(DefUse(), SITES, among=[one, other])
    assert "made at" not in sentences.explain(one) + sentences.explain(other)
