"""`raddle run --pinv-occurrences`: how many occurrences of an access native runs tell apart for pinv."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from plainly import watched

from raddle.store import read

PROGRAM = """
    import threading

    class Box:
        def __init__(self):
            self.x = 0

    def read(box):
        for _ in range(6):
            box.x

    def write(box):
        box.x = 1

    if __name__ == "__main__":
        box = Box()
        for target in (read, write):
            thread = threading.Thread(target=target, args=(box,))
            thread.start()
            thread.join(60)  # a join without a timeout orders the accesses, and then no variable is shared
"""


# Six reads of one thread at one site: with 2 occurrences told apart the pairs 1-2 and 2-2, with 4 also 2-3, 3-4, 4-4.
@pytest.mark.parametrize(("given", "pairs"), [(["--pinv-occurrences", "2"], 2), ([], 4)])
def test_the_option_of_run(tmp_path: Path, given: list[str], pairs: int) -> None:
    (tmp_path / "boxes.py").write_text(dedent(PROGRAM))
    ended = watched(tmp_path, "boxes.py", options=["--criteria", "pinv", "--data-file", "data", *given])
    assert ended.code == 0, ended.err
    assert len(read(tmp_path / "data").tally.covered["pinv"]) == pairs
