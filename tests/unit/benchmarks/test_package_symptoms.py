"""A finding matches a known bug only if it shows the symptom of that bug."""

from pathlib import Path

import package_symptoms
import pytest
from package_symptoms import Symptom, read_symptoms


def finding(**changes):
    return {
        "kind": "exception", "exception": "KeyError", "function": "Cache.pop.<locals>.<lambda>", "message": "it raised",
        "story": "KeyError: 'a'", "threads": [["pop"], ["clear", "get"]],
    } | changes  # fmt: skip


SYMPTOM = Symptom("exception", ("KeyError",), ("pop",), (("pop",), ("clear", "del*")), "'a'")


def test_the_finding_of_a_bug_fits():
    assert SYMPTOM.fits(finding())
    assert SYMPTOM.fits(finding(threads=[["delete"], ["pop"]]))
    assert SYMPTOM.fits(finding(message="'a'", story=None))


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "outcome"},
        {"exception": "IndexError"},
        {"exception": None},
        {"function": "Cache.popitem"},
        {"function": None},
        {"story": "KeyError: 'b'"},
        {"threads": [["pop", "clear"], ["get"]]},  # one thread makes both calls
        {"threads": [["pop"], ["pop"]]},
    ],
)
def test_the_finding_of_another_bug_does_not_fit(change):
    assert not SYMPTOM.fits(finding(**change))


def test_two_threads_must_call_a_method_that_is_named_twice():
    twice = Symptom("exception", threads=(("pop",), ("pop",)))
    assert twice.fits(finding(threads=[["pop"], ["pop"]]))
    assert not twice.fits(finding(threads=[["pop", "pop"], ["get"]]))


def test_a_bug_may_show_in_several_ways(tmp_path):
    file = tmp_path / "symptoms.toml"
    file.write_text(
        '[one]\nkind = "hang"\n\n[[two]]\nkind = "hang"\n\n[[two]]\nkind = "outcome"\nthreads = [["get"]]\n'
    )
    assert read_symptoms(file) == {
        "one": (Symptom("hang"),),
        "two": (Symptom("hang"), Symptom("outcome", threads=(("get",),))),
    }


def test_a_misspelled_key_is_reported(tmp_path):
    file = tmp_path / "symptoms.toml"
    file.write_text('[one]\nkind = "hang"\nmethods = []\n')
    with pytest.raises(ValueError, match="one: unknown keys methods"):
        read_symptoms(file)


def test_every_predicate_names_more_than_a_kind():
    symptoms = read_symptoms(Path(package_symptoms.__file__).with_suffix(".toml"))
    assert symptoms
    for ways in symptoms.values():
        assert all(way.kind in ("exception", "hang", "outcome") and (way.threads or way.functions) for way in ways)
        assert all(way.exceptions for way in ways if way.kind == "exception")
