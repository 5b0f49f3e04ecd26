import queue

import pytest

from raddle.errors import UsageError
from raddle.generation.expressions import Imported
from raddle.generation.factory import Factory
from raddle.generation.oracle_names import ORACLES
from raddle.generation.run_options import RunOptions
from raddle.linearizability.judgment import Oracle


def command(**options):
    """Return the arguments of the command after the name of the class."""
    text = RunOptions(**options).command(queue.Queue, Imported("queue", "Queue"))
    begin = "raddle generate queue:Queue"
    assert text.startswith(begin)
    return text.removeprefix(begin).strip()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ""),
        ({"out": "raddle-tests"}, ""),
        ({"out": "./raddle-tests/"}, ""),
        ({"out": "my tests"}, "--out 'my tests'"),
        ({"max_tests": 50}, "--max-tests 50"),
        ({"max_tests": 50, "seconds": 600}, "--max-tests 50"),
        ({"seconds": 5}, ""),  # 60 s by default
        ({"seconds": 600}, "--seconds 600"),
        ({"workers": 1}, ""),
        ({"workers": 2}, "--workers 2"),
        ({"method": "covcon*", "seed": 4}, "--method 'covcon*' --seed 4"),
        ({"methods": ("get", "put*"), "exclude": ["close"]}, "--methods 'get,put*' --exclude close"),
        ({"oracle": ORACLES}, ""),
        ({"oracle": "hangs,private"}, "--oracle hangs,private"),
        ({"learn": "tests", "factory": "factory.py"}, "--learn tests --with factory.py"),
        ({"keep_coverage_tests": True}, ""),  # only the file with coverage tests depends on it
    ],
)
def test_the_command_has_the_options_on_which_the_tests_depend(options, expected):
    assert command(**options) == expected


def test_without_a_limit_on_tests_there_is_a_time_limit():
    assert RunOptions().for_search(Factory()).seconds == 60
    assert RunOptions(seconds=5).for_search(Factory()).seconds == 5
    assert RunOptions(max_tests=3).for_search(Factory()).seconds == float("inf")
    assert RunOptions(max_tests=3, seconds=5).for_search(Factory()).seconds == 5


def test_private_attributes_are_compared_by_the_oracle_for_the_state():
    assert RunOptions(oracle=["private"]).for_search(Factory()).oracles == {Oracle.STATE}


@pytest.mark.parametrize(("options", "slug"), [({"oracle": "best"}, "bad-oracle"), ({"oracle": ()}, "bad-oracle")])
def test_unknown_oracles_are_usage_errors(options, slug):
    with pytest.raises(UsageError) as caught:
        RunOptions(**options).for_search(Factory())
    assert caught.value.slug == slug


def test_there_is_at_least_one_worker():
    with pytest.raises(UsageError) as caught:
        RunOptions(workers=0)
    assert caught.value.slug == "bad-workers"
