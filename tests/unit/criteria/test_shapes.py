"""The shape that each criterion declares, against the keys that it gives for real executions."""

from __future__ import annotations

import re

import pytest
import shared_shop

import raddle
from raddle.criteria import NAMES, criterion_class, shape_of
from raddle.entities import AbstractObject, AbstractThread, AbstractVariable
from raddle.requirement import UNKNOWN, Requirement, Role
from raddle.store.reading import key_of
from raddle.store.writing import json_text

LU = {"all", "tpair", "svar", "def-use", "lr-def", "pinv", "lr-inv"}  # name threads by label

SITE, OWNER, VARIABLE, RESOURCE, THREAD, WORD = Role
TYPES = {WORD: (str, int), SITE: (int,), OWNER: (str,), RESOURCE: (AbstractObject,)}
ROLES = {
    "map": {SITE, OWNER, WORD},  # the pattern and the names of the variables are words
    "all": {SITE, THREAD, WORD},  # how the order begins
    "tpair": {SITE, THREAD, WORD},
    "svar": {SITE, VARIABLE, THREAD, WORD},
    **{name: {SITE, VARIABLE, THREAD, WORD} for name in ("def-use", "lr-def", "pinv", "lr-inv")},
    "avio": {SITE},
    "avio*": {SITE, VARIABLE, THREAD},
    "eraser": {SITE, RESOURCE, WORD},
    "eraser*": {SITE, VARIABLE, RESOURCE, THREAD, WORD},
    "goldilock": {SITE, RESOURCE, THREAD, WORD},  # a lockset has locks and threads
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


@pytest.mark.parametrize("name", NAMES)
def test_a_key_has_the_declared_parts(record, name):
    shape = criterion_class(name).shape
    for requirement in requirements(record, name):
        assert len(shape.parts) - shape.optional <= len(requirement.key) <= len(shape.parts)


@pytest.mark.parametrize("name", NAMES)
def test_sites_are_the_numbers_of_sites(record, name):
    for requirement in requirements(record, name):
        assert requirement.sites == [number for number in numbers(requirement.key) if number in record.sites]
        assert requirement.sites == Requirement(UNKNOWN, requirement.key).sites


@pytest.mark.parametrize("name", NAMES)
def test_other_parts_are_what_the_shape_says(record, name):
    for requirement in requirements(record, name):
        for role, types in TYPES.items():
            assert all(isinstance(value, types) for value in requirement.of(role))
        for variable in requirement.of(VARIABLE):  # pinv has plain tuples
            assert AbstractVariable(*variable).owner.endswith("shared_shop.py:Cart")
        for thread in requirement.of(THREAD):
            assert re.fullmatch(r"T\d", thread) if name in LU else isinstance(thread, AbstractThread)


@pytest.mark.parametrize("name", NAMES)
def test_the_roles_are_those_of_the_definition(record, name):
    found = requirements(record, name)
    assert {role for role in Role if any(requirement.of(role) for requirement in found)} == ROLES[name]


@pytest.mark.parametrize("name", NAMES)
def test_a_key_out_of_a_data_file_is_read_alike(record, name):
    for requirement in requirements(record, name):
        stored = Requirement(requirement.shape, key_of(json_text(requirement.key)))
        assert [stored.of(role) for role in Role] == [requirement.of(role) for role in Role]


def renamed(text):
    return text.replace("shared_shop.py", "shop.py")


@pytest.mark.parametrize("name", NAMES)
def test_sites_and_texts_can_move(record, name):
    for requirement in requirements(record, name):
        moved = Requirement(requirement.shape, requirement.moved(lambda site: site + 1, renamed))
        assert moved.sites == [site + 1 for site in requirement.sites]
        assert moved.of(VARIABLE) == [tuple(map(renamed, one)) for one in requirement.of(VARIABLE)]
        assert requirement.moved(lambda site: site, str) == requirement.key
        if requirement.sites:
            assert requirement.moved(lambda site: None, str) is None
