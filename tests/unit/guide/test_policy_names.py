"""The error for an unknown scheduler lists all schedulers, including the guided ones."""

from __future__ import annotations

import pytest

from raddle.errors import UsageError
from raddle.guide.policies import GUIDED, make_policy
from raddle.schedulers import NAMES


def test_an_unknown_scheduler_lists_all_schedulers():
    with pytest.raises(UsageError) as caught:
        make_policy("foo", seed=1, criteria=[])
    assert caught.value.slug == "unknown-scheduler"
    named = str(caught.value).partition("; choose from ")[2].split(", ")
    assert set(named) == {*GUIDED, *NAMES}


@pytest.mark.parametrize(
    ("wrong", "meant"), [("portfolo", "portfolio"), ("direct", "directed"), ("exhaustiv", "exhaustive")]
)
def test_a_misspelled_scheduler_suggests_the_right_one(wrong, meant):
    with pytest.raises(UsageError, match=f"did you mean {meant}?"):
        make_policy(wrong, seed=1, criteria=[])
