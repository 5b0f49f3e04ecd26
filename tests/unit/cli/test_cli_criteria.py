"""The command `raddle criteria`, and how names of criteria are resolved."""

from __future__ import annotations

import json
import sys

import pytest

import processes
import raddle
from raddle.cli.criteria import criteria
from raddle.criteria import DEFAULT, NAMES, criterion_class, make_criteria, resolve
from raddle.criteria.base import LINEAR, WHOLE
from raddle.errors import UsageError


def list_criteria(capsys, *arguments):
    assert criteria.main(list(arguments), standalone_mode=False) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_the_list_has_every_criterion(capsys):
    out = list_criteria(capsys)
    lines = out.split("\n\n")[0].splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == list(NAMES)
    assert max(map(len, out.splitlines())) <= 80  # lines in piped output stay readable
    # `map`, 7 by Lu et al., 14 by Křena et al., `blocks`, `method-pairs`, 10 by Souza et al., and `all-edges-s*`
    assert len(NAMES) == 35


def test_json_describes_every_criterion(capsys):
    data = json.loads(list_criteria(capsys, "--json"))["criteria"]
    assert list(data) == list(NAMES)
    for description in data.values():
        assert all(description[field] for field in ("family", "paper", "shape", "summary"))
        assert description["cost"] in (LINEAR, WHOLE)
        assert isinstance(description["total_known"], bool)
    assert [name for name in data if data[name]["default"]] == sorted(DEFAULT, key=NAMES.index)
    assert {name for name in data if data[name]["cost"] == WHOLE} >= {"all", "tpair", "svar"}


def test_each_paper_is_spelled_in_one_way():
    papers = {criterion_class(name).paper for name in NAMES}
    assert len({paper.lower() for paper in papers}) == len(papers)


@pytest.mark.parametrize("name", NAMES)
def test_every_criterion_is_found_by_its_name(name):
    (criterion,) = make_criteria(name)
    assert criterion.name == name
    assert type(criterion) is criterion_class(name)


def test_names_are_normalized_and_deduplicated():
    assert resolve("Sync, AVIO-star ,avio,sync") == ("sync", "avio*", "avio")
    assert resolve(["sync", "map,all"]) == ("sync", "map", "all")
    assert resolve("default") == DEFAULT
    assert (*resolve("every"), *resolve("messages")) == NAMES
    assert resolve("sync,default")[0] == "sync"
    assert len(resolve("sync,default")) == len(DEFAULT)


def test_criteria_of_messages_are_refused_for_threads():
    with pytest.raises(UsageError, match="all-edges-s: only message-passing programs have these criteria"):
        raddle.explore(list, criteria="map,all-edges-s")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("avoi", "did you mean avio"),
        ("hb-pair", "hbpair"),
        ("defuse", "def-use"),
        ("du-pair-star", "du-pairs*"),
        ("xyzzy", "there is no criterion 'xyzzy'; `raddle criteria`"),
        ("", "no criterion given"),
        (" , ", "no criterion given"),
    ],
)
def test_unknown_names_are_rejected_with_suggestions(text, expected):
    with pytest.raises(UsageError) as caught:
        resolve(text)
    assert caught.value.slug == "unknown-criterion"
    assert expected in str(caught.value)
    assert "`raddle criteria`" in str(caught.value)


def test_modules_of_criteria_are_imported_lazily():
    code = "import raddle.criteria, sys; print([m for m in sys.modules if m.startswith('raddle.criteria.')])"
    done = processes.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "['raddle.criteria.base']"
