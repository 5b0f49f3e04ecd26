"""An installation is set up once, however many sessions use it, and determines what is recorded."""

from __future__ import annotations

import gc
import pickle

import pytest

from raddle.execute.installation import Installation
from raddle.execute.session import Session
from raddle.execute.thread_installation import ThreadInstallation, Threads
from raddle.instrument import Selection
from raddle.threads.calculus import ThreadCalculus
from raddle.threads.world import ThreadWorld

NOTHING = Threads(Selection(root="/nowhere"), patience_seconds=2.0, methods=3)


def test_an_installation_stays_in_place_until_its_last_user_exits():
    # The garbage collector is disabled while an installation is in place.
    assert gc.isenabled()
    with NOTHING.install() as installation:
        for _ in range(2):
            with Session(lambda: None, installation):
                assert not gc.isenabled()
            assert not gc.isenabled()
    assert gc.isenabled()


def test_a_session_sets_up_its_installation():
    with Session(lambda: None, NOTHING.install()):
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_pickled_domain_creates_the_same_installation():
    copy = pickle.loads(pickle.dumps(NOTHING))
    assert copy == NOTHING
    assert isinstance(copy.install(), ThreadInstallation)


def test_a_world_without_a_recorder_cannot_be_measured():
    installation = Installation(ThreadWorld(), ThreadCalculus())
    with (
        pytest.raises(NotImplementedError, match="executions in ThreadWorld are not measured"),
        Session(lambda: None, installation, measuring=True),
    ):
        pass
    assert gc.isenabled()  # even though entering the session failed
