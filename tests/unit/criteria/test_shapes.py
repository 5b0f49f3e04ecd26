"""The key shape that each criterion declares, compared with the keys of real executions."""

from __future__ import annotations

import re

import pytest
import shared_shop

import raddle
from raddle.criteria import THREADS, criterion_class, shape_of
from raddle.entities import AbstractObject, AbstractThread, AbstractVariable
from raddle.requirement import UNKNOWN, Requirement, Role
from raddle.store.reading import key_of
from raddle.store.writing import json_text

LU = {"all", "tpair", "svar", "def-use", "lr-def", "pinv", "lr-inv"}  # criteria whose keys contain thread labels

SITE, OWNER, VARIABLE, RESOURCE, THREAD, WORD = Role
TYPES = {WORD: (str, int), SITE: (int,), OWNER: (str,), RESOURCE: (AbstractObject,)}
ROLES = {
    "map": {SITE, OWNER, WORD},  # the pattern number and the variable names are words
    "all": {SITE, THREAD, WORD},  # keys list the first accesses of an order
    "tpair": {SITE, THREAD, WORD},
    "svar": {SITE, VARIABLE, THREAD, WORD},
    **{name: {SITE, VARIABLE, THREAD, WORD} for name in ("def-use", "lr-def", "pinv", "lr-inv")},
    "avio": {SITE},
    "avio*": {SITE, VARIABLE, THREAD},
    "eraser": {SITE, RESOURCE, WORD},
    "eraser*": {SITE, VARIABLE, RESOURCE, THREAD, WORD},
    "goldilock": {SITE, RESOURCE, THREAD, WORD},  # a lockset contains locks and threads
    "goldilock*": {SITE, VARIABLE, RESOURCE, THREAD, WORD},
    "goodlock": {SITE, RESOURCE},
    "goodlock*": {SITE, RESOURCE, THREAD},
    "hbpair": {SITE, RESOURCE},
    "hbpair*": {SITE, RESOURCE, THREAD},
    "concur-pairs": {SITE, WORD},
    "du-pairs": {SITE, VARIABLE},
    "du-pairs*": {SITE, VARIABLE, THREAD},
    "sync": {SITE, WORD},
    "blocks": {SITE},
    "method-pairs": {OWNER, WORD},
}


@pytest.fixture(scope="module")
def record():
    source = [shared_shop.__file__]
    found = raddle.explore(shared_shop.scenario, executions=60, criteria="every", until="budget", source=source).record
    assert found is not None
    return found


def requirements(record, name):
    keys = record.tally.covered[name]
    assert keys, f"the scenario covers nothing by {name}"
    return [Requirement(shape_of(name), key) for key in keys]


def numbers(value):
    if isinstance(value, tuple):
        return [number for part in value for number in numbers(part)]
    return [value] if isinstance(value, int) else []


@pytest.mark.parametrize("name", THREADS)
def test_a_key_has_the_declared_parts(record, name):
    shape = criterion_class(name).shape
    for requirement in requirements(record, name):
        assert len(shape.parts) - shape.optional <= len(requirement.key) <= len(shape.parts)


@pytest.mark.parametrize("name", THREADS)
def test_the_sites_of_a_key_are_its_known_site_numbers(record, name):
    for requirement in requirements(record, name):
        assert requirement.sites == [number for number in numbers(requirement.key) if number in record.sites]
        assert requirement.sites == Requirement(UNKNOWN, requirement.key).sites


@pytest.mark.parametrize("name", THREADS)
def test_the_other_parts_have_the_types_that_the_shape_declares(record, name):
    for requirement in requirements(record, name):
        for role, types in TYPES.items():
            assert all(isinstance(value, types) for value in requirement.of(role))
        for variable in requirement.of(VARIABLE):  # the keys of `pinv` contain plain tuples
            assert AbstractVariable(*variable).owner.endswith("shared_shop.py:Cart")
        for thread in requirement.of(THREAD):
            assert re.fullmatch(r"T\d", thread) if name in LU else isinstance(thread, AbstractThread)


@pytest.mark.parametrize("name", THREADS)
def test_the_roles_match_the_definition_of_the_criterion(record, name):
    found = requirements(record, name)
    assert {role for role in Role if any(requirement.of(role) for requirement in found)} == ROLES[name]


@pytest.mark.parametrize("name", THREADS)
def test_a_key_from_a_data_file_has_the_same_parts(record, name):
    for requirement in requirements(record, name):
        stored = Requirement(requirement.shape, key_of(json_text(requirement.key)))
        assert [stored.of(role) for role in Role] == [requirement.of(role) for role in Role]


def renamed(text):
    return text.replace("shared_shop.py", "shop.py")


@pytest.mark.parametrize("name", THREADS)
def test_moved_replaces_sites_and_texts(record, name):
    for requirement in requirements(record, name):
        moved = Requirement(requirement.shape, requirement.moved(lambda site: site + 1, renamed))
        assert moved.sites == [site + 1 for site in requirement.sites]
        assert moved.of(VARIABLE) == [tuple(map(renamed, variable)) for variable in requirement.of(VARIABLE)]
        assert requirement.moved(lambda site: site, str) == requirement.key
        if requirement.sites:
            assert requirement.moved(lambda site: None, str) is None
