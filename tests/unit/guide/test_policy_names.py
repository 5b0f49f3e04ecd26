"""A scheduler that does not exist: all that do are named, those that aim among them."""

from __future__ import annotations

import pytest

from raddle.errors import UsageError
from raddle.guide.policies import GUIDED, make_policy
from raddle.schedulers import NAMES


def test_all_that_there_are_are_named():
    with pytest.raises(UsageError) as caught:
        make_policy("foo", seed=1, criteria=[])
    assert caught.value.slug == "unknown-scheduler"
    named = str(caught.value).partition("(there are ")[2].removesuffix(")").split(", ")
    assert set(named) == {*GUIDED, *NAMES}


@pytest.mark.parametrize(
    ("wrong", "meant"), [("portfolo", "portfolio"), ("direct", "directed"), ("exhaustiv", "exhaustive")]
)
def test_what_was_meant_is_guessed(wrong, meant):
    with pytest.raises(UsageError, match=f"did you mean {meant}?"):
        make_policy(wrong, seed=1, criteria=[])
