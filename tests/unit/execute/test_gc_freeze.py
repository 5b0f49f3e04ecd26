"""Sessions freeze existing objects so that the garbage collector skips them, and restore the previous state."""

from __future__ import annotations

import gc
import sys

import processes
from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.instrument import Selection

# Runs in a new process, because some versions of Python freeze objects at startup, and earlier tests may unfreeze them.
COUNT = """
import gc, sys
from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.instrument import Selection
with Session(lambda: None, Threads(Selection(root=sys.argv[1])).install()):
    print(gc.get_freeze_count())
print(gc.get_freeze_count())
"""


def test_nothing_stays_frozen_after_a_session(tmp_path):
    done = processes.run([sys.executable, "-c", COUNT, str(tmp_path)], capture_output=True, text=True, check=True)
    during, after = map(int, done.stdout.split())
    assert during > 1_000
    assert after == 0


def test_objects_that_the_program_froze_stay_frozen(tmp_path):
    gc.freeze()
    try:
        with Session(lambda: None, Threads(Selection(root=str(tmp_path))).install()):
            pass
        assert gc.get_freeze_count() > 1_000
    finally:
        gc.unfreeze()
