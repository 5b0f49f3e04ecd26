"""Functions are found while other OS threads are running.

If other threads are running, free-threaded Python 3.13 makes functions immortal, and the collector does not track them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import processes

PROGRAM = """
import threading
stop = threading.Event()
threading.Thread(target=stop.wait, daemon=True).start()
import raddle, subject
print(raddle.explore(subject.scenario, source=["subject"]).outcome)
stop.set()
"""
SUBJECT = """
import threading
class Box:
    def __init__(self): self.n = 0
    def add(self): self.n += 1
def scenario():
    box = Box()
    threads = [threading.Thread(target=box.add) for _ in range(2)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert box.n == 2
"""


def test_functions_created_while_another_thread_runs_are_instrumented(tmp_path: Path) -> None:
    (tmp_path / "subject.py").write_text(SUBJECT)
    (tmp_path / "program.py").write_text(PROGRAM)
    completed = processes.run([sys.executable, str(tmp_path / "program.py")], capture_output=True, text=True)
    assert completed.stdout == "assertion\n", completed.stderr
